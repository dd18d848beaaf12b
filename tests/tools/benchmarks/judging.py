"""How many questions and requests a judge gets, over rows whose values come back.

1,000 rows have three texts each, out of few: kinds of goods, colours, and reasons with a wider choice. A server on this machine
counts what it gets. Printed are the differing pairs (what asking place by place would send), and what was sent.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import evaluators
from tests.scoring.judges.chat_server import ChatServer, chat_server

ROWS = 1000
FIELDS = {"kind": 12, "colour": 6, "reason": 200}
"""How many different texts a field has."""


def rows() -> list[dict[str, object]]:
    """The rows, the same ones every time. About half of the texts differ, a third of those in case alone."""
    chance = random.Random(7)
    return [{"id": str(number), **_sides(chance)} for number in range(ROWS)]


def _sides(chance: random.Random) -> dict[str, dict[str, str]]:
    expected = {name: f"{name} {chance.randrange(count)}" for name, count in FIELDS.items()}
    return {"expected": expected, "output": {name: _other(text, chance) for name, text in expected.items()}}


def _other(text: str, chance: random.Random) -> str:
    return chance.choice([text, text, text, text.upper(), f"a {text}", f"the {text}"])


def differing(found: list[dict[str, object]]) -> int:
    """How many pairs are not the very same text."""
    pairs = [(row["expected"], row["output"]) for row in found]
    return sum(
        one[name] != other[name]
        for one, other in pairs
        if isinstance(one, dict) and isinstance(other, dict)
        for name in FIELDS
    )


def measured() -> dict[str, float]:
    """The figures by name."""
    found = rows()
    with tempfile.TemporaryDirectory() as temporary, chat_server() as server:
        folder = Path(temporary)
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
        shared = _run(server, folder, "shared")
        again = _run(server, folder, "shared")
        alone = _run(server, folder, "alone", fields_per_request=1)
    return {
        "differing pairs": differing(found), "questions": shared[0], "requests": shared[1],
        "requests, one question each": alone[1], "requests of a second run": again[1],
    }  # fmt: skip


def _run(server: ChatServer, folder: Path, cache: str, **judge: object) -> tuple[int, int]:
    """Questions and requests that one run sends."""
    before = len(server.questions), len(server.requests)
    settings = {"base_url": server.url, "model": "m", "cache": str(folder / f"{cache}.sqlite"), **judge}
    fields = dict.fromkeys(FIELDS, "semantic")
    suite = evaluators.load(
        {"judge": {"openai_compatible": settings}, "evaluators": [{"json_multi_field_match": {"fields": fields}}]}
    )
    suite.run(folder / "rows.jsonl")
    return len(server.questions) - before[0], len(server.requests) - before[1]


if __name__ == "__main__":
    print(json.dumps(measured()))
