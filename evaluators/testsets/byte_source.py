"""A file's bytes: from a store, compressed with gzip, or from standard input.

What arrives on standard input, or through a pipe, is kept in a temporary file until the program ends: it is looked at, read and
fingerprinted, and those are three passes.
"""

from __future__ import annotations

import atexit
import codecs
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.scoring.values.addresses import StoreFault, has_wildcards, shown_address
from evaluators.testsets.byte_store import (
    ByteStore,
    local_path,
    near_file,
    parent,
    resolve_place,
    scheme_of,
    store_of,
    unreadable_file,
)

STANDARD_INPUT: Final = "-"
MOST_UNPACKED_GIB: Final = 16.0
_BLOCK: Final = 1024 * 1024
_TEMPORARY: Final[set[str]] = set()
"""Files of this program, which go away with it."""
GIB: Final = 1024**3
OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0"
OPEN_WORKBOOK: Final = "~$"
"""How the name begins of what Excel keeps beside a workbook that is open."""
WORKBOOKS: Final = (b"PK\x03\x04", OLD_WORKBOOK)
"""How a workbook of Excel begins, and one of an old version of it."""


class ByteSource(Struct, frozen=True):
    """A source of bytes, and how they are to be read. `name` is what messages call it."""

    path: str
    """A path of this machine, or the address of a file in another store."""
    name: str
    compressed: bool = False
    encoding: str = ""
    """Empty is what the file seems to be in."""
    delimiter: str | None = None
    most_unpacked_gib: float | None = None
    """How much a file that is compressed may unpack to; None is what is usual for its kind."""
    sheet: str | None = None
    """The sheet of a workbook; None is the first that is not hidden."""
    header_row: int | None = None
    """The row of a table that has the names of the columns; None is the first that has anything in it."""
    list: str | None = None
    """The list of a JSON file that holds the rows, a key or a path; None where there is one."""
    note: str | None = None
    """What people are told of how the bytes came here."""
    file_name: str = ""
    """The name of the file, where messages call it something else."""

    @property
    def suffix(self) -> str:
        """The ending of the file's name in lower case, `.gz` set aside."""
        name = (self.file_name or self.name).lower()
        return Path(name.removesuffix(".gz")).suffix

    @property
    def size(self) -> int:
        """The length of the file in bytes, as it is stored."""
        with self.store.open(self.path) as stream:
            return stream.seek(0, io.SEEK_END)

    @property
    def store(self) -> ByteStore:
        """The store that has the file."""
        return store_of(self.path)

    @property
    def lasting(self) -> bool:
        """Whether the bytes can be read again when the program has ended."""
        return self.path not in _TEMPORARY

    @property
    def local(self) -> str | None:
        """The path of the file on this machine; None where it is elsewhere."""
        return local_path(self.path)

    def open(self, start: int = 0) -> BinaryIO:
        """A stream of the bytes, unpacked where they are compressed, from `start` on; `start` is 0 for a compressed file. The caller closes
        it."""
        if self.compressed:
            most = self.most_unpacked_gib or MOST_UNPACKED_GIB
            return cast(BinaryIO, io.BufferedReader(_UnpackedBytes(self.store.open(self.path), most), _BLOCK))
        return self.store.open(self.path, start)

    def head(self, size: int) -> bytes:
        """The first bytes, at most `size`."""
        with reading(self), self.open() as stream:
            return stream.read(size)

    def uncompressed(self) -> ByteSource:
        """The file itself, or an unpacked copy of a compressed one: it can be read in any order."""
        if not self.compressed:
            return self
        with reading(self), self.open() as stream:
            return replace(self, path=copy_to_temporary_file(stream), compressed=False)


