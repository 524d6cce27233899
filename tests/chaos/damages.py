"""Damage to one file or folder of a data directory.

Add: a way in which a file can be wrong. Keep out: what follows from it (`verdicts`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

# Chosen before a file, so that thousands of logs and compiled models do not outweigh the rest. With their weights.
PARTS = {
    "raw/git": 4,
    "raw/_state": 4,
    "published": 4,
    "warehouse": 3,
    "run_state": 3,
    "raw/control": 2,
    "dagster": 2,
    "dbt": 1,
    "exports": 1,
    ".": 2,
}
FOLDER_SHARE = 0.15
"""Share of damages that hit a whole folder."""


@dataclass(frozen=True)
class Site:
    """A data directory to damage, and the same deployment a commit earlier, for files that are put back."""

    data: Path
    earlier: Path


@dataclass(frozen=True)
class Damage:
    """Damage that was done: its description, and the part of the data directory."""

    text: str
    part: str

    def __str__(self) -> str:
        return self.text


def damage(
    site: Site,
    random: Random,
    part: str | None = None,
    *,
    folder_share: float = FOLDER_SHARE,
    is_in_use: bool = False,
) -> Damage:
    """Damage one file or folder, which a run may be about to open (`is_in_use`)."""
    part = part or random.choices(list(PARTS), list(PARTS.values()))[0]
    if random.random() < folder_share:
        folders = _folders(site.data, part)
        if folders:
            return Damage(_damage_folder(site, random.choice(folders), random), part)
    files = _files(site.data / part, recursive=part != ".")
    if not files:
        return Damage(f"nothing in {part}", part)
    file = random.choice(files)
    left_out = STALLING if is_in_use else frozenset()
    name, act = random.choice(sorted(item for item in FILE_DAMAGES.items() if item[0] not in left_out))
    detail = act(site, file, files, random)
    return Damage(f"{name} {file.relative_to(site.data)}{detail}", part)


def _files(folder: Path, *, recursive: bool) -> list[Path]:
    found = folder.rglob("*") if recursive else folder.glob("*")
    return sorted(one for one in found if one.is_file())


def _folders(data: Path, part: str) -> list[Path]:
    if part == ".":
        return sorted(one for one in data.iterdir() if one.is_dir())
    folders = sorted(one for one in (data / part).rglob("*") if one.is_dir())
    return [data / part, *folders] if (data / part).is_dir() else folders


def _damage_folder(site: Site, folder: Path, random: Random) -> str:
    shown = folder.relative_to(site.data)
    act = random.choice(["delete", "a file instead of", "put back"])
    before = site.earlier / shown
    if act == "put back" and before.is_dir():
        shutil.rmtree(folder)
        shutil.copytree(before, folder)
    elif act == "a file instead of":
        shutil.rmtree(folder)
        folder.write_bytes(b"not a folder")
    else:
        act = "delete"
        shutil.rmtree(folder)
    return f"{act} folder {shown}"


def _delete(_: Site, file: Path, __: list[Path], ___: Random) -> str:
    file.unlink()
    return ""


def _truncate(_: Site, file: Path, __: list[Path], random: Random) -> str:
    content = file.read_bytes()
    kept = random.randrange(len(content)) if content else 0
    _replace(file, content[:kept])
    return f" to {kept} bytes"


def _empty(_: Site, file: Path, __: list[Path], ___: Random) -> str:
    _replace(file, b"")
    return ""


def _flip(_: Site, file: Path, __: list[Path], random: Random) -> str:
    content = bytearray(file.read_bytes())
    if not content:
        return " (empty)"
    place, bit = random.randrange(len(content)), 1 << random.randrange(8)
    content[place] ^= bit
    _replace(file, bytes(content))
    return f" at {place}, bit {bit}"


def _overwrite(_: Site, file: Path, __: list[Path], random: Random) -> str:
    _replace(file, random.randbytes(file.stat().st_size))
    return " with noise"


def _duplicate(_: Site, file: Path, __: list[Path], random: Random) -> str:
    copy = file.with_name(f"{random.randrange(100, 1000):06d}-{file.name}")
    shutil.copyfile(file, copy)
    return f" as {copy.name}"


def _swap(_: Site, file: Path, files: list[Path], random: Random) -> str:
    other = random.choice(files)
    mine, its = file.read_bytes(), other.read_bytes()
    _replace(file, its)
    _replace(other, mine)
    return f" with {other.name} in {other.parent.name}"


def _copy_over(_: Site, file: Path, files: list[Path], random: Random) -> str:
    other = random.choice(files)
    _replace(file, other.read_bytes())
    return f" by {other.name} of {other.parent.name}"


def _put_back(site: Site, file: Path, __: list[Path], random: Random) -> str:
    before = site.earlier / file.relative_to(site.data)
    if not before.is_file():
        return _flip(site, file, [], random)
    _replace(file, before.read_bytes())
    return " as it was a commit earlier"


def _make_folder(_: Site, file: Path, __: list[Path], ___: Random) -> str:
    file.unlink()
    file.mkdir()
    (file / "inside").write_bytes(b"something")
    return ""


def _make_pipe(_: Site, file: Path, __: list[Path], ___: Random) -> str:
    file.unlink()
    os.mkfifo(file)
    return ""


def _make_link(_: Site, file: Path, __: list[Path], random: Random) -> str:
    target = random.choice(["/nowhere", "/dev/null", str(file.parent)])
    file.unlink()
    file.symlink_to(target)
    return f" to {target}"


def _replace(file: Path, content: bytes) -> None:
    file.chmod(0o644)
    file.write_bytes(content)


FILE_DAMAGES: dict[str, Callable[[Site, Path, list[Path], Random], str]] = {
    "delete": _delete,
    "truncate": _truncate,
    "empty": _empty,
    "flip": _flip,
    "overwrite": _overwrite,
    "duplicate": _duplicate,
    "swap": _swap,
    "replace": _copy_over,
    "put back": _put_back,
    "folder instead of": _make_folder,
    "pipe instead of": _make_pipe,
    "link instead of": _make_link,
}
STALLING = frozenset({"pipe instead of"})
"""Damages that let whoever opens the file wait until they are undone. A run looks for them before it reads."""
