"""The same three checks as the suite `three`, for promptfoo: contains-json, equals, and twelve paths in JavaScript.

promptfoo calls a provider for each row; the one of the package, `echo`, gives back the prompt, which is the output column. So
nothing is asked of a model, and nothing is sent.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.tools.benchmarks.measure import Command
from tests.tools.benchmarks.suites import DOTS

SCRIPT: Final = """module.exports = (output, context) => {
  const paths = %s;
  const found = (text) => { try { return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)); } catch { return null; } };
  const at = (value, path) => path.split(".").reduce((one, key) => one?.[key], value);
  const [ours, theirs] = [found(context.vars.expected), found(output)];
  const right = paths.filter((path) => JSON.stringify(at(ours, path)) === JSON.stringify(at(theirs, path))).length;
  return { pass: right === paths.length, score: right / paths.length, reason: `${right} of ${paths.length}` };
};
"""


def command(program: str, folder: Path, rows: Path) -> Command:
    """The command that evaluates some CSV rows; its files are written to the folder."""
    (folder / "fields.js").write_text(SCRIPT % json.dumps(DOTS), encoding="utf-8")
    config = folder / f"promptfoo_{rows.stem}.json"
    asserts = [
        {"type": "contains-json"},
        {"type": "equals", "value": "{{expected}}"},
        {"type": "javascript", "value": f"file://{folder / 'fields.js'}"},
    ]
    suite = {
        "prompts": ["{{output | safe}}"], "providers": ["echo"], "tests": str(rows), "defaultTest": {"assert": asserts},
    }  # fmt: skip
    config.write_text(json.dumps(suite), encoding="utf-8")
    out = folder / "promptfoo_results.json"
    quiet = ("--no-progress-bar", "--no-table", "--no-write", "--no-cache")
    return (
        "env", "PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1", "PROMPTFOO_DISABLE_REMOTE_GENERATION=1",
        f"PROMPTFOO_CONFIG_DIR={folder / 'promptfoo'}", "PROMPTFOO_FAILED_TEST_EXIT_CODE=0",
        program, "eval", "-c", str(config), "-o", str(out), *quiet,
    )  # fmt: skip
