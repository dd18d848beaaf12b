"""Kills runs at random moments, many times: `python -m tests.runs.killed_many [TIMES] [FIRST SEED]`.

Each run is killed up to three times, at a random file operation or a random call, goes on until its end, and is compared to the
byte with one that was never stopped. The ordinary tests do the same a few times.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.runs.test_resuming import Whole, killed_anywhere


def main() -> None:
    """Runs them, and says which seed failed."""
    words = sys.argv[1:]
    times, first = int(words[0]) if words else 100, int(words[1]) if len(words) > 1 else 0
    with tempfile.TemporaryDirectory() as place:
        Path(place, "whole").mkdir()
        whole = Whole(Path(place, "whole"))
        for seed in range(first, first + times):
            folder = Path(place, str(seed))
            folder.mkdir()
            for name in ("suite.yaml", "rows.jsonl"):
                shutil.copy2(whole.folder / name, folder / name)
            print(f"seed {seed}", flush=True)
            killed_anywhere(whole, folder, seed)
            shutil.rmtree(folder)
    print(f"{times} runs were killed, went on, and are the same to the byte")


if __name__ == "__main__":
    main()
