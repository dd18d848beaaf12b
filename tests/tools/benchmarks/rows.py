"""`python -m tests.tools.benchmarks.rows FOLDER --rows 100000`: seeded rows for measurements, as CSV, JSON lines and Parquet.

A row is a shipment as a model read it from a letter. The expected document has twelve fields, one object and two lists
among them, about 650 bytes. The output is that document: as it is in a third of the rows, changed in one to three places
in the others, written in one of three styles; one output in ten stands in a fence with prose around it, one in fifty is
no JSON at all. Half the documents have letters beyond ASCII.

The first rows are the same however many are asked for, and memory does not grow with their number.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from unicodedata import normalize

FORMATS: Final = ("csv", "jsonl", "parquet")
HEADER: Final = ("id", "input", "output", "expected")
GROUP_ROWS: Final = 20_000
"""Rows in a row group of the Parquet file."""

UNCHANGED: Final = 0.35
WRAPPED: Final = 0.10
BROKEN: Final = 0.02

PEOPLE: Final = (
    "Ines Moreau", "Tom Baker", "Ada Berg", "Lucas Lind", "Mona Hale", "Victor Stone", "Nadia Ray", "Paul Ash",
)  # fmt: skip
FOREIGN_PEOPLE: Final = ("Inès Müller", "Tomáš Dvořák", "Åsa Sjöberg", "José Ibáñez", "Günther Weiß", "Zoë Pérez")
TOWNS: Final = ("Hamburg", "Leeds", "Turin", "Ghent", "Denver", "Bergen", "Nice", "Utrecht", "Cork", "Salem")
FOREIGN_TOWNS: Final = ("Köln", "Orléans", "Łódź", "Kraków", "Malmö", "Coruña")
STREETS: Final = ("Harbour Road", "Mill Lane", "Station Street", "Old Market", "Quay West", "Bridge Avenue", "North Gate")
COUNTRIES: Final = ("DE", "GB", "IT", "BE", "US", "NO", "FR", "NL", "IE", "PL", "SE", "ES")
SERVICES: Final = ("standard", "express", "economy", "overnight")
GOODS: Final = ("paper", "lamps", "cotton", "bearings", "ceramic", "tiles", "glass", "coffee", "timber", "spare", "parts")
LABELS: Final = ("fragile", "this side up", "keep dry", "heavy", "cold chain", "customs", "return", "signed for")
BEFORE: Final = ("This is what the letter says:\n\n", "Of course. The shipment as JSON:\n", "Result\n\n", "")
AFTER: Final = ("\n\nTell me if anything is unclear.", "\nEvery field was found.", "", "")

Document = dict[str, Any]


class Row(NamedTuple):
    """One row of a test set, all text."""

    id: str
    input: str
    output: str
    expected: str


def rows(count: int, seed: int = 1) -> Iterator[Row]:
    """The first `count` rows of an endless series."""
    random = Random(seed)
    for number in range(count):
        document = shipment(random, number)
        found = document if random.random() < UNCHANGED else changed(random, document)
        text = delivered(random, written(random, found))
        question = f"Read shipment {number} from the letter."
        yield Row(str(number), question, text, json.dumps(document, ensure_ascii=False))


def shipment(random: Random, number: int) -> Document:
    """An expected document."""
    foreign = random.random()
    parcels = [_parcel(random) for _ in range(random.randint(2, 4))]
    return {
        "shipment_id": f"SH-{number:09d}",
        "sender": random.choice(FOREIGN_PEOPLE if foreign < 0.36 else PEOPLE),
        "contact": f"desk{random.randrange(1_000_000)}@sender.example",
        "shipped_on": f"2025-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
        "service": random.choice(SERVICES),
        "weight_kg": round(random.uniform(1, 900), 2),
        "insured": random.random() < 0.5,
        "surcharge": None if random.random() < 0.5 else round(random.uniform(0, 20), 1),
        "remarks": " ".join(random.choices(GOODS, k=6)),
        "destination": {
            "street": f"{random.choice(STREETS)} {random.randint(1, 300)}",
            "town": random.choice(FOREIGN_TOWNS if 0.24 < foreign < 0.5 else TOWNS),
            "postcode": f"{random.randrange(100_000):05d}",
            "country": random.choice(COUNTRIES),
        },
        "parcels": parcels,
        "labels": random.sample(LABELS, 3),
    }


def _parcel(random: Random) -> Document:
    return {
        "code": f"P{random.choice('KLMNRSTU')}-{random.randrange(10_000):04d}",
        "contents": f"{random.choice(GOODS)} {random.choice(GOODS)}",
        "count": random.randint(1, 9),
        "value": round(random.uniform(1, 200), 2),
    }


def changed(random: Random, document: Document) -> Document:
    """A copy that differs in one to three places."""
    copy = dict(document)
    for change in random.choices(CHANGES, k=random.randint(1, 3)):
        change(random, copy)
    return copy


def _misread_text(random: Random, document: Document) -> None:
    key = random.choice(("sender", "contact", "shipped_on", "service", "remarks", "shipment_id"))
    if key in document:
        document[key] = f"{document[key][:-2]}??"


def _shout_without_accents(random: Random, document: Document) -> None:
    document["sender"] = _plain(document["sender"]).upper()


def _misread_number(random: Random, document: Document) -> None:
    document["weight_kg"] = round(float(document["weight_kg"]) * random.uniform(1, 1.02), 2)


def _plain(text: str) -> str:
    return "".join(letter for letter in normalize("NFD", text) if letter.isascii())


def _number_as_text(random: Random, document: Document) -> None:
    document["weight_kg"] = str(document["weight_kg"])


def _leave_out(random: Random, document: Document) -> None:
    document.pop(random.choice(("surcharge", "remarks", "contact", "insured")), None)


def _invent(random: Random, document: Document) -> None:
    document["certainty"] = round(random.random(), 3)


def _mix_parcels(random: Random, document: Document) -> None:
    document["parcels"] = random.sample(document["parcels"], len(document["parcels"]))


def _lose_parcel(random: Random, document: Document) -> None:
    document["parcels"] = document["parcels"][:-1]


def _misread_place(random: Random, document: Document) -> None:
    place = document["destination"]
    document["destination"] = {**place, "town": _plain(place["town"]).lower(), "postcode": f"{place['postcode'][:-1]}0"}


def _misread_parcel(random: Random, document: Document) -> None:
    *others, last = document["parcels"] or [_parcel(random)]
    document["parcels"] = [*others, {**last, "contents": f"{last['contents']}s", "count": last["count"] + 1}]


CHANGES: Final[tuple[Callable[[Random, Document], None], ...]] = (
    _misread_text, _shout_without_accents, _misread_number, _number_as_text, _leave_out,
    _invent, _mix_parcels, _lose_parcel, _misread_place, _misread_parcel,
)  # fmt: skip


def written(random: Random, document: Document) -> str:
    """The document as text: like the expected one, over several lines, or in ASCII alone."""
    style = random.random()
    if style < 0.70:
        return json.dumps(document, ensure_ascii=False)
    if style < 0.90:
        return json.dumps(document, ensure_ascii=False, indent=2)
    return json.dumps(document)


def delivered(random: Random, text: str) -> str:
    """What the model said: the JSON text, the same between prose, or something broken."""
    luck = random.random()
    if luck < BROKEN:
        return random.choice((_cut_short, _comma_too_many, _wrong_quotes))(random, text)
    if luck < BROKEN + WRAPPED:
        return f"{random.choice(BEFORE)}```json\n{text}\n```{random.choice(AFTER)}"
    return text


def _cut_short(random: Random, text: str) -> str:
    return text[: int(len(text) * random.uniform(0.3, 0.9))]


def _comma_too_many(random: Random, text: str) -> str:
    return f"{text[:-1].rstrip()},}}"


def _wrong_quotes(random: Random, text: str) -> str:
    return text.replace('"', "'")


def write(folder: Path, count: int, formats: Sequence[str] = FORMATS) -> dict[str, Path]:
    """The rows in one file per format, by format."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {format_: folder / f"rows_{count}.{format_}" for format_ in formats}
    for format_, path in paths.items():
        WRITERS[format_](path, rows(count))
    return paths


def _write_csv(path: Path, rows_: Iterator[Row]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        writer.writerows(rows_)


def _write_json_lines(path: Path, rows_: Iterator[Row]) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row._asdict(), ensure_ascii=False)}\n" for row in rows_)


def _write_parquet(path: Path, rows_: Iterator[Row]) -> None:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, pyarrow.string()) for name in HEADER])
    with parquet.ParquetWriter(path, schema, compression="zstd", use_dictionary=False) as writer:
        while group := list(islice(rows_, GROUP_ROWS)):
            columns = [list(column) for column in zip(*group, strict=True)]
            writer.write_table(pyarrow.table(columns, schema=schema))


WRITERS: Final[dict[str, Callable[[Path, Iterator[Row]], None]]] = {
    "csv": _write_csv, "jsonl": _write_json_lines, "parquet": _write_parquet,
}  # fmt: skip


def main() -> None:
    """Writes the files and says where they are."""
    parser = argparse.ArgumentParser(description="Writes rows for measurements.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    given = parser.parse_args()
    for path in write(given.folder, given.rows, given.formats).values():
        print(path)


if __name__ == "__main__":
    main()
