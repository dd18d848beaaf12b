"""Patterns that are compiled when they are first used find what patterns find."""

from __future__ import annotations

import re
import subprocess
import sys

from evaluators.scoring.values.late_pattern import late_pattern, patterns_late


def test_a_late_pattern_finds_what_the_pattern_finds() -> None:
    pattern = late_pattern("[a-z]+", re.IGNORECASE)
    assert pattern.findall("One, two") == ["One", "two"]
    assert pattern.fullmatch("Two") is not None


def test_patterns_are_late_inside_the_block_alone() -> None:
    with patterns_late():
        late = re.compile("[0-9]")
    assert not isinstance(late, re.Pattern)
    assert late.search("a1") is not None
    assert isinstance(re.compile("[0-9]{2}"), re.Pattern)


def test_yaml_that_was_imported_with_late_patterns_reads_as_before() -> None:
    text = "a: 2024-01-31\nb: [1, yes, 0x10, ~, 1.5]\n"
    program = f"""
from evaluators.scoring.values.late_pattern import patterns_late
with patterns_late():
    import yaml
print([yaml.load({text!r}, loader) for loader in (yaml.SafeLoader, yaml.CSafeLoader)])
try:
    yaml.load("a: \\x07", yaml.SafeLoader)
except yaml.reader.ReaderError as error:
    print(error.position)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    import yaml

    read, position = done.stdout.splitlines()
    assert read == str([yaml.load(text, yaml.SafeLoader)] * 2)
    assert position == "3"
