"""Damage to one file of a data directory."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

# Chosen before a file, so that thousands of logs and compiled models do not outweigh the rest.
PARTS = (
    "raw/git",
    "raw/control",
    "raw/_state",
    "published",
    "warehouse",
    "journal",
    "dbt",
    "dagster",
    "exports",
    ".",
)
LOCK_SUFFIXES = (".lock", ".publishing", ".migrating")


def damage(data: Path, random: Random, part: str | None = None) -> str:
    """Damage one file. Returns what was done to which file."""
    part = part or random.choice(PARTS)
    files = _files(data / part, recursive=part != ".")
    file = random.choice(files)
    name, act = random.choice(sorted(DAMAGES.items()))
    detail = act(file, files, random)
    return f"{name} {file.relative_to(data)}{detail}"


def _files(folder: Path, *, recursive: bool) -> list[Path]:
    found = folder.rglob("*") if recursive else folder.glob("*")
    return sorted(one for one in found if one.is_file() and not one.name.endswith(LOCK_SUFFIXES))


def _delete(file: Path, _: list[Path], __: Random) -> str:
    file.unlink()
    return ""


def _truncate(file: Path, _: list[Path], random: Random) -> str:
    content = file.read_bytes()
    kept = random.randrange(len(content)) if content else 0
    _replace(file, content[:kept])
    return f" to {kept} bytes"


def _empty(file: Path, _: list[Path], __: Random) -> str:
    _replace(file, b"")
    return ""


def _flip(file: Path, _: list[Path], random: Random) -> str:
    content = bytearray(file.read_bytes())
    if not content:
        return " (empty)"
    place, bit = random.randrange(len(content)), 1 << random.randrange(8)
    content[place] ^= bit
    _replace(file, bytes(content))
    return f" at {place}, bit {bit}"


def _duplicate(file: Path, _: list[Path], random: Random) -> str:
    copy = file.with_name(f"{random.randrange(100, 1000):06d}-{file.name}")
    shutil.copyfile(file, copy)
    return f" as {copy.name}"


def _swap(file: Path, files: list[Path], random: Random) -> str:
    other = random.choice(files)
    mine, its = file.read_bytes(), other.read_bytes()
    _replace(file, its)
    _replace(other, mine)
    return f" with {other.name} in {other.parent.name}"


def _replace(file: Path, content: bytes) -> None:
    file.chmod(0o644)
    file.write_bytes(content)


DAMAGES: dict[str, Callable[[Path, list[Path], Random], str]] = {
    "delete": _delete,
    "truncate": _truncate,
    "empty": _empty,
    "flip": _flip,
    "duplicate": _duplicate,
    "swap": _swap,
}
