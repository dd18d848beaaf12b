"""The one door for bytes: what is read of a test set, and the parts that a run writes.

A *place* is a text. With a word and `://` in front, as in `s3://bucket/rows.csv`, it belongs to the store of that word;
every other place is a path of this machine. In a pattern of places `*`, `?` and `[…]` stand for a part of one step,
`**` for any number of steps. A store is a plug, and knows nothing of rows: whoever reads or writes asks
`store_of(place)`, and never opens, measures or lists by itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO, ClassVar, Final, Literal, TypeAlias

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.registry import Socket
from evaluators.values.addresses import names_password, shown_address

Kind: TypeAlias = Literal["file", "folder", "stream"]
"""A stream, such as a named pipe, can be read once, and only from its beginning."""

LOCAL: Final = "file"
WILDCARDS: Final = frozenset("*?[")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class StoreFault(OSError):
    """A store did not give or take a file, and trying again will not help, or did not."""


class ByteStore:
    """Bytes by their places. What goes wrong is an OSError, as with files: FileNotFoundError, IsADirectoryError, …"""

    lists: ClassVar[bool] = True
    """Whether the store has lists of its files: without one, a place is a file, and no pattern finds anything."""

    def open(self, place: str, start: int = 0) -> BinaryIO:
        """The bytes of a file from `start` on, in a stream that can `seek` and tells places from the file's beginning."""
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def size(self, place: str) -> int:
        """The number of bytes of a file."""
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def kind(self, place: str) -> Kind | None:
        """What is at a place; None where nothing is."""
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def below(self, folder: str) -> Iterator[str]:
        """The files of a folder and of the folders in it, as paths from the folder on, with `/` between the steps.

        Files and folders whose names begin with a dot are left out.
        """
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def write(self, place: str) -> BinaryIO:
        """A stream that makes the file, or makes it anew; the file is whole when the stream is closed."""
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def put(self, place: str, data: bytes) -> None:
        """Makes a small file, or makes it anew. It appears whole, or what was there before stays."""
        with self.write(place) as stream:
            stream.write(data)

    def remove(self, place: str) -> None:
        """Removes a file, or a folder with nothing in it. Nothing happens where nothing is."""
        raise NotImplementedError  # the contract: each store reaches its bytes in its own way

    def fingerprint(self, place: str) -> bytes:
        """SHA-256 of a file's bytes."""
        digest = hashlib.sha256()
        with self.open(place) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
        return digest.digest()

    def versions(self, places: Sequence[str]) -> list[str | None]:
        """For each file a text that is another one when the file is, as far as the store tells; None for one that is gone."""
        return [str(self.size(place)) if self.kind(place) == "file" else None for place in places]

    def path(self, place: str) -> str | None:
        """The path of a place on this machine, for libraries that are quicker with one; None elsewhere."""
        return None

    def names(self, folder: str) -> list[str]:
        """The names of the files and folders in a folder, sorted."""
        return sorted({file.partition("/")[0] for file in self.below(folder)})

    def matching(self, pattern: str, folder: str, *, folders: bool = True) -> list[str]:
        """The files and folders that fit a pattern, each once, named as it is: from `folder` on where it is relative.

        Without `folders` the files alone, without those whose names begin with a dot.
        """
        steps = pattern.split("/")
        fixed = next((count for count, step in enumerate(steps) if has_wildcards(step)), len(steps) - 1)
        top, rest = "/".join(steps[:fixed]), steps[fixed:]
        files = [file.split("/") for file in self.below(top)]
        paths = dict.fromkeys(
            tuple(file[:length]) for file in files for length in range(1 if folders else len(file), len(file) + 1)
        )
        return ["/".join((top, *path)) for path in paths if stood_for(rest, path) is not None]


STORES: Socket[ByteStore] = Socket("evaluators.testsets.stores", ByteStore, "store")

_BLOCK: Final = 1024 * 1024


def scheme_of(place: str) -> str | None:
    """The word before `://`, in lower case; None for a path of this machine."""
    found = _SCHEME.match(place)
    return found[1].lower() if found else None


def store_of(place: str) -> ByteStore:
    """The store that a place belongs to. Raises Problems (config) when no store has its word, or it holds a password."""
    scheme = scheme_of(place) or LOCAL
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in STORES.names())
        raise problem(
            "unknown-store",
            f'no store is known for "{scheme}://"',
            where=shown_address(place),
            hint=f"save the file on this machine and name that; known: {known}",
        )
    if scheme != LOCAL and names_password(place):
        message = "an address with a user or a password in it is not opened: it would be in histories and logs"
        hint = "a store finds them in variables and files of its own; for the web, ~/.netrc holds them"
        raise problem("password-in-address", message, where=shown_address(place), hint=hint)
    return STORES.find(scheme)()


def read_from(place: str, start: int = 0) -> BinaryIO:
    """The bytes of a file from `start` on."""
    return store_of(place).open(place, start)


def write_to(place: str) -> BinaryIO:
    """A stream that makes the file at a place, or makes it anew."""
    return store_of(place).write(place)


def at(folder: Path, place: str) -> str:
    """A place that may be relative to `folder`."""
    return place if scheme_of(place) else str(folder / place)


def parent(place: str) -> str:
    """The folder that a place is in."""
    return place.rpartition("/")[0] if scheme_of(place) else str(Path(place).parent)


def inside(folder: str, name: str) -> str:
    """The place of a name in a folder."""
    return f"{folder.rstrip('/')}/{name}" if scheme_of(folder) else str(Path(folder, name))


def kind_at(folder: Path, place: str) -> Kind | None:
    """What is at a place that may be relative to `folder`."""
    place = at(folder, place)
    with reached(place):
        return store_of(place).kind(place)


def matching(pattern: str, folder: Path) -> list[str]:
    """The files and folders that fit a pattern, which may be relative to `folder`; each once, named as the pattern is."""
    with reached(pattern):
        return store_of(pattern).matching(pattern, str(folder))


def files_at(place: str, folder: Path) -> list[str]:
    """The files of a folder and of the folders in it, or those that fit a pattern; named as the place is, in no order."""
    whole = at(folder, place)
    with reached(whole):
        store = store_of(whole)
        if store.kind(whole) == "folder":
            return [inside(place, file) for file in store.below(whole)]
        return store.matching(place, str(folder), folders=False)


@contextmanager
def reached(place: str) -> Iterator[None]:
    """Turns what goes wrong between a store and us into Problems (environment) that name the place."""
    try:
        yield
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        raise Problems([Issue("unreadable-file", Blame.ENVIRONMENT, message, shown_address(place))]) from None


def has_wildcards(text: str) -> bool:
    """Whether a place, or a step of one, holds a character that stands for others."""
    return not WILDCARDS.isdisjoint(text)


def stood_for(pattern: Sequence[str], path: Sequence[str]) -> list[str] | None:
    """The steps of the path that the wildcards of the pattern stand for; None where the two do not fit."""
    if not pattern or not path:
        return [] if not path and all(step == "**" for step in pattern) else None
    step, rest = pattern[0], pattern[1:]
    if step == "**":
        tried = (
            [*path[:count], *found]
            for count in range(len(path) + 1)
            if (found := stood_for(rest, path[count:])) is not None
        )
        return next(tried, None)
    fixed = not has_wildcards(step)
    if not (step == path[0] if fixed else fnmatchcase(path[0], step)):
        return None
    found = stood_for(rest, path[1:])
    return found if found is None or fixed else [path[0], *found]