class _UnpackedBytes(gzip.GzipFile):
    """The bytes of a compressed stream, up to a size. Closing it closes the stream as well."""

    def __init__(self, stream: BinaryIO, most_gib: float) -> None:
        super().__init__(fileobj=stream, mode="rb")
        self._stream, self._most_gib = stream, most_gib

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes. Raises TooLarge once more has been unpacked than the limit."""
        data = super().read(size)
        if self.tell() > self._most_gib * GIB:
            raise TooLarge(f"it unpacks to more than {self._most_gib:g} GiB")
        return data

    def close(self) -> None:
        super().close()
        self._stream.close()


class TooLarge(EOFError):
    """A file holds more than is read."""


def locate(name: str, folder: Path) -> ByteSource:
    """The file of that name, relative to `folder`; `-` is standard input, which is copied into a temporary file. So is what can be read
    only once: a pipe, or a file of a server that gives no parts of files, of which a note tells.

    Raises Problems (config) when there is no such file.
    """
    if name == STANDARD_INPUT:
        path = copy_to_temporary_file(sys.stdin.buffer)
        return ByteSource(path, "standard input", compressed=_is_gzip(path))
    place, called = resolve_place(folder, name), shown_address(name)
    note = None
    try:
        if store_of(place).kind(place) == "stream":
            why = "because its server gives no parts of files"
            note = f"{called}: fetched as a whole into a temporary file, {why}" if scheme_of(place) else None
            with store_of(place).open(place) as pipe:
                place = copy_to_temporary_file(pipe)
        return ByteSource(place, called, compressed=_is_gzip(place), note=note)
    except FileNotFoundError:
        raise _no_such_file(called, place) from None
    except IsADirectoryError:
        raise problem("not-a-file", "this is a folder, and a file is expected", where=called) from None
    except StoreFault as error:
        raise unreadable_file(error, called) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise problem("unreadable-file", f"the file cannot be read: {reason}", where=called) from None


@contextmanager
def reading(source: ByteSource) -> Iterator[None]:
    """A context for reading a file: errors of its store and of unpacking it are raised as Problems that name the file."""
    try:
        yield
    except TooLarge as error:
        hint = "`test_set: {most_unpacked_gib: …}` in the suite allows more"
        raise unusable_file(source, "too-large", f"the file is not read on: {error}", hint) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise unusable_file(source, "bad-gzip", f"the compressed file is damaged: {error}") from None
    except OSError as error:
        raise unreadable_file(error, source.name) from None


def unusable_file(source: ByteSource, code: str, message: str, hint: str | None = None) -> Problems:
    """The Problems to raise for a file that cannot be used, for which the test set is to blame."""
    return Problems([Issue(code, Blame.TESTSET, message, source.name, hint)])


def seeming_utf16(head: bytes) -> str | None:
    """The encoding of a file that begins with these bytes and seems to be UTF-16, with or without the mark that says so; None for others.

    Without the mark it seems to be UTF-16 where zeros are in every second place alone, and where most line ends are whole in that encoding.
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    low, high = head[::2].count(0), head[1::2].count(0)
    if (not low and not high) or (low and high):
        return None
    encoding = "utf-16-be" if low else "utf-16-le"
    text = head[: len(head) // 2 * 2].decode(encoding, "replace")
    lines = head.count(b"\n")
    return encoding if 2 * text.count("\n") > lines or (not lines and 2 * (low or high) > len(text)) else None


def refuse_utf16(source: ByteSource, head: bytes, hint: str = "save it as UTF-8") -> None:
    """Raises Problems (testset) for a file that seems to be UTF-16. The `hint` has `{0}` for the name of the encoding."""
    encoding = seeming_utf16(head)
    if encoding is not None:
        mark = "" if encoding == "utf-16" else ", without the mark that says so"
        raise unusable_file(source, "undecodable-text", f"the file looks like UTF-16{mark}", hint.format(encoding))


def read_up_to(stream: BinaryIO, most: int) -> bytes:
    """The bytes of a stream, at least `most` where it has so many, and less than a block more. It is read block by block, as one reading of
    that size would take all the memory at once."""
    parts, size = list[bytes](), 0
    while size <= most and (block := stream.read(_BLOCK)):
        parts.append(block)
        size += len(block)
    return b"".join(parts)


def whole_of(source: ByteSource) -> bytes:
    """All bytes of a file, without the mark of UTF-8.

    Raises Problems (testset) for one with more than are held in memory, before it is there.
    """
    with reading(source), source.open() as stream:
        data = read_up_to(stream, GIB)
    if len(data) > GIB:
        message = "the file has more than 1 GiB, and it would be held in memory as a whole"
        hint = "JSON lines, CSV and Parquet are read row by row"
        raise unusable_file(source, "too-large", message, hint)
    return data.removeprefix(codecs.BOM_UTF8)


def shortened_file(source: ByteSource) -> Problems:
    """The problem of a file that has become shorter since its beginning was read: it is being written anew."""
    message = "the file became shorter while it was read"
    return Problems([Issue("unreadable-file", Blame.ENVIRONMENT, message, source.name)])


def fingerprint(sources: tuple[ByteSource, ...]) -> str:
    """SHA-256 over the bytes of the files as they are stored, in order, as `sha256:…`."""
    digests = []
    for source in sources:
        with reading(source):
            digests.append(source.store.fingerprint(source.path))
    whole = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(digests)).digest()
    return f"sha256:{whole.hex()}"


def _is_gzip(path: str) -> bool:
    with store_of(path).open(path) as stream:
        return stream.read(2) == b"\x1f\x8b"


def copy_to_temporary_file(stream: BinaryIO) -> str:
    """Writes the bytes of a stream into a file that is there until the program ends, and gives the file's name."""
    import shutil  # brings much along, and a file on disk does not need it

    with temporary_file() as copy:
        shutil.copyfileobj(stream, copy, _BLOCK)
    return copy.name


@contextmanager
def temporary_file() -> Iterator[BinaryIO]:
    """A context with a file to write, which has a `name`. The file is removed when the program ends, or at once when the block raises."""
    import tempfile  # brings much along, too

    with tempfile.NamedTemporaryFile(prefix="evaluators-", delete=False) as file:
        atexit.register(_remove, file.name)
        _TEMPORARY.add(file.name)
        try:
            yield cast(BinaryIO, file)
        except BaseException:
            _remove(file.name)
            raise


def _remove(path: str) -> None:
    Path(path).unlink(missing_ok=True)


def _no_such_file(name: str, path: str) -> Problems:
    """The problem of a file that is not there, with a near name in its folder, or the folder that was searched. `name` is what messages
    call the file, and `path` where it was looked for; a web server has no folders to look in."""
    folder = parent(path)
    if not store_of(path).lists:
        hint = "a web server has no list of its files, so wildcards find nothing" if has_wildcards(name) else None
        return problem("no-such-file", "there is no such file", where=name, hint=hint)
    if store_of(folder).kind(folder) != "folder":
        hint = f'the folder "{folder}" does not exist'
    else:
        near, local = near_file(path, name), local_path(folder)
        searched = str(Path(local).resolve()) if local is not None else folder
        hint = f'did you mean "{near}"?' if near else f'looked in "{searched}"'
    return problem("no-such-file", "there is no such file", where=name, hint=hint)
