"""A suite in plain words: what each evaluator reads, waits for and compares, and in which order it all happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evaluators.model.settings import Loc
from evaluators.reports.document import Item, Listing, Page, Paragraph, Section, list_section
from evaluators.reports.reference import first_sentence, short_score
from evaluators.runs.gates import Gate, written_gates
from evaluators.runs.metrics import USUAL, count_text
from evaluators.runs.wording import metric_words
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.needs import Column, Condition, Expected, Need, Output, Part, Text, Wanted
from evaluators.scoring.plan.graph import EvaluatorLine, edges, in_dependency_order
from evaluators.scoring.plan.suite_plan import Plan
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites.config import RUN_SETTINGS, SuiteConfig


def suite_page(config: SuiteConfig, gates: Sequence[Gate], plan: Plan | None, columns: Mapping[str, str]) -> Page:
    """The suite as a page; with a plan also the order and the steps.

    `columns` are the names of columns by role, as far as the suite says them.
    """
    named = ((line.name if line.name == line.type else f"{line.name}: {line.type}", line) for line in config.lines)
    evaluators = tuple(Item(title, tuple(_line_words(config, line, columns))) for title, line in named)
    return Page(
        f"{config.name} ({config.source.name})",
        (
            Section(None, tuple(_opening(config, gates))),
            Section("Evaluators", (Listing(evaluators),)),
            *list_section("Gates", map(_gate_item, written_gates(gates))),
            *(() if plan is None else _steps(config, plan)),
        ),
    )


def _steps(config: SuiteConfig, plan: Plan) -> tuple[Section, ...]:
    """The sections on the order of the evaluators and on the steps of a row."""
    introduction = Paragraph("What is done with each row. The numbers after an arrow are the steps whose result is used.")
    steps = Listing((Item("", quote=tuple(plan.describe().splitlines())),))
    return Section("Order", (Listing(tuple(_order_items(config.lines))),)), Section("Steps", (introduction, steps))


def suite_data(config: SuiteConfig, gates: Sequence[Gate], plan: Plan, columns: Mapping[str, str]) -> dict[str, Any]:
    """The evaluators, gates, columns and steps of a suite, as plain data."""
    return {
        "name": config.name,
        "evaluators": [
            {
                "name": line.name,
                "type": line.type,
                "reads": list(_input_texts(line, columns)),
                "waits_for": list(_dependencies(line)),
                "when": [condition_words(condition) for condition in line.when],
                "fields": list(line.settings.scored_fields().names),
                "settings": settings_as_written(config, line),
            }
            for line in config.lines
        ],
        "gates": [{"target": gate.key, "limit": gate.config.limit} for gate in written_gates(gates)],
        "columns": list(plan.columns),
        "steps": [{"number": step.fills, "does": step.does, "reads": list(step.reads)} for step in plan.steps],
    }


def settings_as_written(config: SuiteConfig, line: EvaluatorLine) -> dict[str, Any]:
    """The settings of an evaluator as the suite writes them, without those that say when it runs.

    What the environment filled in reads `${NAME}`.
    """
    node = _value_at(config.source.shown, line.loc)
    if not isinstance(node, Mapping):
        return {}
    return {key: value for key, value in node.items() if key not in (*RUN_SETTINGS, "type")}


def condition_words(condition: Condition) -> str:
    """A condition in words: `row.kind is invoice or credit_note`."""
    about = f"row.{condition.column}" if condition.path is None else f"{condition.source}.{condition.path.canonical}"
    if condition.present is not None:
        return f"{about} is there" if condition.present else f"{about} is not there"
    return f"{about} is {' or '.join(flow_text(value) for value in condition.values)}"


def _opening(config: SuiteConfig, gates: Sequence[Gate]) -> Iterable[Paragraph]:
    """The first paragraphs of the page: the suite's description, where it has one, and how many evaluators, gates and slices there are."""
    description = config.source.shown.get("description")
    if description:
        yield Paragraph(str(description))
    slices = f", metrics for each {', '.join(config.slices)}" if config.slices else ""
    yield Paragraph(
        f"{count_text(len(config.lines), 'evaluator')}, {count_text(len(written_gates(gates)), 'gate')}{slices}."
    )


