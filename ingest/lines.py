"""Reading of single lines from a clone, in a process of its own: what of Git the API may import beside `probe`.

Add: nothing that changes or fetches. What is imported here is small, because every process of the API imports it; the
process that reads imports the rest.
"""

# ruff: noqa: PLC0415 - see above

import resource
from collections.abc import Sequence
from pathlib import Path

from ingest.errors import ForeignOwner, IngestError, LimitExceeded, NotARepository
from ingest.git.single_lines.lines import AddedLine, DeliveredFile, RemovedLine

__all__ = ["AddedLine", "DeliveredFile", "RemovedLine", "read_lines"]

MAX_MEMORY = 2 * 1024**3
"""Bytes of the process that reads."""


def read_lines(path: str, delivery: str, file: str, copied_from: Sequence[str]) -> DeliveredFile | str:
    """The changed lines of a file in a delivery of the clone at `path`, or why they are not at hand.

    `NO_CLONE`: there is none that can be opened. `TOO_LARGE`: the delivery takes longer than anybody waits.
    `UNREADABLE`: the clone lacks an object, or nothing can be written for the reading.
    """
    from pygit2 import GitError

    from ingest.git.single_lines.excerpts import TooLarge
    from ingest.git.single_lines.replay import delivered_file

    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    if not Path(path).exists():
        return "NO_CLONE"
    try:
        return delivered_file(Path(path), delivery, file, copied_from)
    except (NotARepository, ForeignOwner):
        return "NO_CLONE"
    except (TooLarge, LimitExceeded, MemoryError):
        return "TOO_LARGE"
    except (IngestError, GitError, OSError):
        return "UNREADABLE"
