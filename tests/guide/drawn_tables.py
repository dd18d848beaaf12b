"""Tables as people have them, drawn: what columns hold what, under usual, worded and foreign names, between columns that are neither
output nor expected answer. Each knows which column is what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.roles import choose_roles
from evaluators.model.issues import Problems, problem
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, InitQuestion
from evaluators.scoring.needs import Role

_LABELS: Final = (
    ("spam", "ham"),
    ("positive", "negative", "neutral"),
    ("billing", "shipping", "refund", "other"),
    ("A", "B", "C", "D"),
)
_PLACES: Final = (
    "Oslo",
    "Rome",
    "Lima",
    "Cairo",
    "Quito",
    "Bern",
    "Dakar",
    "Hanoi",
    "Sofia",
    "Tunis",
    "Malmö",
    "New York",
)
_SUBJECTS: Final = (
    "the committee",
    "a customer",
    "the train",
    "our report",
    "the new law",
    "every student",
    "the old bridge",
    "a small team",
)
_DEEDS: Final = ("arrived late", "was accepted without changes", "asks for a refund of the second order", "was closed in winter",
                 "found three mistakes", "needs another week", "opened the doors again", "will be heard on Monday")  # fmt: skip
_OUTPUTS: Final = ("output", "prediction", "model_output", "response", "Predicted", "actual_output", "model answer", "LLM response",
                   "generated_text", "bot_reply", "AI answer", "pred", "y_pred", "model_prediction", "extracted", "Predicted Label",
                   "gpt-4o", "claude_response", "completion", "system output")  # fmt: skip
_EXPECTED: Final = ("expected", "ground_truth", "gold", "reference", "expected_output", "correct_answer", "Golden answer", "target",
                    "true_label", "human label", "groundtruth", "y_true", "ideal_response", "label", "Reference Answer", "truth",
                    "solution", "answer", "expected answer")  # fmt: skip
_FOREIGN: Final = (
    "column 3",
    "resultado",
    "A",
    "wynik",
    "v2",
    "valeur",
    "was gesagt wurde",
    "Spalte B",
    "x",
    "run of Tuesday",
)

Cells = list[Any]


class DrawnTable(Struct, frozen=True):
    """A table, and which of its columns holds outputs and expected answers; None where none does."""

    cells: Mapping[str, Cells]
    output: str | None
    expected: str | None
    ids: frozenset[str]
    inputs: frozenset[str]


def _sentence(random: Random) -> str:
    return (
        f"{random.choice(_SUBJECTS)} {random.choice(_DEEDS)} and {random.choice(_SUBJECTS)} {random.choice(_DEEDS)}".capitalize()
        + "."
    )


def _labels(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    of = random.choice(_LABELS)
    case = random.choice((str, str, str.title, str.upper))
    return [random.choice(of) for _ in range(rows)], lambda right: case(random.choice(of))


def _booleans(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    of = random.choice((("True", "False"), ("yes", "no"), (True, False)))
    return [random.choice(of) for _ in range(rows)], lambda right: random.choice(of)


def _short(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    return [random.choice(_PLACES) for _ in range(rows)], lambda right: random.choice(
        (f"{right} city", random.choice(_PLACES))
    )


def _numbers(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    return [f"{random.uniform(0, 900):.2f}" for _ in range(rows)], lambda right: f"{random.uniform(0, 900):.2f}"


def _texts(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    def other(right: Any) -> str:
        words = str(right).split()
        return " ".join(word for word in words if random.random() < 0.6) or _sentence(random)

    return [_sentence(random) for _ in range(rows)], other


def _documents(random: Random, rows: int) -> tuple[Cells, Callable[[Any], Any]]:
    def one() -> str:
        return f'{{"place": "{random.choice(_PLACES)}", "total": {random.randint(1, 99)}}}'

    fence = random.choice(("{}", "```json\n{}\n```", "Here it is: {}"))
    return [one() for _ in range(rows)], lambda right: fence.replace("{}", one())


_KINDS: Final = (_labels, _labels, _booleans, _short, _numbers, _texts, _documents)


def _distracting(random: Random, rows: int, expected: Cells, output: Cells) -> dict[str, Cells]:
    """Columns that are neither output nor expected answer: a handful out of all kinds."""

    def several(*of: str) -> Cells:
        return [random.choice(of) for _ in range(rows)]

    right = [str(a).casefold() == str(b).casefold() for a, b in zip(output, expected, strict=True)]
    name = random.choice
    offered: list[tuple[str, Callable[[], Cells]]] = [
        (name(("doc_id", "conversation_id", "right_id", "gold_id", "response_id")), lambda: [f"x{random.randint(1, 999)}" for _ in range(rows)]),  # noqa: E501
        (name(("is_correct", "correct", "ok", "passed", "label_ok", "human_verdict")), lambda: [str(one) for one in right]),
        (name(("escalate_to_human", "flagged", "model_refused", "reviewed by human")), lambda: several("True", "False")),
        (name(("score", "judge_score", "human_score", "bleu", "model_confidence")), lambda: [f"{random.random():.2f}" for _ in range(rows)]),  # noqa: E501
        (name(("model", "Model Tested", "model_name", "llm", "LLM version", "provider")), lambda: several("GPT-4", "claude-3")),
        (name(("run", "experiment", "run_id", "split")), lambda: several("r1", "r2")),
        (name(("explanation", "model_reasoning", "reason", "judge_comment", "expected_explanation")),
         lambda: [f"{wanted}, because {_sentence(random)}" for wanted in expected]),
        (name(("timestamp", "created_at", "generated_at", "date")), lambda: [f"2026-01-{n % 27 + 1:02} 10:{n % 60:02}:00" for n in range(rows)]),  # noqa: E501
        (name(("question", "input", "prompt", "text", "user message")), lambda: [f"What of {_sentence(random)}" for _ in range(rows)]),
        (name(("context", "scenario", "source", "passage")), lambda: [f"{_sentence(random)} {wanted}" for wanted in expected]),
        (name(("language", "Target language", "topic", "category")), lambda: several("en", "de", "fr")),
        (name(("latency_ms", "tokens", "cost_usd")), lambda: [str(random.randint(10, 900)) for _ in range(rows)]),
        (name(("annotator", "labeled by", "human annotator")), lambda: several("ann1", "ann2")),
    ]  # fmt: skip
    return {column: make() for column, make in random.sample(offered, random.randint(0, 8))}


_NAMES_SOMETHING: Final = frozenset(["doc_id", "conversation_id", "right_id", "gold_id", "response_id", "run_id"])
_INPUTS: Final = frozenset(
    ["question", "input", "prompt", "text", "user message", "context", "scenario", "source", "passage"]
)


def drawn_table(seed: int) -> DrawnTable:
    """A table of two to thirty rows. One in twelve has no outputs, one in twelve no expected answers."""
    random = Random(seed)
    rows = random.randint(2, 30)
    expected, wrong = random.choice(_KINDS)(random, rows)
    share = random.choice((0.3, 0.6, 0.8, 0.95))
    output = [right if random.random() < share else wrong(right) for right in expected]
    given, wanted = random.choice(_OUTPUTS), random.choice(_EXPECTED)
    renamed = random.random()
    if renamed < 0.12:  # nobody could know which is which where both are renamed
        given = random.choice(_FOREIGN)
    elif renamed < 0.24:
        wanted = random.choice(_FOREIGN)
    elif renamed < 0.28:
        given, wanted = random.sample(_FOREIGN, 2)
    columns = _distracting(random, rows, expected, output)
    ids = random.choice((None, "id", "case_id", "ID", "row no"))
    columns |= {given: output, wanted: expected} | ({ids: [f"r{n}" for n in range(rows)]} if ids else {})
    left_out = random.randrange(12)
    without = {0: given, 1: wanted}.get(left_out)
    names = [name for name in columns if name != without]
    random.shuffle(names)
    return DrawnTable(
        {name: columns[name] for name in names},
        None if without == given else given,
        None if without == wanted else wanted,
        frozenset(name for name in names if len({*map(str, columns[name])}) == rows and name in {ids, *_NAMES_SOMETHING}),
        _INPUTS & {*names},
    )


class Outcome(Struct, frozen=True):
    """What became of a table: the roles, and how many questions it took; or why there is no suite."""

    chosen: ChosenColumns | None
    asked: tuple[InitQuestion, ...]
    why: str = ""


def outcome(table: DrawnTable, most: int) -> Outcome:
    """The columns that are chosen when up to so many questions are answered rightly, as on a terminal. The next one ends it."""
    asked: list[InitQuestion] = []

    def ask(question: InitQuestion) -> str:
        if not question.role:
            return question.answers[0]
        asked.append(question)
        if len(asked) > most:
            raise problem("undecided-column", question.text)
        right = table.output if question.role == "output" else table.expected
        return right if right in question.answers and right is not None else NONE_OF_THEM

    given: dict[Role, str] = {}
    try:
        chosen = choose_roles(list(table.cells), table.cells, given, (), ask)
    except Problems as problems:
        return Outcome(None, tuple(asked), problems.issues[0].message)
    why = "" if chosen.has_output else "no column looks like the model's output"
    return Outcome(chosen if chosen.has_output else None, tuple(asked), why)


def verdict(table: DrawnTable, found: Outcome) -> str:
    """`right`, `refused`, `told` where an expected answer is not taken, and named as a column that may be it, or what is wrong."""
    if found.chosen is None:
        return "right" if table.output is None else "refused"
    columns = found.chosen.columns
    output = found.chosen.models or columns.get("output")
    if output != table.output:
        return f"output is {output}"
    if columns.get("expected") != table.expected:
        return "told" if table.expected in found.chosen.left else f"expected is {columns.get('expected')}"
    if columns.get("id") not in (None, *table.ids):
        return f"id is {columns.get('id')}"
    return "right" if columns.get("input") in (None, *table.inputs) else f"input is {columns.get('input')}"
