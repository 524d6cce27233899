"""One sentence for an error that ends a command: what happened, and what helps.

Add: faults of a machine that people meet. Keep out: errors that already say so (`ingest.errors`,
`api.control.errors`).
"""

from __future__ import annotations

import errno
from types import TracebackType

from api.operator.full_disks import is_full_disk

FULL = "the disk is full. Free some space and run the command again; finished work is kept"
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class Explained(Exception):
    """An error whose message is a sentence for people: what happened, and what helps."""


def explain(error: BaseException) -> str:
    """The sentence for an error, without its full stop. An unknown error is named as a defect."""
    from api.control.errors import ControlError
    from ingest.errors import IngestError

    if is_full_disk(error):
        place = error.filename if isinstance(error, OSError) else None
        return FULL if place is None else f"{place}: {FULL}"
    if isinstance(error, (Explained, ControlError, IngestError)):
        return str(error).rstrip(".")
    if is_of_store(error):
        return (
            f"the raw lake cannot be used ({error}). Check RAW_DIR, the address and the credentials of its store, and"
            " run the command again"
        )
    if isinstance(error, OSError):
        return _of_system(error)
    return _of_database(error) or f"unexpected {type(error).__name__}: {error}"


def is_of_store(error: BaseException) -> bool:
    """Whether an object store, or the network before it, gave an error. Its client need not be installed."""
    clients = ("botocore.", "aiohttp.")
    return any(type(one).__module__.startswith(clients) for one in (error, error.__cause__))


def _of_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename is not None else ""
    if error.errno in _REFUSED:
        return f"{place}{error.strerror}. Set EAS_DATA_DIR to a folder that you may write"
    return f"{place}{error.strerror or error}"


def _of_database(error: BaseException) -> str | None:
    """The sentence for an error of the control database or of Dagster's databases; None for other errors."""
    from sqlalchemy.exc import DBAPIError

    if not isinstance(error, DBAPIError):
        return None
    reason = str(error.orig)
    if "readonly" in reason or "unable to open" in reason:
        return f"a database cannot be written ({reason}). Set EAS_DATA_DIR to a folder that you may write"
    if "malformed" in reason or "not a database" in reason:
        return (
            f"a database is damaged ({reason}). If it is `control.db` in the data directory, restore your backup of it;"
            " if it is below `dagster/`, delete that folder"
        )
    if "locked" in reason:
        return f"another process keeps a database locked ({reason}). Run the command again"
    return f"the control database cannot be used ({reason}). Check CONTROL_DATABASE_URL and its server"


class Attempt:
    """A block whose error becomes the explained failure of `what` in `failures`, and ends nothing else."""

    def __init__(self, failures: dict[str, str], what: str) -> None:
        self._failures, self._what = failures, what

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._failures[self._what] = explain(error)
        return True
