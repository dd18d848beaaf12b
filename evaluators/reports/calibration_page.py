"""A judge beside people, as a page."""

from __future__ import annotations

from evaluators.reports.document import Item, Listing, Page, PageTable, Paragraph, Section, heads, list_section
from evaluators.reports.sections.labels import label_section
from evaluators.runs.compare.calibration import Calibration, ChangedAnswers, Halves, JudgeConfusion, kappa
from evaluators.runs.intervals import wilson
from evaluators.runs.metrics import count_text, mean_interval_text, rows_text, score_text
from evaluators.runs.result import ConfusionMatrix, Interval

_FEW: int = 30


def calibration_page(
    calibration: Calibration, run: str, target: str, column: str, changed: ChangedAnswers | None
) -> Page:
    """The page: how often judge and people agree, beyond chance, in which direction they differ, and where.

    `run` is the run's name, `target` what the judge gave a verdict on, `column` has the marks of people. `changed` are the verdicts that
    another run gave otherwise; where it is None, the page has no section on another run.
    """
    sections = [_metric_section(calibration, target, column), _confusion_section(calibration.confusion)]
    if calibration.choices is not None:
        sections += _choice_sections(calibration.choices)
    sections += [_half_section(calibration), *_disagreement_section(calibration)]
    if changed is not None:
        sections.append(_other_run_section(changed))
    return Page(f"{run}: {target} beside {column}", tuple(sections))


def _metric_section(calibration: Calibration, target: str, column: str) -> Section:
    """The first section: how many rows count and which are left out, agreement, Cohen's kappa and the two ways to differ. `target` is what
    the judge gave a verdict on, and `column` has the marks of people.

    The row `score minus mark` is there only where people gave marks as numbers.
    """
    counts = calibration.confusion
    lines = [f"{rows_text(counts.rows)} have a verdict of {target} and a mark in {column}."]
    if calibration.unmarked:
        lines.append(
            f"{rows_text(calibration.unmarked)} without a mark, and {count_text(calibration.unjudged, 'mark')} without a verdict, "
            "are left out."
        )
    elif calibration.unjudged:
        are = "is" if calibration.unjudged == 1 else "are"
        lines.append(f"{count_text(calibration.unjudged, 'mark')} without a verdict {are} left out.")
    if counts.rows < _FEW:
        lines.append(f"Fewer than {_FEW} rows say little: see how wide the intervals are.")
    if calibration.cluster is not None:
        lines.append(
            f"Rows of one {calibration.cluster} belong together. The intervals here count rows, and are too narrow."
        )
    rows = [
        (
            "agreement",
            score_text(counts.agreement),
            mean_interval_text(wilson(counts.agreements, counts.rows)),
            "both say the same",
        ),
        (
            "Cohen's kappa",
            _number(calibration.kappa),
            _interval_text(calibration.kappa_interval),
            "agreement beyond chance: 1 is all, 0 is none",
        ),
        ("too kind", str(counts.too_kind), "", "the judge lets pass what people do not"),
        ("too strict", str(counts.too_strict), "", "people let pass what the judge does not"),
    ]
    if calibration.mean_difference is not None:
        rows.append(
            (
                "score minus mark",
                _number(calibration.mean_difference),
                _interval_text(calibration.difference_interval),
                f"above 0 the judge gives more; of {rows_text(calibration.difference_rows)}",
            )
        )
    columns = heads("metric", "#value", "#95 % CI", "what it says")
    return Section(None, (*map(Paragraph, lines), PageTable(columns, tuple(rows))))


def _confusion_section(counts: JudgeConfusion) -> Section:
    """The section with a table of two by two: how often judge and people both pass, both fail, or differ."""
    columns = heads("", "#people: pass", "#people: fail")
    rows = (
        ("judge: pass", str(counts.both_pass), str(counts.too_kind)),
        ("judge: fail", str(counts.too_strict), str(counts.both_fail)),
    )
    return Section("Verdicts", (PageTable(columns, rows),))


