"""Adds rows to a snapshot, reads its figures and prints them."""

import io
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
from rich.console import Console

from orchestration.report import figures, tables
from orchestration.report.snapshot import Snapshot

ORGANIZATION = "o1"
MONDAY = date(2024, 5, 6)  # the last complete week begins here
MICRO = 1_000_000


Insert = Callable[..., None]


def day(
    insert: Insert,
    on: date,
    etv: float,
    *,
    who: str = "d1",
    repository: str = "r1",
    category: str = "features",
    ai: float = 0.0,
    commits: int = 1,
    is_bot: bool = False,
) -> None:
    insert(
        "daily",
        delivered_on=on,
        repository_id=repository,
        developer_id=who,
        category=category,
        etv_micro=int(etv * MICRO),
        ai_etv_micro=int(ai * MICRO),
        ai_commits=1 if ai else 0,
        commits=commits,
        is_bot=is_bot,
    )


def read(root: Path, ids: list[str]) -> figures.Figures:
    return figures.read(opened(root), ids)


def opened(root: Path) -> Snapshot:
    """Open a snapshot, which its writer may still have open."""
    file = root / ORGANIZATION / "b1.duckdb"
    return Snapshot("b1", file, duckdb.connect(str(file)))


def shown(found: figures.Figures) -> str:
    out = io.StringIO()
    tables.show(Console(file=out, width=140, force_terminal=True, color_system=None), found)
    return out.getvalue()


def reason(
    insert: Insert, code: str | None, *, commits: int, lines: int, on: date = MONDAY, repository: str = "r1"
) -> None:
    insert(
        "zero_reason_days",
        delivered_on=on,
        repository_id=repository,
        developer_id="d1",
        zero_reason=code,
        commits=commits,
        lines_added=lines,
    )