def _line_words(config: SuiteConfig, line: EvaluatorLine, columns: Mapping[str, str]) -> Iterable[str]:
    """The description of an evaluator, a line each: inputs, dependencies, comparisons, settings, and when a row passes."""
    yield first_sentence(BUILTIN.find(line.type).__doc__ or "")
    yield from _comparison_words(line, columns)
    if line.needs:
        yield f"waits for: {', '.join(line.needs)}. {_UNMET[line.unmet]}"
    if line.when:
        yield f"only where: {' and '.join(map(condition_words, line.when))}. Other rows are skipped."
    if line.parse:
        yield f"parse: {line.parse}"
    if line.pick:
        yield f"pick: {line.pick}"
    for name, value in settings_as_written(config, line).items():
        yield from _setting_words(line, name, value)
    at = short_score(line.settings.pass_at)
    yield f"a row passes at a score of {at if at == '1' else f'{at} or more'}"


_UNMET: Final = {
    "fail": "A row that does not pass there scores 0 here.",
    "skip": "A row that does not pass there is left out here.",
}


def _setting_words(line: EvaluatorLine, name: str, value: object) -> Iterable[str]:
    """A setting in words; nothing for one that another line of the page has, such as a column or `pass_at`."""
    lines = line.settings.scored_fields().lines
    if name == "fields" and lines is not None:
        yield "compared field by field:"
        yield from (f"- {_field_words(line)}" for line in lines)
    elif name == "of":
        yield f"combines: {_combined_names(value)}"
    elif name not in ("pass_at", "output", "expected", "input", "correct_answer_key"):
        yield f"{name}: {value if isinstance(value, str) else flow_text(value)}"


def _comparison_words(line: EvaluatorLine, columns: Mapping[str, str]) -> Iterable[str]:
    """The two sides that are compared, the output first; or the columns that are read."""
    read = sorted(_inputs(line), key=lambda need: isinstance(need, Expected))
    words = list(dict.fromkeys(_need_words(need, columns) for need in read))
    if len(words) == 2:
        yield f"compares {words[0]} with {words[1]}"
    elif words:
        yield f"looks at {'; '.join(words)}"