def _choice_sections(table: ConfusionMatrix) -> tuple[Section, ...]:
    """Two sections: how often judge and people made the same choice, and a confusion matrix of their choices."""
    same = sum(cell.count for cell in table.cells if cell.expected == cell.output)
    value, interval = kappa({(cell.expected, cell.output): cell.count for cell in table.cells})
    rows = (
        (
            "the same choice",
            score_text(same / table.rows),
            mean_interval_text(wilson(same, table.rows)),
            f"{table.rows:,}",
        ),
        ("Cohen's kappa", _number(value), _interval_text(interval), f"{table.rows:,}"),
    )
    columns = heads("choices", "#value", "#95 % CI", "#n")
    caption = "People made the choice on the left; those of the judge are in the columns."
    return Section(None, (PageTable(columns, rows),)), label_section(table, "Choices", caption)


def _half_section(calibration: Calibration) -> Section:
    """The section with a table of the agreement in the shorter and the longer outputs, and in the first and the later rows.

    A sentence says of each pair how much it differs, where that is known.
    """
    columns = heads("rows", "#agreement", "#too kind", "#too strict", "#of")
    named = (
        ("shorter outputs", calibration.lengths.first), ("longer outputs", calibration.lengths.second),
        ("first rows", calibration.positions.first), ("later rows", calibration.positions.second),
    )  # fmt: skip
    rows = tuple(
        (name, score_text(agreement.agreement), str(agreement.too_kind), str(agreement.too_strict), str(agreement.rows))
        for name, agreement in named
    )
    remarks = [
        _difference_text("longer outputs", "shorter ones", calibration.lengths),
        _difference_text("later rows", "first ones", calibration.positions),
    ]
    return Section("By length and position", (PageTable(columns, rows), *map(Paragraph, filter(None, remarks))))


def _difference_text(half: str, other: str, halves: Halves) -> str:
    """A sentence on how much agreement differs between two halves, which `half` and `other` name; empty where that is not known.

    The difference is called significant where its interval leaves out 0.
    """
    if halves.difference is None:
        return ""
    low, high = halves.difference.low, halves.difference.high
    sure = "not significant" if low <= 0 <= high else "significant"
    return f"Agreement on {half} minus that on {other}: {_interval_text(halves.difference)}; {sure}."


def _disagreement_section(calibration: Calibration) -> tuple[Section, ...]:
    """The rows in which judge and people differ, as a section; none where there are none.

    The title says how many there are in all where only the first are listed.
    """
    items = tuple(
        Item(
            f"row {row.number}{f' ({row.id})' if row.id else ''}: the judge says {_word(row.judge)}, people {_word(row.person)}"
        )
        for row in calibration.disagreements
    )
    whole = calibration.confusion.too_kind + calibration.confusion.too_strict
    title = "Where they differ" if len(items) == whole else f"Where they differ (first {len(items)} of {whole})"
    return list_section(title, items)


def _other_run_section(changed: ChangedAnswers) -> Section:
    """The section on how many of the questions that two runs both asked got another verdict in the other run, with an interval and
    examples."""
    share = score_text(changed.changed / changed.questions) if changed.questions else "none"
    text = (
        f"Of {count_text(changed.questions, 'question')} that both runs asked, {changed.changed:,} "
        f"{'has' if changed.changed == 1 else 'have'} another verdict in the other run ({share})."
        if changed.questions
        else "The two runs have no question in common."
    )
    items = tuple(map(Item, changed.examples))
    interval = wilson(changed.changed, changed.questions)
    beside = (Paragraph(f"95 % CI of that share: {mean_interval_text(interval)}."),) if interval else ()
    return Section("The other run", (Paragraph(text), *beside, *((Listing(items),) if items else ())))


def _word(passed: bool) -> str:
    return "pass" if passed else "fail"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval_text(interval: Interval | None) -> str:
    """An interval with three decimals, as those of agreement are written."""
    return "–" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
