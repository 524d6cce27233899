"""Guards dbt's cache of the parsed project, which holds the SQL of every model.

dbt believes the file: a flipped byte within a model would change figures. Keep out: parsing (dbt_build.py).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

PARTIAL_PARSE_FILE = "partial_parse.msgpack"


def discard_damaged(target: Path) -> None:
    """Delete the cached project of a target folder unless it is as dbt wrote it; dbt then parses again."""
    for file in (target / PARTIAL_PARSE_FILE, target / "manifest.json"):
        if file.exists() and not is_intact(file):
            file.unlink()


def remember(target: Path) -> None:
    """Store the checksums of what dbt has just written."""
    for file in (target / PARTIAL_PARSE_FILE, target / "manifest.json"):
        if file.exists():
            _seal(file).write_text(_checksum(file))


def is_intact(file: Path) -> bool:
    """Whether a file exists with the content of its checksum."""
    try:
        return _seal(file).read_text() == _checksum(file)
    except (FileNotFoundError, UnicodeDecodeError):
        return False


def _seal(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