def _combined_names(value: object) -> str:
    """The evaluators that a setting `of` combines, a list of names or a map to their weights, in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} (weight {flow_text(weight)})" for name, weight in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _field_words(line: FieldLine) -> str:
    """A field in words: its comparator, transforms, weight, alignment and conditions, where it has them."""
    if line.skip:
        return f"{line.name}: not compared"
    words = [line.rule] if line.comparator is not None else []
    words += [line.comparator.remark] if line.comparator is not None and line.comparator.remark else []
    words += [f"after {', '.join(transform.name for transform in line.transforms)}"] if line.transforms else []
    words += [f"weight {float(line.weight):g}"] if line.weight != 1 else []
    words += ["required"] if line.required else []
    words += ["may be absent everywhere"] if line.optional else []
    words += [_align_words(line.align)] if line.align is not None else []
    words += [f"only where {' and '.join(map(condition_words, line.when))}"] if line.when else []
    return f"{line.name}: {', '.join(words)}"


def _align_words(align: Align) -> str:
    """The alignment of a list in words: how its items are paired."""
    if align.how == "key_field" and align.key is not None:
        return f"items belong together when they have the same {align.key}"
    least = f", in pairs of F1 {float(align.at_least):g} or more" if align.at_least is not None else ""
    return _ALIGNED.get(align.how, align.how) + least


_ALIGNED: Final = {
    "ordered": "items are compared in their order",
    "any_order": "the order of the items does not matter",
    "hungarian": "items are paired so that as many as possible are right, and the others agree as much as they can",
}


def _gate_item(gate: Gate) -> Item:
    """A gate as an item: its limit, and what it is about or waits for where that is set."""
    config = gate.config
    words = [config.limit if config.metric is None else f"{config.limit} ({metric_words(config.metric)})"]
    words += [f"label {config.label}"] if config.label else []
    words += [f"variant {config.variant}"] if config.variant else []
    words += [f"for {', '.join(f'{key} = {value}' for key, value in config.slice_words.items())}"] if config.slice else []
    words += [f"for each {config.each_slice.removeprefix('row.')}"] if config.each_slice else []
    words += [f"undecided below {count_text(config.min_rows, 'row')}"] if config.min_rows > 1 else []
    words += [f"coverage {config.coverage}"] if config.coverage != USUAL else []
    return Item(f"{gate.key}: {', '.join(words)}")


def _inputs(line: EvaluatorLine) -> list[Need]:
    """The inputs of an evaluator. A column whose JSON or text is read is left out: the JSON or the text is the input."""
    needs = [need for need in line.settings.needs() if not isinstance(need, Part)]
    inside = [need.column.name for need in needs if not isinstance(need, Column)]
    return [need for need in needs if not (isinstance(need, Column) and need.name in inside)]


def _input_texts(line: EvaluatorLine, columns: Mapping[str, str]) -> Iterable[str]:
    """The inputs of an evaluator, in words; a column whose JSON is read is not named twice."""
    words = [_need_words(need, columns) for need in _inputs(line)]
    words += [f'column "{condition.column}"' for condition in line.when if condition.source == "row"]
    yield from dict.fromkeys(words)


def _need_words(need: Need, columns: Mapping[str, str]) -> str:
    """One input of an evaluator in words: a column, its text, its JSON, or a part of the row by name."""
    match need:
        case Column():
            return column_words(need, columns)
        case Text(column):
            return f"the text in {column_words(column, columns)}"
        case Expected(column):
            return f"the JSON in {column_words(column, columns)}"
        case Output(column, want):
            return f"{_WANTED[want]} in {column_words(column, columns)}"
        case Part(name):
            return name


_WANTED: Final[Mapping[Wanted, str]] = {
    "object": "the JSON object",
    "array": "the JSON list",
    "container": "the JSON object or list",
    "any": "the JSON",
    "like_expected": "the JSON",
}


def column_words(column: Column, columns: Mapping[str, str]) -> str:
    """A column as sentences name it, with its name where it is known."""
    if column.at is not None:
        return f"{column_words(column.without_path, columns)}, at {column.at}"
    if column.literal:
        return f'column "{column.name}"'
    return f'column "{columns[column.name]}"' if column.name in columns else f"the {column.name} column"


def _dependencies(line: EvaluatorLine) -> Iterable[str]:
    """The names of the evaluators that one waits for, or is made of, each once."""
    parts = [need.evaluator for need in line.settings.needs() if isinstance(need, Part)]
    yield from dict.fromkeys((*line.needs, *parts))


def _order_items(lines: Sequence[EvaluatorLine]) -> Iterable[Item]:
    """Items on the order of evaluators: one that names those that come first, and one for each other, which names those before it."""
    before: dict[str, list[str]] = {line.name: [] for line in lines}
    for edge in edges(lines):
        if edge.before not in before[edge.after]:
            before[edge.after].append(edge.before)
    free = [line.name for line in lines if not before[line.name]]
    yield Item(f"first: {', '.join(free)}")
    for line in in_dependency_order(lines):
        if before[line.name]:
            yield Item(f"{line.name}, after {', '.join(before[line.name])}")


def _value_at(data: Any, loc: Loc) -> object:
    """The value at a place of the suite's data, followed key by key."""
    for step in loc:
        data = data[step]
    return data
