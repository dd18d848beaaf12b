"""From cells to a first suite: what the expected answers are, and which evaluators fit them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.guide.annotated_tasks import bookkeeping_skips, without_bookkeeping
from evaluators.guide.cell_values import NAMES, comparator_of, line_of_values, with_row_counts
from evaluators.guide.column_cells import is_number
from evaluators.guide.document_lines import (
    extra_key_notes,
    inner_answer_notes,
    kind_conflict_notes,
    lines_beside,
    review_notes,
)
from evaluators.guide.field_columns import with_readers_of_outputs
from evaluators.guide.json_in_cells import container_in
from evaluators.guide.json_inside import lines_of_texts, read_inside, text_places
from evaluators.guide.proposal_counts import (
    none_right_message,
    passed_counts,
    shape_of_outputs,
    with_order_asked,
    with_right_counts,
)
from evaluators.guide.sides_in_files import SIDES
from evaluators.guide.suite_text import SuggestedEvaluators, comment, field_lines, literal
from evaluators.guide.text_evaluators import (
    EACH,
    FEW_LABELS,
    SEVERAL,
    SHORT_TEXT,
    case_lines,
    end_of_reasoning,
    evaluators_of_texts,
    final_mark,
    judge_lines,
    notes_on_empty,
)
from evaluators.guide.wrapped_outputs import (
    document_path,
    keys_spelt_otherwise,
    path_text,
    shape_note,
    value_below,
    values_in_objects,
)
from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING
from evaluators.runs.metrics import rows_text
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine, lines_of, nulls_of, shape_of
from evaluators.scoring.needs import Role, expected_document
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.python_lists import python_list, python_value
from evaluators.scoring.values.quoting import flow_text, quote
from evaluators.testsets.columns import folded_name
from evaluators.testsets.naming_key import plain_id

_VALUES: Final = frozenset(name for name, _ in NAMES.values())
_MOSTLY: Final = 0.8
_MOST_GROUPS: Final = 12
_ROWS_A_GROUP: Final = 5
_MOST_SLICES: Final = 4
_FIRST_ROWS: Final = 200
_A_WORD: Final = 3
"""Letters from which on a text rarely stands inside a longer word by chance."""
_LEAST_SCORE: Final = 0.0001


def evaluators_for(
    outputs: Sequence[Any],
    expected: Sequence[Any] | None,
    columns: Mapping[Role, str],
    ask: DefaultAnswers,
    names: Sequence[Any] = (),
) -> SuggestedEvaluators:
    """The evaluators that fit the cells, with notes on them: for lists of right answers, for JSON documents, for numbers, dates or
    addresses, or else for texts. Without expected answers, only the outputs are looked at.

    `columns` are the columns by role, `names` those of the rows, where the documents of both sides are paired by a key that they hold.
    """
    if expected is None:
        return _evaluators_without_answers(outputs, columns)
    texts = [cell for cell in expected if not _is_absent(cell)]
    rows = [
        (value, output)
        for output, cell in zip(outputs, expected, strict=True)
        if not _is_absent(cell) and isinstance(value := expected_document(cell), dict | list)
    ]
    damaged = [cell for cell in expected if isinstance(cell, CellError)]
    empty = len(expected) - len(texts) - len(damaged)
    guard = _guard_lines(empty, columns)
    pairs = [(cell, output) for output, cell in zip(outputs, expected, strict=True) if not _is_absent(cell)]
    if texts and "expected" in columns and _lists_right_answers(pairs):
        made = _evaluator_of_answers(pairs, guard, empty, columns, ask)
    elif texts and len(rows) >= _MOSTLY * len(texts):
        naming = _naming_keys(outputs, expected, names)
        made = _evaluators_of_documents(rows, len(texts), naming, guard, empty, columns, ask)
    else:
        of_values = None if final_mark(pairs) else _evaluator_of_values(pairs, guard, empty, columns, ask)
        made = of_values or evaluators_of_texts(pairs, guard, empty, columns, ask)
    notes = [*made.notes, *_note_on_no_answers([*texts, *damaged], expected), *_note_on_printed(pairs)]
    if not {"fields", "document", "final_answer", *_VALUES} & {*made.gated}:  # those say it themselves
        notes += _note_on_none_right(pairs)
    if "answer" in made.gated:
        notes += _note_on_reasoning(pairs)
    return replace(made, notes=(*notes, *_note_on_damage(damaged)))


def _naming_keys(outputs: Sequence[Any], expected: Sequence[Any], names: Sequence[Any]) -> list[str]:
    """The keys under which each expected document, and each output that is an object, has the name of its own row; none without names."""
    documents = [container_in(cell) for cell in expected]
    first = documents[0] if documents else None
    if not names or not isinstance(first, dict):
        return []
    sides = [
        (document, name)
        for side in (documents, [container_in(cell) for cell in outputs])
        for document, name in zip(side, names, strict=False)
    ]
    named = [(side, plain_id(str(name))) for side, name in sides if isinstance(side, dict)]
    keys = [key for key in first if all(plain_id(str(_value_under(key, side))) == name for side, name in named)]
    return keys if len(keys) < len(first) else []


def _value_under(key: str, document: Mapping[str, Any]) -> Any:
    """The value under a key, or under the same key in another style, `docId` for `doc_id`; None without one."""
    if key in document:
        return document[key]
    return next((value for other, value in document.items() if folded_name(other) == folded_name(key)), None)


def _note_on_reasoning(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The note that outputs hold the reasoning of a model, in which an answer counts, too; none where they hold none."""
    mark = end_of_reasoning([output for _, output in pairs])
    return [f"the outputs hold reasoning up to {mark}, and an answer that is named in it counts, too"] if mark else []


