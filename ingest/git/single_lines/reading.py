"""Reads single lines from a clone, within limits: the whole work of the process that does nothing else.

Keep out: what may be imported beside it (ingest/lines.py).
"""

import resource
from collections.abc import Sequence
from pathlib import Path

from pygit2 import GitError

from ingest.errors import ForeignOwner, IngestError, LimitExceeded, NotARepository
from ingest.git.single_lines.excerpts import TooLarge
from ingest.git.single_lines.lines import DeliveredFile
from ingest.git.single_lines.replay import delivered_file

MAX_MEMORY = 2 * 1024**3
"""Bytes of the process that reads."""


def read_lines(path: str, delivery: str, file: str, copied_from: Sequence[str]) -> DeliveredFile | str:
    """The changed lines of a file in a delivery of the clone at `path`, or why they are not at hand."""
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
