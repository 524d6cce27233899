"""Things that stand in the place of a file: a named pipe, a link to nothing, a folder.

Reading a named pipe would wait for ever, and a rename cannot replace a folder. They are moved away and never deleted,
because somebody may have put them there on purpose. Keep out: the places to look at (orchestration/state/strays.py).
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "set-aside"


def is_file(path: Path) -> bool:
    """Whether a regular file is at a path, perhaps behind a link. Raises FileNotFoundError where nothing is."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        if path.is_symlink():
            return False
        raise


def read(path: Path) -> bytes:
    """The content of a file. Raises FileNotFoundError, or ValueError where something else than a file is."""
    if not is_file(path):
        raise ValueError(f"{path} is no file")
    return path.read_bytes()


def set_aside(path: Path, root: Path) -> Path | None:
    """Move what is at a path below `set-aside` in the folder `root`. Returns its new place; None if it was gone."""
    target = root / FOLDER / f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}" / path.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):  # another process moved it
        path.rename(target)
        return target
    return None


def make_way(path: Path) -> None:
    """Rename what is at the path of a file that is about to be written, unless it is a file."""
    with suppress(FileNotFoundError):
        if not is_file(path):
            path.rename(path.with_name(f"{path.name}.{FOLDER}-{os.getpid()}-{datetime.now(UTC):%H%M%S%f}"))
