"""A file's bytes: from a folder, compressed with gzip, or from standard input.

What arrives on standard input, or through a pipe, is kept in a temporary file until the program ends: it is looked at, read and
fingerprinted, and those are three passes.
"""

from __future__ import annotations

import atexit
import gzip
import hashlib
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final, cast

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.registry import nearest

STANDARD_INPUT: Final = "-"
_BLOCK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """Where bytes come from and how they are to be read. `name` is what messages call it."""

    path: str
    name: str
    compressed: bool = False
    encoding: str = "utf-8"
    delimiter: str | None = None

    @property
    def suffix(self) -> str:
        """The ending of the file's name in lower case, `.gz` set aside."""
        name = self.name.lower()
        return Path(name.removesuffix(".gz")).suffix

    @property
    def size(self) -> int:
        """The length of the file in bytes, as it is stored."""
        return os.path.getsize(self.path)

    def open(self, start: int = 0) -> BinaryIO:
        """The bytes, decompressed, from `start` on."""
        if self.compressed:
            return cast(BinaryIO, gzip.open(self.path, "rb"))
        stream = open(self.path, "rb")  # noqa: SIM115  # the caller closes it
        stream.seek(start)
        return stream

    def head(self, size: int) -> bytes:
        """The first bytes, at most `size`."""
        with reading(self), self.open() as stream:
            return stream.read(size)

    def uncompressed(self) -> Source:
        """The same bytes in a file that can be read in any order."""
        if not self.compressed:
            return self
        with reading(self), self.open() as stream:
            return replace(self, path=kept(stream), compressed=False)


def locate(name: str, folder: Path) -> Source:
    """The file of that name, relative to `folder`; `-` is standard input.

    Raises Problems (config) when there is no such file.
    """
    if name == STANDARD_INPUT:
        path = kept(sys.stdin.buffer)
        return Source(path, "standard input", compressed=_is_gzip(path))
    path = str(folder / name)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            with open(path, "rb") as pipe:
                path = kept(pipe)
        return Source(path, name, compressed=_is_gzip(path))
    except FileNotFoundError:
        raise _no_such_file(name, Path(path)) from None
    except IsADirectoryError:
        raise problem("not-a-file", "this is a folder, and a file is expected", where=name) from None
    except (OSError, ValueError) as error:
        raise problem("unreadable-file", f"the file cannot be read: {_reason(error)}", where=name) from None


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Turns what goes wrong between a disk and us into Problems."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Problems(
            [Issue("bad-gzip", Blame.TESTSET, f"the compressed file is damaged: {error}", source.name)]
        ) from None
    except OSError as error:
        message = f"the file cannot be read: {_reason(error)}"
        raise Problems([Issue("unreadable-file", Blame.ENVIRONMENT, message, source.name)]) from None


def fingerprint(sources: tuple[Source, ...]) -> str:
    """SHA-256 over the bytes of the files as they are stored, in order, as `sha256:…`."""
    digests = [_digest(source) for source in sources]
    whole = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(digests)).digest()
    return f"sha256:{whole.hex()}"


def _digest(source: Source) -> bytes:
    with reading(source), open(source.path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def _is_gzip(path: str) -> bool:
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def kept(stream: BinaryIO) -> str:
    """The bytes of a stream in a file that is there until the program ends."""
    import shutil  # both bring much along, and a file on disk needs neither
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="evaluators-", delete=False) as copy:
        atexit.register(_remove, copy.name)
        shutil.copyfileobj(stream, copy, _BLOCK)
    return copy.name


def _remove(path: str) -> None:
    Path(path).unlink(missing_ok=True)


def _no_such_file(name: str, path: Path) -> Problems:
    if not path.parent.is_dir():
        hint = f'the folder "{path.parent}" does not exist'
    else:
        files = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
        found = nearest(path.name, files)
        hint = f'did you mean "{Path(name).parent / found}"?' if found else f'looked in "{path.parent.resolve()}"'
    return problem("no-such-file", "there is no such file", where=name, hint=hint)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
