"""The commit of a folder, as git keeps it: in a file of the branch, among the packed ones, or as it is checked out."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.runs.commit import commit_of

HASH = "0123456789abcdef0123456789abcdef01234567"
OTHER = HASH[::-1]


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": f"{HASH}\n"}, HASH),
        ({".git/HEAD": f"{HASH}\n"}, HASH),
        (
            {".git/HEAD": "ref: refs/heads/a/b\n",
             ".git/packed-refs": f"# pack-refs with: peeled\n{OTHER} refs/heads/b\n{HASH} refs/heads/a/b\n^{OTHER}\n"},
            HASH,
        ),
        (
            {".git": "gitdir: main/.git/worktrees/x\n", "main/.git/worktrees/x/HEAD": "ref: refs/heads/x\n",
             "main/.git/worktrees/x/commondir": "../..\n", "main/.git/refs/heads/x": f"{HASH}\n"},
            HASH,
        ),
        ({".git/HEAD": "ref: refs/heads/new\n"}, ""),
        ({".git/HEAD": "ref: ../../secret\n", "secret": "not a hash\n"}, ""),
        ({".git/HEAD": "nonsense\n"}, ""),
        ({".git": "nonsense\n"}, ""),
    ],
    ids=["a branch", "no branch", "a packed branch", "a further working tree", "no commit yet", "outside", "no head", "no folder"],
)  # fmt: skip
def test_the_commit_of_a_folder(tmp_path: Path, files: dict[str, str], commit: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "suites" / "deep").mkdir(parents=True)
    assert commit_of(tmp_path) == commit_of(tmp_path / "suites" / "deep") == commit
