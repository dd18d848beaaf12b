"""Files of results that hold rows and no evaluators: what to do with them in place of a conversion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import isfile
from pathlib import Path
from typing import Final

from msgspec import Struct

from evaluators.guide.converting.converter import head_of
from evaluators.model.issues import problem


class _KnownResults(Struct, frozen=True):
    """How a file of results is recognised, by its name or by how it begins, and the way to a suite for its rows."""

    system: str
    holds: str
    name: str
    begins: str
    hint: str


_SAMPLES: Final = (
    "`evaluators init {json} --list samples -o suite.yaml`; there, below columns, write "
    "`output: output.choices[0].message.content`"
)
_CASES: Final = (
    "`evaluators init {file} --list %s --columns output=%s --columns expected=%s -o suite.yaml` writes a suite for them"
)
_OF_DEEPEVAL: Final = (
    (r'\A\s*\{\s*"testRunData":', "testRunData.testCases", "actualOutput", "expectedOutput"),
    (r'"testCases":.*"metricsData":', "testCases", "actualOutput", "expectedOutput"),
    (r'"test_results":.*"metrics_data":', "test_results", "actual_output", "expected_output"),
)
"""How each shape of its results begins, and what its list and its columns are called."""
_INSPECT: Final = r'\A\s*\{\s*"version":.{0,200}?"eval":\s*\{'
_DUMPED: Final = f"`inspect log dump {{file}} > {{json}}`, then {_SAMPLES}"
_KNOWN: Final = (
    _KnownResults("Inspect", "a log", r"\.eval\Z", r"\APK\x03\x04", _DUMPED),
    _KnownResults("Inspect", "a log", r"\.json\Z", _INSPECT, _SAMPLES),
    *(_KnownResults("deepeval", "results", "", begins, _CASES % tuple(names)) for begins, *names in _OF_DEEPEVAL),
)


def refuse_results(files: Sequence[Path]) -> None:
    """Raises Problems (config) with what to do for a file that holds another system's results: rows, and no evaluators."""
    for file in filter(isfile, files):
        head = head_of(file)
        for kind in _KNOWN:
            if re.search(kind.name, file.name) and re.search(kind.begins, head, re.DOTALL):
                message = f"the file holds {kind.holds} of {kind.system}: rows with outputs, and no evaluators to convert"
                hint = kind.hint.format(file=file, json=file.with_suffix(".json"))
                raise problem("results-to-convert", message, where=str(file), hint=hint)
