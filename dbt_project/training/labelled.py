"""Labelled commits that the category model learns from.

The files and the warehouse stay outside the project: they hold messages of other people. Only weights of terms that
many projects use leave them. Keep out: terms of a message (messages.py), the fit (categories.py).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from dbt_project.training.messages import terms, without_type, without_types

CATEGORIES = ("features", "maintenance", "fixes")

_LEVIN = {"corrective": "fixes", "perfective": "maintenance", "adaptive": "features"}
# Types of tests and documentation are missing: path and content decide those before the model is asked.
_CONVENTIONAL = {
    "feat": "features",
    "fix": "fixes",
    "refactor": "maintenance",
    "chore": "maintenance",
    "perf": "maintenance",
    "style": "maintenance",
    "build": "maintenance",
    "ci": "maintenance",
}
_COMMITS = """
select
    messages.commit_sha, messages.subject, coalesce(messages.body, '') as body, changes.terms,
    changes.novel_lines + changes.gone_lines as lines
from stg_git__commits as messages
inner join int_delivered_commits as delivered
    on messages.commit_sha = delivered.commit_sha and messages.repository_id = delivered.repository_id
inner join int_categories__changes as changes on messages.commit_sha = changes.commit_sha
left join int_exclusions__commits as excluded
    on messages.commit_sha = excluded.commit_sha and excluded.zero_reason is not null
where excluded.commit_sha is null and changes.novel_lines + changes.gone_lines > 0
"""


@dataclass(frozen=True)
class Labelled:
    """One commit of a set and project. `category` is a number in CATEGORIES, `words` and `changes` are terms of message
    and change, `lines` those that it changes for good in source files."""

    source: str
    project: str
    sha: str
    category: int
    words: tuple[str, ...]
    changes: tuple[str, ...] = ()
    lines: int = 1
    subject: str = ""
    body: str = ""
    declared: str = ""


def levin(path: Path) -> list[Labelled]:
    """Commits of Levin and Yehudai 2017, words alone. Raises OSError and KeyError for a missing or other file."""
    found = []
    for row in _rows(path):
        # The set writes line ends as hyphens: an empty line as two, and a list's bullet before the subject as one.
        subject, _, body = re.sub(r"^[\s-]+", "", row["message"]).partition("--")
        category = CATEGORIES.index(_LEVIN[row["label"]])
        words = tuple(terms(subject, body))
        found.append(
            Labelled("levin", row["repository"], row["sha"], category, words, subject=subject, body=body)
        )
    return found


def declared(paths: Sequence[Path], warehouse: Path) -> list[Labelled]:
    """Commits whose authors declared a type, without it, where `warehouse` knows what they changed.

    `paths` are sets with the columns repo, sha, and category or type. Commits of which nothing counts (bots,
    imports) and those without source lines are left out. Raises OSError, KeyError and duckdb.Error.
    """
    categories: dict[str, tuple[str, int, str]] = {}
    for path in paths:
        for row in _rows(path):
            category = row.get("category") or _CONVENTIONAL.get(row["type"])
            if category in CATEGORIES:
                kind = row.get("declared_type") or row["type"]
                categories.setdefault(row["sha"], (row["repo"], CATEGORIES.index(category), kind))
    found = []
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        for sha, subject, body, changes, lines in connection.execute(_COMMITS).fetchall():
            if sha not in categories:
                continue
            project, number, kind = categories[sha]
            said, told = without_type(subject), without_types(body)
            words = tuple(terms(said, told))
            found.append(
                Labelled("declared", project, sha, number, words, tuple(changes), lines, said, told, kind)
            )
    return sorted(found, key=lambda commit: (commit.project, commit.sha))


def _rows(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
