"""The goals, one function each: what is run, and which bar its figures are held to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from tests.tools.benchmarks import promptfoo, suites
from tests.tools.benchmarks.measure import Command, Took, alternate, one_core

GOALS: dict[str, Callable[[Bench], Iterator[Finding]]] = {}
INSIDE: Final = (sys.executable, "-m", "tests.tools.benchmarks.inside")


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure beside its bar."""

    what: str
    figure: float
    unit: str
    bar: float | None = None
    wanted: Literal["at most", "at least"] = "at most"
    told: str = ""
    """What the figure is made of."""

    @property
    def met(self) -> bool:
        """Whether the figure keeps to its bar."""
        if self.bar is None:
            return True
        return self.figure <= self.bar if self.wanted == "at most" else self.figure >= self.bar

    def __str__(self) -> str:
        judged = "" if self.bar is None else f"   {self.wanted} {self.bar:g}: {'met' if self.met else 'MISSED'}"
        told = f"   ({self.told})" if self.told else ""
        return f"{self.what:<58} {self.figure:>9.2f} {self.unit}{judged}{told}"


@dataclass(frozen=True)
class Bench:
    """What there is to measure with."""

    folder: Path
    rows: int
    repeats: int
    agenta: str | None = None
    """A Python that has the package agenta."""
    promptfoo: str | None = None
    """The program promptfoo."""

    @cached_property
    def suites(self) -> dict[str, Path]:
        """The suites, by name."""
        return suites.write(self.folder)

    def file(self, format_: str, rows: int | None = None) -> Path:
        """A file with rows, written when it is not there."""
        count = self.rows if rows is None else rows
        path = self.folder / f"rows_{count}.{format_}"
        if not path.exists():
            options = ["--rows", str(count), "--formats", format_]
            # in a process of its own: what this one holds counts as memory of those it starts
            subprocess.run(
                [sys.executable, "-m", "tests.tools.benchmarks.rows", self.folder, *options],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        return path

    def floor(self, format_: str, rows: int | None = None) -> Command:
        """The command that reads and parses, and no more."""
        return sys.executable, "-m", "tests.tools.benchmarks.floor", str(self.file(format_, rows))

    def product(self, suite: str, format_: str, *options: str, rows: int | None = None, stored: bool = True) -> Command:
        """The command that scores."""
        results = (
            ("--results", str(self.folder / "runs"), "--name", "measured", "--force") if stored else ("--no-results",)
        )
        file = str(self.file(format_, rows))
        return sys.executable, "-m", "evaluators", "run", str(self.suites[suite]), file, "--quiet", *results, *options

    def stored_bytes(self, name: str = "measured") -> int:
        """The size of the rows that were stored last under the name."""
        return (self.folder / "runs" / name / "run.db").stat().st_size


def goal(name: str) -> Callable[[Callable[[Bench], Iterator[Finding]]], Callable[[Bench], Iterator[Finding]]]:
    """Makes a function the measurement of a goal."""

    def added(function: Callable[[Bench], Iterator[Finding]]) -> Callable[[Bench], Iterator[Finding]]:
        GOALS[name] = function
        return function

    return added


def ratios(what: str, bar: float | None, product: Took, floor: Took) -> Iterator[Finding]:
    """Processor seconds of the product over the floor's; on a quiet core the clock says the same."""
    told = f"{product.processor:.2f} s over {floor.processor:.2f} s"
    yield Finding(what, product.processor / floor.processor, "× floor", bar, told=told)
    told = f"{product.seconds:.2f} s over {floor.seconds:.2f} s"
    yield Finding("   the same on the clock", product.seconds / floor.seconds, "× floor", told=told)


def against_floor(bench: Bench, suite: str, format_: str, stored: bool = True) -> tuple[Took, Took]:
    """(product, floor), in turns on one core."""
    product = bench.product(suite, format_, stored=stored)
    with one_core():
        best = alternate({"floor": bench.floor(format_), "product": product}, bench.repeats)
    return best["product"], best["floor"]


@goal("P1")
def many_fields(bench: Bench) -> Iterator[Finding]:
    """Twelve fields, results of every row stored."""
    yield from ratios("12 mixed paths, JSON lines, rows stored", 1.7, *against_floor(bench, "fields", "jsonl"))


MANY: Final = 1_000_000
"""From so many rows on, start-up counts for little, and bars are lower."""


@goal("P2")
def five_evaluators(bench: Bench) -> Iterator[Finding]:
    """Five evaluators in one pass, results of every row stored, and nothing stored."""
    bar = 2.6 if bench.rows >= MANY else 3.0
    yield from ratios("five evaluators, JSON lines, rows stored", bar, *against_floor(bench, "five", "jsonl"))
    took = against_floor(bench, "five", "jsonl", stored=False)
    yield from ratios("five evaluators, JSON lines, nothing stored", 2.4, *took)


@goal("P3")
def with_a_schema(bench: Bench) -> Iterator[Finding]:
    """The five evaluators and every field by a schema, the list aligned by its key; results of every row stored."""
    bar = 4.0 if bench.rows >= MANY else 5.0
    yield from ratios("five evaluators and a schema, rows stored", bar, *against_floor(bench, "six", "jsonl"))


@goal("P4")
def two_cheap_evaluators(bench: Bench) -> Iterator[Finding]:
    """exact_match and contains_json alone, nothing stored: no hidden cost per row."""
    took = against_floor(bench, "exact", "jsonl", stored=False)
    yield from ratios("exact_match and contains_json, nothing stored", 1.2, *took)


@goal("P6")
def other_formats(bench: Bench) -> Iterator[Finding]:
    """Five evaluators on CSV and on Parquet, each against its own floor."""
    for format_ in ("csv", "parquet"):
        yield from ratios(f"five evaluators, {format_}, rows stored", 3.0, *against_floor(bench, "five", format_))


@goal("P7")
def two_processes(bench: Bench) -> Iterator[Finding]:
    """Two worker processes against one process, on two cores."""
    for suite in ("fields", "five"):
        commands = {
            "one": bench.product(suite, "jsonl"),
            "two": bench.product(suite, "jsonl", "--workers", "2"),
        }
        best = alternate(commands, bench.repeats)
        one, two = best["one"].seconds, best["two"].seconds
        bar, told = 1.85 if bench.rows >= MANY else 1.5, f"{one:.2f} s, {two:.2f} s"
        yield Finding(f"{suite}: two processes against one", one / two, "×", bar, "at least", told)
        more = best["two"].processor / best["one"].processor
        yield Finding("   processor time of two processes against one", more, "×")


@goal("P8")
def against_handlers(bench: Bench) -> Iterator[Finding]:
    """Agenta's handlers, without their tracing, on the same rows; needs a Python that has the package agenta."""
    for work, bar in (("dots", 3.0), ("fields", 18.0), ("diff", 3.5)):
        ours = (*INSIDE, work, str(bench.file("jsonl", 10_000)))
        if bench.agenta is None:
            yield Finding(f"{work}: ours", _least(ours, bench.repeats), "µs per row")
            continue
        theirs = (bench.agenta, "-m", "tests.tools.benchmarks.agenta_handlers", work, str(bench.file("jsonl", 10_000)))
        with one_core():
            pairs = [(_figure(ours), _figure(theirs)) for _ in range(bench.repeats)]
        us, them = min(one for one, _ in pairs), min(one for _, one in pairs)
        yield Finding(
            f"{work}: Agenta's handler against ours", them / us, "×", bar, "at least", f"{them:.1f} µs, {us:.1f} µs"
        )


SCORED: Final = {"ordered": 2.3, "key": 2.3, "hungarian": 3.45}
"""A sixth of what struct-extract-eval was measured to take on such rows (78 µs over a floor of 5.65), and a tenth where
lists are paired freely (195 µs)."""


@goal("P9")
def by_schema(bench: Bench) -> Iterator[Finding]:
    """Every field of a document by a schema, parsing set aside, against reading a row and parsing its documents."""
    for align, bar in SCORED.items():
        command = (*INSIDE, f"schema_{align}", str(bench.file("jsonl", 20_000)))
        told = _told(command, bench.repeats)
        yield Finding(f"scored by a schema, {align}", told["scoring over the floor"], "× floor", bar)
    for schema, milliseconds in _told((*INSIDE, "extract_bench"), bench.repeats).items():
        yield Finding(f"a document of ExtractBench, {schema}", milliseconds, "ms")


@goal("P10")
def against_promptfoo(bench: Bench) -> Iterator[Finding]:
    """promptfoo's whole process against ours with the default run folder: JSON there, equality, twelve paths compared.

    `--promptfoo` names its program, as in `npm install promptfoo@0.121.20` and `node_modules/.bin/promptfoo`.
    """
    for rows, bar in ((1_000, 30), (10_000, 60)):
        ours = bench.product("three", "csv", rows=rows)
        if bench.promptfoo is None:
            yield Finding(f"{rows:,} CSV rows: ours", alternate({"ours": ours}, bench.repeats)["ours"].seconds, "s")
            continue
        theirs = promptfoo.command(bench.promptfoo, bench.folder, bench.file("csv", rows))
        best = alternate({"ours": ours, "theirs": theirs}, min(2, bench.repeats))
        told = f"{best['theirs'].seconds:.1f} s, {best['ours'].seconds:.2f} s"
        yield Finding(
            f"{rows:,} CSV rows: promptfoo against ours", best["theirs"].seconds / best["ours"].seconds, "×", bar,
            "at least", told,
        )  # fmt: skip


@goal("P11")
def memory(bench: Bench) -> Iterator[Finding]:
    """The most memory that a process holds, and that it does not grow with the file."""
    small, large = bench.rows, 10 * bench.rows
    took = alternate({"plain": bench.product("five", "jsonl", stored=False)}, 1)
    yield Finding(f"{small:,} JSON lines, nothing stored", took["plain"].memory, "MB", 60)
    took = alternate({"lines": bench.product("five", "jsonl", "--formats", "rows,codes")}, 1)
    yield Finding(f"{small:,} JSON lines, rows also as JSON lines", took["lines"].memory, "MB", 60)
    for format_ in ("jsonl", "csv", "parquet"):
        took = alternate({"stored": bench.product("five", format_)}, 1)
        yield Finding(f"{small:,} rows of {format_}, rows stored", took["stored"].memory, "MB", 160)
        if format_ == "jsonl":
            more = alternate({"stored": bench.product("five", format_, rows=large)}, 1)["stored"].memory
            growth = more - took["stored"].memory
            yield Finding(f"{large:,} rows of {format_}, rows stored", more, "MB", 160)
            yield Finding("   more than with a tenth of the rows", growth, "MB", 20)


HELLO: Final = """
import click
@click.group()
def cli(): "Say hello."
@cli.command()
def hello(): "Say it."
cli()
"""
HEAVY: Final = ("deepdiff", "scipy", "pyarrow", "numpy", "rich")


@goal("P12")
def starting(bench: Bench) -> Iterator[Finding]:
    """The time before anything happens."""
    helped = (sys.executable, "-m", "evaluators", "--help")
    stored = bench.product("five", "jsonl", rows=100)
    little = bench.product("five", "jsonl", rows=100, stored=False)
    commands = {
        "click": (sys.executable, "-c", HELLO, "--help"),
        "help": helped,
        "imports": (sys.executable, "-c", "import click, yaml; from pydantic import BaseModel"),
        "stored": stored,
        "run": little,
    }
    with one_core():
        best = alternate(commands, 3 * bench.repeats)
    click, shown, imports, kept, ran = (best[name].processor * 1000 for name in commands)
    yield Finding("--help against a small click program", shown / click, "×", 1.4, told=f"{shown:.0f} ms, {click:.0f} ms")
    for what, took, bar in (("run folder written", kept, 2.3), ("nothing stored", ran, 2.0)):
        told = f"{took:.0f} ms, {imports:.0f} ms"
        yield Finding(f"100 rows, {what}, against imports", took / imports, "×", bar, told=told)
    for name, command in (("--help", helped), ("100 rows", stored)):
        found = _imported(command) & set(HEAVY)
        yield Finding(f"{name}: heavy packages imported", len(found), "", 0, told=", ".join(sorted(found)))


def _imported(command: Command) -> set[str]:
    python, *rest = command
    done = subprocess.run([python, "-X", "importtime", *rest], capture_output=True, text=True, check=False)
    return set(re.findall(r"\|\s+(\w+)\s*$", done.stderr, re.MULTILINE))


PAIRED: Final = {"200 texts": 5, "200 numbers": 5, "1000 texts": 60, "1000 numbers": 60, "20 items of 20 items": 500}


@goal("P13")
def pairing(bench: Bench) -> Iterator[Finding]:
    """The best pairing of the items of two lists, however long they are."""
    for what, figure in _told((sys.executable, "-m", "tests.tools.benchmarks.pairing"), bench.repeats).items():
        yield Finding(f"paired: {what}", figure, "ms", PAIRED.get(what))


@goal("P14")
def large_documents(bench: Bench) -> Iterator[Finding]:
    """The diff of two documents of 1 MB."""
    for what, figure in _told((*INSIDE, "large"), bench.repeats).items():
        yield Finding(f"diff of 1 MB documents, {what}", figure, "× parsing both", 4.0)


@goal("P15")
def hostile_outputs(bench: Bench) -> Iterator[Finding]:
    """Outputs made to be slow: twice the length takes hardly more than twice the time."""
    for what, figure in _told((*INSIDE, "hostile"), bench.repeats).items():
        yield Finding(f"twice as long: {what}", figure, "×", 2.3)


@goal("P18")
def stored_rows(bench: Bench) -> Iterator[Finding]:
    """What it costs to keep a line for every row."""
    for suite in ("fields", "five"):
        commands = {
            "floor": bench.floor("jsonl"),
            "without": bench.product(suite, "jsonl", stored=False),
            "with": bench.product(suite, "jsonl"),
        }
        with one_core():
            best = alternate(commands, bench.repeats)
        size = bench.stored_bytes() / bench.rows
        extra = best["with"].processor - best["without"].processor
        yield Finding(f"{suite}: bytes stored per row", size, "B", 53)
        told = f"{extra / bench.rows * 1e6:.2f} µs per row, evidence included"
        yield Finding(f"{suite}: extra time", extra / best["floor"].processor, "× floor", 0.5, told=told)


@goal("P19")
def different_cells(bench: Bench) -> Iterator[Finding]:
    """Expected texts and latencies that no two rows share, against ten of each."""
    suite, commands = bench.folder / "cells.yaml", dict[str, Command]()
    suite.write_text("evaluators: [exact_match]\nmeasures: {latency: row.latency}\n", encoding="utf-8")
    for name, most in (("ten", 10), ("different", bench.rows)):
        lines = (f"{row},a,text {row % most} here,0.{row % most:06}\n" for row in range(bench.rows))
        file = bench.folder / f"{name}.csv"
        file.write_text("".join(["id,output,expected,latency\n", *lines]), encoding="utf-8")
        results = "--results", str(bench.folder / "runs"), "--name", name, "--force"
        commands[name] = (sys.executable, "-m", "evaluators", "run", str(suite), str(file), "--quiet", *results)
    with one_core():
        best = alternate(commands, bench.repeats)
    ten, different = best["ten"], best["different"]
    bytes_more = bench.stored_bytes("different") - bench.stored_bytes("ten")
    yield Finding("different texts and latencies: processor time", different.processor / ten.processor, "×", 1.5)
    yield Finding("   memory more", different.memory - ten.memory, "MB", 20)
    yield Finding("   bytes stored more per row", bytes_more / bench.rows, "B", 10)


MERGED: Final = 100_000
"""Splits of a test set of some 10^10 rows, at 16 MB each."""


@goal("P20")
def merging(bench: Bench) -> Iterator[Finding]:
    """One process merges what very many splits came to, as the driver of a cluster does."""
    for splits, seconds in ((MERGED // 100, None), (MERGED, 120.0)):
        found = _told((sys.executable, "-m", "tests.tools.benchmarks.merging", str(splits)), 1)
        told = f"{found['µs per split']:.0f} µs each, {found['µs of them reading']:.0f} of them reading"
        yield Finding(f"{splits:,} results merged", found["seconds"], "s", seconds, told=told)
        yield Finding("   memory more", found["MB more"], "MB", None if seconds is None else 20)
    for what in ("bytes per result", "bytes per path", "bytes per slice value"):
        yield Finding(what, found[what], "B")


@goal("J1")
def judging(bench: Bench) -> Iterator[Finding]:
    """What a judge is asked over 1,000 rows whose values come back, beside asking at every place that differs."""
    found = _told((sys.executable, "-m", "tests.tools.benchmarks.judging"), 1)
    pairs = found["differing pairs"]
    for what, bar in (("questions", 0.25), ("requests", 0.25), ("requests of a second run", 0.0)):
        yield Finding(f"judge: {what}", found[what] / pairs, "× pairs", bar, told=f"{found[what]:,.0f} of {pairs:,.0f}")
    alone = found["requests, one question each"]
    yield Finding("judge: requests, fields of a row together", found["requests"] / alone, "× alone", 1.0)


def _told(command: Command, repeats: int) -> dict[str, float]:
    """What a process prints as its last line: figures by name, the least of several processes."""
    with one_core():
        every: list[dict[str, float]] = [_figures(command) for _ in range(repeats)]
    return {name: min(one[name] for one in every) for name in every[0]}


def _figures(command: Command) -> Any:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _figure(command: Command) -> float:
    return float(_figures(command)["µs"])


def _least(command: Command, repeats: int) -> float:
    return min(_figure(command) for _ in range(repeats))
