"""`python -m tests.tools.fuzz --inputs N`: N inputs for all surfaces together, from a seed, with the seed of every finding.

`python -m tests.tools.fuzz --growth`: what twice the size costs.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

import click

from tests.tools.fuzz.fuzzers import FUZZERS
from tests.tools.fuzz.growth import HEAD, MOST_GROWTH, growth_line, measured
from tests.tools.fuzz.plug_shapes import plug_shapes
from tests.tools.fuzz.shapes import SHAPES


@click.command()
@click.option("--inputs", default=20_000, show_default=True, help="How many inputs, over all surfaces.")
@click.option("--seed", default=0, show_default=True, help="The first seed; every input has one of its own.")
@click.option("--only", type=click.Choice(list(FUZZERS)), help="One surface alone.")
@click.option("--growth", is_flag=True, help="How much longer each shape takes when it is twice as large.")
def fuzz(inputs: int, seed: int, only: str | None, growth: bool) -> None:
    """Look for inputs that break something, or that take too long."""
    if growth:
        raise SystemExit(_print_growth())
    names = [only] if only else list(FUZZERS)
    findings: dict[tuple[str, str], tuple[int, int]] = {}
    counts, spent = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    with TemporaryDirectory() as folder:
        for number in range(inputs):
            name, one = names[number % len(names)], seed + number
            place = Path(folder) / name.replace(" ", "-")
            place.mkdir(exist_ok=True)
            before = process_time()
            try:
                FUZZERS[name](Random(one), place)
            except Exception as error:  # what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                key = name, f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {str(error)[:160]!a}"
                first, times = findings.get(key, (one, 0))
                findings[key] = first, times + 1
            counts[name] += 1
            spent[name] += process_time() - before
    for name in names:
        click.echo(f"{name}: {counts[name]:,} inputs, {spent[name]:.0f} s of processor time")
    for (name, said), (first, times) in findings.items():
        click.echo(f"FOUND {name}, seed {first}, {times} times: {said}")
    raise SystemExit(bool(findings))


def _print_growth() -> bool:
    """Prints what twice the size costs, a line for each shape as it is measured. Gives whether one grows faster than it may."""
    too_fast = []
    click.echo(HEAD)
    for name, shape in {**SHAPES, **plug_shapes()}.items():
        growth = measured(shape)
        click.echo(growth_line(name, growth))
        if (growth.per_doubling or 0) > MOST_GROWTH:
            too_fast.append(name)
    for name in too_fast:
        click.echo(f"GROWS by more than {MOST_GROWTH} for each doubling: {name}")
    return bool(too_fast)


if __name__ == "__main__":
    fuzz()