def _note_on_none_right(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The note that none of the first outputs is right, with an example; none where one is, or where there are few rows."""
    looked_at = pairs[:_FIRST_ROWS]
    numbers = {"type": "exact_match", "compare": {"numeric": {"parse": True}}}
    likely: dict[str, dict[str, Any]] = {"text": {"type": "correctness"}, "number": numbers}
    if (
        len(looked_at) < SEVERAL
        or any(answers_in(cell) for cell, _ in looked_at)
        or any(passed_counts(looked_at, likely).values())
    ):
        return []
    return [none_right_message(looked_at)]


def slices_for(cells: Mapping[str, Sequence[Any]], taken: Sequence[str]) -> dict[str, int]:
    """The columns that part the rows into a few groups of some size, each with the number of its groups. Columns in `taken` are left
    out."""
    counts: dict[str, int] = {}
    for name, column in cells.items():
        texts = [cell for cell in column if isinstance(cell, str) and cell.strip()]
        groups = len({*texts})
        small = all(len(text) <= SHORT_TEXT for text in texts)
        enough = 2 <= groups <= _MOST_GROUPS and len(texts) == len(column) >= _ROWS_A_GROUP * groups
        if name not in taken and small and enough and len(counts) < _MOST_SLICES:
            counts[name] = groups
    return counts


def _is_absent(cell: Any) -> bool:
    """Whether a cell of expected answers is empty or could not be read."""
    return cell is None or cell is MISSING or isinstance(cell, CellError) or (isinstance(cell, str) and not cell.strip())


def _guard_lines(empty: int, columns: Mapping[Role, str]) -> list[str]:
    """The lines of an evaluator that skip rows without an expected answer, of which there are `empty`; none where there are no such
    rows."""
    if not empty or "expected" not in columns:
        return []
    has, is_ = ("row has", "is") if empty == 1 else ("rows have", "are")
    why = f"{empty:,} {has} no expected answer, and {is_} skipped"
    return [*comment(why), f"when: {flow_text({'row.' + columns['expected']: {'present': True}})}"]


def _note_on_no_answers(texts: Sequence[Any], expected: Sequence[Any]) -> list[str]:
    """The note on a column of expected answers that is empty in all rows; none where some row has one."""
    return [] if texts or not expected else ["no row has an expected answer, so nothing can be measured"]


def _note_on_printed(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The note on expected answers that are dicts as Python prints them, or lists beside outputs that hold lists: no evaluator reads them
    as JSON. None where most are something else."""
    for kind in (dict, list):
        printed = sum(
            isinstance(cell, str) and isinstance(python_value(cell), kind) and container_in(cell) is None
            for cell, _ in pairs
        )
        beside = kind is dict or 2 * sum(_holds_list(output) for _, output in pairs) >= len(pairs)
        if 2 * printed > len(pairs) and beside:
            message = (
                f"{printed:,} of {len(pairs):,} expected answers are {kind.__name__}s as Python prints them, which is no JSON, so they "
                "are compared as texts; written with json.dumps, every field can be compared"
            )
            return [message]
    return []


def _note_on_damage(damaged: Sequence[CellError]) -> list[str]:
    """The note on how many expected cells cannot be read, and what is wrong with the first of them; none where all can."""
    if not damaged:
        return []
    was, has = ("row was", "has") if len(damaged) == 1 else ("rows were", "have")
    issue = damaged[0].issue
    hint = f" ({issue.hint})" if issue.hint else ""
    return [f"{len(damaged):,} {was} not looked at and {has} no score: {issue.message}{hint}"]


def _evaluators_of_documents(
    rows: Sequence[tuple[Any, Any]],
    count: int,
    naming: Sequence[str],
    guard: list[str],
    empty: int,
    columns: Mapping[Role, str],
    ask: DefaultAnswers,
) -> SuggestedEvaluators:
    """The evaluators for rows of an expected document and an output cell: one for JSON at all, and one with a line for each field. Lines
    and notes say how the outputs differ in shape from the documents.

    `count` is the number of expected answers, of which some may be no documents; the keys `naming` pair the two sides, and are not
    compared; `guard` are further lines of the evaluator; `empty` counts the rows without an answer; `columns` are the columns by role.
    """
    texts = text_places(rows)
    if texts:
        rows = [(read_inside(document, texts), read_inside(container_in(output), texts)) for document, output in rows]
    documents = [document for document, _ in rows]
    root = shape_of(documents)
    unread = count - len(documents)
    notes = notes_on_empty(empty, guard)
    if unread:
        notes.append(
            f"{unread:,} of {count:,} expected answers hold no JSON object or list: their rows cannot be scored; "
            "`evaluators check --with-data` names them"
        )
    text = f"JSON {'lists' if root.kinds == ('lists',) else 'objects'} in {len(documents):,} of {count:,} rows"
    presence = [
        *comment("Is there JSON in the output at all? It may be in a code fence or between sentences."),
        "- contains_json",
        "",
    ]
    wrapped = document_path([output for _, output in rows], documents)
    if wrapped:
        at = path_text(wrapped)
        guard = [*guard, *comment(f"In the outputs, the document stands below {at}."), f"output_at: {literal(at)}"]
        notes.append(f'the outputs hold the document below "{at}", so that is compared: `output_at: {at}`')
        rows = [(document, value_below(output, wrapped)) for document, output in rows]
    lines = lines_of(root, ask, [columns[role] for role in SIDES if role in columns])
    spelling = keys_spelt_otherwise(rows, lines)
    if spelling is not None:
        guard = [*guard, f"keys: {flow_text(spelling.setting)}"]
        notes.append(spelling.note)
        rows = spelling.respelt_rows(rows, lines)
    in_objects, object_lines = values_in_objects(rows), list[SuggestedLine]()
    if in_objects is not None:
        if spelling is not None:  # a confidence is read in the spelling of the output
            in_objects = replace(in_objects, confidence=None)
        guard = [*guard, f"transforms: [{flow_text(in_objects.transform)}]"]
        notes.append(in_objects.note)
        object_lines = in_objects.lines_of_objects(root, shape_of_outputs([output for _, output in rows]))
        rows = in_objects.rows_of_values(rows, [*object_lines, *lines])
    cells = [output for _, output in rows]
    lines = without_bookkeeping(with_readers_of_outputs(lines, rows), documents, cells)
    outputs = shape_of_outputs(cells)
    lines = [
        replace(line, compare="skip", why="the documents are paired by it, so it cannot be wrong")
        if line.path in naming
        else line
        for line in lines_beside(lines, root, outputs)
    ]
    notes += [f"not compared: {line.written}: {line.why}" for line in lines if line.compare == "skip"]
    notes += [*kind_conflict_notes(lines, root, outputs), *inner_answer_notes(lines, root, outputs)]
    if len(root.kinds) != 1 or [line.path for line in lines] in ([], ["$"]):  # of several kinds, or with nothing in them
        why = "The whole of both documents, leaf by leaf: what they have in common is not enough to list fields."
        whole = ["- name: document", "  type: json_diff_match", *(f"  {line}" for line in guard)]
        return SuggestedEvaluators((*presence, *comment(why), *whole), ("document",), text, tuple(notes))
    items = ", items of lists included" if any("[*]" in line.path for line in lines) else ""
    why = (
        f"Every field of the expected answers{items}. The score of a row is its F1: it falls with fields that are wrong, "
        "missing or extra."
    )
    meaning = nulls_of(root, ask)
    if meaning is not None:
        guard = [*guard, *comment(meaning.why), f"nulls: {meaning.word}"]
        if meaning.word == "absent":  # what is nothing in every row is measured in no row
            lines = [
                replace(line, compare={"compare": line.compare, "optional": True}) if line.null else line
                for line in lines
            ]
    settings = {"nulls": meaning.word} if meaning is not None else {}
    lines = with_right_counts(with_order_asked(lines, rows, ask), rows, settings, ask)
    notes += _note_on_nothing_right(lines, rows, settings)
    lines += [*lines_of_texts(texts), *bookkeeping_skips(documents, cells)]
    notes += [f"to review: {line.written}: {line.why}" for line in lines if line.several]
    notes += review_notes(lines)
    notes += extra_key_notes(root, outputs)
    lines = [*object_lines, *map(in_objects.line_for_outputs, lines)] if in_objects is not None else lines
    listed = field_lines(lines, guard)
    return SuggestedEvaluators((*presence, *comment(why), *listed), ("contains_json", "fields"), text, tuple(notes))


def _note_on_nothing_right(
    lines: Sequence[SuggestedLine], rows: Sequence[tuple[Any, Any]], settings: Mapping[str, Any]
) -> list[str]:
    """The note on why no value of the first rows is right: outputs have another shape, or the first pair as it looks; else no note.

    A line that knows a looser comparator (`instead`) says it itself, for with that some values are right.
    """
    apart = shape_note(rows)
    if apart is not None or not rows:
        return [apart] if apart is not None else []
    looked_at = rows[:_FIRST_ROWS]
    fields = {line.path: line.compare for line in lines}
    any_right = {"type": "schema_match", "fields": fields, "pass_at": _LEAST_SCORE, **settings}
    if any(line.instead for line in lines) or passed_counts(looked_at, {"any_right": any_right})["any_right"]:
        return []
    document, output = (quote(container_in(side) or side, 100) for side in looked_at[0])
    message = (
        f"no value is right in the first {rows_text(len(looked_at))}, so outputs may say it in another form: "
        f"the first expects {document}, and its output is {output}"
    )
    return [message]


def _lists_right_answers(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether most expected cells list right answers: they hold lists of texts, and most outputs hold no list or object."""
    expected_lists = sum(bool(answers_in(cell)) for cell, _ in pairs)
    output_lists = sum(_holds_list(output) for _, output in pairs)
    return expected_lists >= _MOSTLY * len(pairs) and 2 * output_lists < len(pairs)


def _holds_list(cell: Any) -> bool:
    """Whether a cell holds a JSON list or object, or a list as Python prints it."""
    return container_in(cell) is not None or (isinstance(cell, str) and python_list(cell) is not None)


def answers_in(cell: Any) -> list[str]:
    """The right answers in a cell with a list of texts, as JSON or as Python prints it; none in any other cell."""
    value: Any = python_list(cell) if isinstance(cell, str) else cell
    if value is None and isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            value = parse(cell)
        except NotJSON:
            return []
    all_texts = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    return value if all_texts else []


def _evaluator_of_answers(
    pairs: Sequence[tuple[Any, Any]], guard: list[str], empty: int, columns: Mapping[Role, str], ask: DefaultAnswers
) -> SuggestedEvaluators:
    """The evaluator for expected cells that list several right answers, one of which the output names, with notes on the lists."""
    line: dict[str, Any] = {"type": "contains_any", "substrings": {"column": columns["expected"]}}
    if any(len(answer) < _A_WORD or is_number(answer) for cell, _ in pairs for answer in answers_in(cell)):
        line["whole_words"] = True
    scored = {**line, "substrings": {"column": "expected"}}
    right = passed_counts(pairs, {"answer": scored, "case": {**scored, "case_sensitive": False}})
    why = f"Each expected cell lists right answers, and the output names one of them; right in {right['answer']:,} of {len(pairs):,} rows."
    lines = [*comment(why), "- contains_any:", "    name: answer", f"    substrings: {literal(line['substrings'])}"]
    lines += ["    whole_words: true"] if "whole_words" in line else []
    lines += [f"    {guard_line}" for guard_line in guard]
    lines += case_lines("answers", right["case"] - right["answer"], "case_sensitive: false", ask)
    return SuggestedEvaluators(
        tuple(lines), ("answer",), "lists of right answers", (*notes_on_empty(empty, guard), *_note_on_votes(pairs))
    )


def _note_on_votes(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The note on lists that name an answer more than once, or that have a few labels again and again, as the labels of several people do;
    none for other lists."""
    lists = [answers_in(cell) for cell, _ in pairs]
    several = [
        Counter(answers)
        for answers in lists
        if len({*map(str.casefold, answers)}) > 1 or len({*answers}) == 1 < len(answers)
    ]
    repeated = sum(max(counts.values()) > 1 for counts in several)
    labels = sum(several, Counter[str]())
    few = len(labels) <= FEW_LABELS and EACH * len(labels) <= labels.total()
    if not several or (2 * repeated < len(several) and not few):
        return []
    tied = sum(2 * max(counts.values()) <= counts.total() for counts in several)
    said = "name an answer more than once" if 2 * repeated >= len(several) else "have a few labels again and again"
    count = repeated if 2 * repeated >= len(several) else len(several)
    none = f"; in {tied:,} no answer is that of most" if tied else ""
    message = (
        f"{count:,} of {len(lists):,} lists {said}, as labels of several people do: any of them counts as right, also where most people "
        f"said another{none}"
    )
    return [message]


def _evaluator_of_values(
    pairs: Sequence[tuple[Any, Any]], guard: list[str], empty: int, columns: Mapping[Role, str], ask: DefaultAnswers
) -> SuggestedEvaluators | None:
    """The evaluator for cells that hold numbers, dates or addresses; None for others."""
    line = (
        line_of_values([cell for cell, _ in pairs], columns.get("expected", "the expected answer"), ask)
        if pairs
        else None
    )
    if line is None:
        return None
    line, looser = with_row_counts(line, pairs, ask)
    name, what = NAMES[comparator_of(line)]
    lines = [*comment(f"The expected answers are {what}: {line.why}."), "- exact_match:"]
    lines += [f"    name: {name}", *(f"    {line_text}" for line_text in guard), f"    compare: {literal(line.compare)}"]
    if looser is not None:
        lines += [*comment(looser[0], "    "), f"    # compare: {literal(looser[1])}"]
    notes = [*notes_on_empty(empty, guard), *([f"to review: {line.why}"] if line.several else ())]
    looked_at = pairs[:_FIRST_ROWS]
    if len(pairs) >= SEVERAL and not any(
        passed_counts(looked_at, {name: {"type": "exact_match", "compare": line.compare}}).values()
    ):
        notes.append(none_right_message(looked_at))
    return SuggestedEvaluators(tuple(lines), (name,), what, tuple(notes))


def _evaluators_without_answers(outputs: Sequence[Any], columns: Mapping[Role, str]) -> SuggestedEvaluators:
    """Evaluators that need no expected answers: whether there is JSON, where most outputs hold some; else whether there is an output,
    and a judge."""
    given = [cell for cell in outputs if not _is_absent(cell)]
    if given and sum(container_in(cell) is not None for cell in given) >= _MOSTLY * len(given):
        lines = [
            *comment("No column holds expected answers, so nothing can be compared. Is there JSON in the output?"),
            "- contains_json", "",
            *comment("Is the output JSON and nothing else?"),
            "- format_valid: {name: json_alone, format: json}",
        ]  # fmt: skip
        return SuggestedEvaluators(tuple(lines), ("contains_json",))
    lines = [
        *comment(
            "No column holds expected answers, so nothing can be compared. Is there an output at all, in so many characters?"
        ),
        "- length: {name: not_empty, min: 1}",
    ]
    seen: list[Role] = ["input"] if "input" in columns else []
    judge = judge_lines(f"Is the output {'a good answer to the input' if seen else 'clear'}?", seen, ())
    return SuggestedEvaluators((*lines, *judge), ("not_empty",), judged=True)
