"""Whether published builds can be read, for `/readyz`: by pointer, size and the first bytes of the file.

Keep out: opening builds (builds.py). A build that this process has open serves on, whatever happened to its files.
"""

import json
from pathlib import Path

from api.snapshot.builds import Warehouse

# The bytes after the checksum of the first block in every DuckDB file.
MAGIC = (8, b"DUCK")


def unreadable(warehouse: Warehouse) -> int:
    """Number of organizations with a published build that cannot be read. One without a build does not count."""
    if not warehouse.root.is_dir():
        return 0
    return sum(
        not warehouse.of(folder.name).is_open and not _is_readable(folder)
        for folder in warehouse.root.iterdir()
        if folder.is_dir() and _is_expected(folder)
    )


def _is_expected(folder: Path) -> bool:
    return (folder / "current.json").exists() or any(folder.glob("*.duckdb"))


def _is_readable(folder: Path) -> bool:
    try:
        pointer = json.loads((folder / "current.json").read_bytes())
        file: Path = folder / pointer["file"]
        # Pointers of earlier releases name no size.
        if file.stat().st_size != pointer.get("bytes", file.stat().st_size):
            return False
        with file.open("rb") as content:
            start, magic = MAGIC
            content.seek(start)
            return bool(content.read(len(magic)) == magic)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
