"""The table `promptfoo.yaml`, held against the real program: `python -m tests.tools.against_promptfoo [PROGRAM]`.

PROGRAM is `promptfoo` unless it is said, as in `node_modules/.bin/promptfoo` after `npm install promptfoo@0.121.20`. Every output of the
table goes through the provider `echo`, so no model is asked. What differs is printed, and the exit code is then 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

TABLE = Path(__file__).parents[1] / "guide" / "converting" / "promptfoo.yaml"
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
}  # fmt: skip


def main(program: str) -> int:
    """Runs the table. Gives the exit code."""
    cases = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    tests = [
        {"description": f"{case['it']}: {which}", "vars": {"answer": case[which]}, "assert": [case["assert"]]}
        for case in cases
        for which in ("passes", "fails")
    ]
    with tempfile.TemporaryDirectory() as folder:
        config, found = Path(folder) / "config.yaml", Path(folder) / "found.json"
        config.write_text(yaml.safe_dump({"prompts": ["{{answer | safe}}"], "providers": ["echo"], "tests": tests}))
        command = [program, "eval", "-c", str(config), "-o", str(found), "--no-cache", "--no-table"]
        environment = os.environ | QUIET | {"PROMPTFOO_CONFIG_DIR": folder}
        subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
        results = json.loads(found.read_text(encoding="utf-8"))["results"]["results"]
    named = {one["testCase"]["description"]: one["success"] for one in results}
    differ = [name for name in (test["description"] for test in tests) if named[name] != name.endswith(": passes")]
    print("\n".join(differ) or f"{len(tests)} outputs pass and fail as in {program}")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "promptfoo"))
