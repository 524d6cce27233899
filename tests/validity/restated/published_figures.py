"""Reads the figures of one history from what `eas analyze` published, with columns that earlier releases have, too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from api.control.categories import CATEGORIES

MICRO = 1_000_000
TOP = 10
# Reasons for imported and foreign work.
IMPORTED = ("IMPORT", "IMPORT_WAITING", "UPSTREAM")


@dataclass(frozen=True)
class Commit:
    """One of the most valuable commits; `etv` in ETV."""

    sha: str
    subject: str
    category: str
    etv: float


@dataclass(frozen=True)
class Figures:
    """Figures of a whole history. `categories` and `people` are in ETV, `robots` in commits by name; `imported` counts
    commits, and `reasons` the new lines without ETV by reason."""

    etv: float
    categories: dict[str, float]
    people: dict[str, float]
    robots: dict[str, int]
    imported: int
    reasons: dict[str, int]
    top: tuple[Commit, ...]

    def share(self, person: str) -> float:
        """Share of a person in all ETV, 0 to 1."""
        return self.people.get(person, 0.0) / self.etv if self.etv else 0.0


def read(data: Path) -> Figures:
    """The current figures of a data directory. Raises FileNotFoundError where nothing was published."""
    pointers = sorted((data / "published").glob("*/current.json"))
    if not pointers:
        raise FileNotFoundError(f"nothing was published below {data}")
    file = pointers[0].parent / json.loads(pointers[0].read_text(encoding="utf-8"))["file"]
    with duckdb.connect(str(file), read_only=True) as connection:

        def rows(query: str, *given: object) -> list[tuple[object, ...]]:
            return connection.execute(query, given).fetchall()

        categories = _sums(
            rows("select category, sum(etv_micro) from daily where not is_bot group by category")
        )
        people = _sums(
            rows(
                "select developers.name, sum(etv_micro) from daily inner join developers using (developer_id)"
                " where not daily.is_bot group by all"
            )
        )
        robots = rows("select name, sum(commit_count) from developers where is_bot group by name")
        imported = rows(
            "select count(*) from commits_by_time where list_contains(?, zero_reason)", list(IMPORTED)
        )
        reasons = rows(
            "select zero_reason, sum(lines_added) from zero_reason_days"
            " where zero_reason is not null group by zero_reason"
        )
        top = rows(
            "select commit_sha, subject, category, etv_micro from commits_by_time where is_counted"
            " order by etv_micro desc, commit_sha limit ?",
            TOP,
        )
    return Figures(
        sum(categories.values()),
        {category: categories.get(category, 0.0) for category in CATEGORIES},
        people,
        {str(name): _whole(commits) for name, commits in robots},
        _whole(imported[0][0]),
        {str(reason): _whole(lines) for reason, lines in reasons},
        tuple(
            Commit(str(sha), str(subject), str(category), _whole(etv) / MICRO)
            for sha, subject, category, etv in top
        ),
    )


def _sums(rows: Sequence[tuple[object, ...]]) -> dict[str, float]:
    return {str(name): _whole(micro) / MICRO for name, micro in rows}


def _whole(value: object) -> int:
    return int(str(value or 0))
