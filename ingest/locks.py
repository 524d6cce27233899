"""Advisory locks on files, which exclude other processes of one machine.

The kernel releases a lock when its process ends, so a killed run blocks no other. Keep out: the meaning of a lock.
"""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from ingest import obstacles


@contextlib.contextmanager
def locked(path: Path, *, exclusive: bool = True, wait: bool = True) -> Iterator[TextIO]:
    """Hold a lock on the file at `path`, which is created if needed; yields the file, open for reading and appending.

    Raises BlockingIOError when `wait` is False and another process holds the lock, OSError where the file cannot be
    written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    obstacles.make_way(path)
    mode = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
    with path.open("a+") as file:
        fcntl.flock(file, mode)
        yield file
