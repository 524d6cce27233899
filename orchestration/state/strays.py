"""Finds what does not belong into the folders of a deployment, and moves it aside.

Two kinds: something else than a file where a file belongs (a named pipe, a link to nothing, a folder), or a file where
a folder belongs, which would stop every run; and files of the lake under names that the service never gives. No run
reads them. They are moved, never deleted: somebody may have put them there on purpose.
Keep out: damaged files (conditions.py), files of killed runs, which the lake itself removes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ingest import obstacles
from orchestration.deployment import Deployment

# Folders in which a file without a suffix stands in the place of a folder.
STRUCTURED = ("raw", "run_state", "published", "warehouse")
OTHERS = ("dbt", "dagster", "exports")
# Folders may have these suffixes: dbt names them after files, DuckDB and Git clones have temporary ones.
FOLDER_SUFFIXES = frozenset({"", ".yml", ".tmp", ".writing"})
# Names of batches, of states with their marks and locks, and of the file that gives a table its columns. The name of a
# state is the id of its source: a copy under another name would be a source without facts, which no build may read.
LAKE_NAMES = re.compile(
    r"(\d{6,}-[0-9a-f]{12}[-.].*|empty\.parquet|(_|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(json|damaged)"
    r"|[\w-]+\.lock)(\.partial)?"
)
MAX_NAMED = 5


def found(deployment: Deployment) -> list[Path]:
    """All strays of a deployment, outermost first. Takes about a second per million files."""
    settings = deployment.settings
    strays: list[Path] = []
    lake = Path(settings.raw_root) if deployment.lake.is_local else None
    folders = [settings.data_dir / name for name in (*STRUCTURED, *OTHERS) if name != "raw"]
    folders += [settings.mirrors_dir, *([lake] if lake is not None else [])]
    for folder in folders:
        if not os.path.lexists(folder):
            continue
        if not folder.is_dir():
            strays.append(folder)
        elif folder != settings.mirrors_dir:
            strays += _below(folder, is_structured=folder.name in STRUCTURED or folder == lake, lake=lake)
    # Folders of Dagster by name, because it may keep other files without suffix.
    for name in ("history", "history/runs", "schedules", "logs", "run_locks", "storage"):
        if (settings.dagster_dir / name).is_file():
            strays.append(settings.dagster_dir / name)
    for extra in ("-wal", "-shm"):
        file = settings.data_dir / f"control.db{extra}"
        if os.path.lexists(file) and not (file.exists() and obstacles.is_file(file)):
            strays.append(file)
    return strays


def set_aside(deployment: Deployment) -> str | None:
    """Move all strays away. Returns a sentence about them; None where there are none."""
    moved = []
    for stray in found(deployment):
        if _is_dangling_folder(deployment, stray):
            continue
        with suppress(OSError):  # another process moved it, or what holds it
            target = obstacles.set_aside(stray, _root(deployment, stray))
            if target is not None:
                moved.append((stray, target))
    if not moved:
        return None
    return f"{named(deployment, [stray for stray, _ in moved])}: no file of this service, moved to {moved[0][1].parent}"


def named(deployment: Deployment, strays: list[Path]) -> str:
    """The first strays by their paths, and the number of the others."""
    shown = ", ".join(str(one.relative_to(_root(deployment, one))) for one in strays[:MAX_NAMED])
    return shown + (f" and {len(strays) - MAX_NAMED} more" if len(strays) > MAX_NAMED else "")


def _root(deployment: Deployment, stray: Path) -> Path:
    data_dir = deployment.settings.data_dir
    return data_dir if stray.is_relative_to(data_dir) else Path(deployment.settings.raw_root)


def _is_dangling_folder(deployment: Deployment, stray: Path) -> bool:
    """Whether this is a link of a whole folder to nowhere: most likely a disk that is not mounted, so it stays."""
    return stray.is_symlink() and stray.parent == deployment.settings.data_dir and "." not in stray.name


def _below(folder: Path, *, is_structured: bool, lake: Path | None) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # it was removed meanwhile
    is_lake = lake is not None and folder.is_relative_to(lake)
    for entry in entries:
        path = Path(entry.path)
        if folder == lake and entry.name == obstacles.FOLDER:
            continue
        if entry.is_dir():
            # Dagster has folders whose names start with a dot.
            is_named_like_file = path.suffix not in FOLDER_SUFFIXES or (
                is_structured and entry.name.startswith(".")
            )
            if is_named_like_file or (entry.is_symlink() and folder.resolve().is_relative_to(path.resolve())):
                yield path  # also a link back to a folder above, which has no end
            else:
                yield from _below(path, is_structured=is_structured, lake=lake)
        elif not entry.is_file() or (is_structured and "." not in entry.name):
            # Neither a file nor a folder, unless it has just been removed.
            if os.path.lexists(path):
                yield path
        elif is_lake and not LAKE_NAMES.fullmatch(entry.name):
            yield path
