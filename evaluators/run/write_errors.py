"""What the system says when it does not take a file, in words that name the file as people know it."""

from __future__ import annotations

import errno
from typing import Final

from evaluators.issues import Blame, Issue

UNWRITTEN: Final = "unwritten"

_NO_ROOM: Final = frozenset([errno.ENOSPC, errno.EDQUOT])
_ABOUT_WRITING: Final = _NO_ROOM | {errno.EFBIG, errno.EROFS}


def unwritten(error: OSError, named: str, what: str = "the file") -> Issue:
    """The environment is to blame. `named` is the place that the user gave, whatever its working file is called."""
    return Issue(UNWRITTEN, Blame.ENVIRONMENT, f"{what} cannot be written: {reason(error)}", named, _hint(error))


def reason(error: OSError) -> str:
    """What the system said, in lower case: `no space left on device`."""
    return (error.strerror or str(error)).lower()


def about_writing(error: OSError, folder: str) -> bool:
    """Whether an error comes from writing into a folder, as far as it can be told apart from one of reading."""
    if error.filename is not None:
        return str(error.filename).startswith(folder)
    return error.errno in _ABOUT_WRITING


def _hint(error: OSError) -> str:
    if error.errno in _NO_ROOM:
        return "make room there, or name another place"
    if error.errno == errno.EFBIG:
        return "the system limits the size of files here; `ulimit -f` shows the limit"
    return "name another place, or let this user write there"
