"""Runs the extraction on test repositories and reads the facts back from the lake.

Keep out: expectations. The repository's id is fixed, so that runs over copies of one history compare equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pygit2

from ingest.git.extract import ExtractionReport, Progress, extract_repository
from ingest.git.objects.refs import default_branch
from ingest.git.objects.repository import is_partial, open_repository
from ingest.git.repository_source import RepositorySource
from ingest.lake import Lake
from ingest.schemas import git as schemas
from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.reference_git import ReferenceGit

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
REPOSITORY = "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c11"
ABOUT_DELIVERIES = ("delivered_lines", "line_deaths", "fix_context")
REWRITTEN = ("deliveries", "refs", "reachability", "mailmap_entries", "repository_runs")

Rows = dict[str, Counter[str]]
"""Rows of each table as text, with how often each occurs."""


def source_of(path: Path, **changes: Any) -> RepositorySource:
    """The repository at `path`, described as by the product except for its id."""
    repository = open_repository(path)
    facts: dict[str, Any] = {
        "organization_id": ORGANIZATION,
        "repository_id": REPOSITORY,
        "name": "repository",
        "origin": "example.org/owner/repository",
        "path": Path(repository.path),
        "default_branch": default_branch(repository),
        "is_trusted_mirror": False,
        "is_shallow": repository.is_shallow,
        "is_partial": is_partial(repository),
    }
    return RepositorySource(**facts | changes)


@dataclass(frozen=True)
class Extraction:
    """A lake that follows one repository."""

    repository: Path
    raw: Path
    described_as: dict[str, Any] = field(default_factory=dict)

    ids = (ORGANIZATION, REPOSITORY)

    def run(
        self, workers: int = 1, on_progress: Callable[[Progress], None] | None = None
    ) -> ExtractionReport:
        source = source_of(self.repository, **self.described_as)
        return extract_repository(source, Lake(self.raw), workers=workers, on_progress=on_progress)

    @property
    def facts(self) -> RawFacts:
        return RawFacts(self.raw, ORGANIZATION, REPOSITORY)

    @property
    def git(self) -> ReferenceGit:
        return ReferenceGit(Path(pygit2.Repository(str(self.repository)).path))

    def column(self, table: str, name: str) -> list[Any]:
        return [row[name] for row in self.facts.rows(table, [name])]

    def rows(self, table: str, **equal: object) -> list[dict[str, Any]]:
        """Rows of a table whose columns have these values."""
        found = self.facts.table(table).to_pylist()
        return [row for row in found if all(row[name] == value for name, value in equal.items())]

    def all_rows(self) -> dict[str, list[dict[str, Any]]]:
        return {name: self.facts.table(name).to_pylist() for name in schemas.TABLES}


def current(tables: Mapping[str, Iterable[Mapping[str, Any]]]) -> Rows:
    """The rows that a model uses: those of reachable commits, and of deliveries on the mainline."""
    reachable = {
        row["commit_sha"]
        for row in tables["reachability"]
        if row["from_default"] or row["from_branch"] or row["from_tag"]
    }
    delivered = {row["delivery_sha"] for row in tables["deliveries"]}
    kept: Rows = {}
    for name, rows in tables.items():
        key, wanted = "commit_sha", reachable
        if name in ABOUT_DELIVERIES:
            key, wanted = "delivery_sha", delivered
        # A problem without a commit is about the repository.
        kept[name] = Counter(repr(row) for row in rows if row.get(key) is None or row[key] in wanted)
    return kept


def differences(expected: Rows, actual: Rows) -> dict[str, tuple[list[str], list[str]]]:
    """By table: missing rows and surplus rows."""
    return {
        name: (sorted((rows - actual[name]).elements())[:3], sorted((actual[name] - rows).elements())[:3])
        for name, rows in expected.items()
        if rows != actual[name]
    }
