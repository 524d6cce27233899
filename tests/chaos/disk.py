"""A disk that is full: a file system in memory with little room, or else a limit of the size of files.

Keep out: what runs on it (`accidents`). The file system needs the right to mount, the limit needs none.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLENTY = "8g"
"""More than `eas doctor` asks for. It is a limit: the file system takes the memory of its files alone."""


def can_mount(folder: Path) -> bool:
    """Whether this process may mount a file system."""
    folder.mkdir(parents=True, exist_ok=True)
    if _mount(folder, "1m"):
        return False
    _unmount(folder)
    return True


@contextmanager
def small(folder: Path, content: Path, room: int) -> Iterator[Path]:
    """Make `folder` a copy of `content` on a file system that has `room` bytes left."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with mounted(folder):
        shutil.copytree(content, folder, symlinks=True, dirs_exist_ok=True)
        leave(folder, room)
        yield folder


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """Make an empty folder a file system with plenty of room."""
    if code := _mount(folder, PLENTY):
        raise OSError(code, "mount failed")
    try:
        yield
    finally:
        _unmount(folder)


def leave(folder: Path, room: int) -> None:
    """Leave so many bytes on the file system."""
    resize(folder, shutil.disk_usage(folder).used + room)


def resize(folder: Path, size: int | str) -> None:
    """Give the file system another size."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


def _mount(folder: Path, size: str) -> int:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        return 1


def _unmount(folder: Path) -> None:
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
