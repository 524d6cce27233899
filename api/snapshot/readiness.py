"""Whether published builds can be read, for `/readyz`: by pointer, size and the first bytes of the file.

Keep out: opening builds (builds.py). A build that this process has open serves on, whatever happened to its files.
"""

from pathlib import Path

from api.snapshot import pointers
from api.snapshot.warehouse import Warehouse

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
        pointer = pointers.read(folder)
        if not pointer.file.is_file() or pointer.bytes not in (None, pointer.file.stat().st_size):
            return False
        with pointer.file.open("rb") as content:
            start, magic = MAGIC
            content.seek(start)
            return bool(content.read(len(magic)) == magic)
    except (OSError, ValueError):
        return False
