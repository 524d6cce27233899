"""The plan of a synthetic organization (how large each repository is) and its writing into a lake."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa

from ingest.lake import Lake
from ingest.schemas import control, git
from tests.benchmarks.synthetic import changes, commits, history, lines, people
from tests.benchmarks.synthetic.columns import apportion
from tests.benchmarks.synthetic.vocabulary import REPOSITORIES

ORGANIZATION_ID = "0190d3b0-0000-7000-8000-00000000bbbb"
END = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Plan:
    """The sizes of the invented organization, as totals."""

    commits: int = 1_000_000
    changes_per_commit: int = 5
    repositories: int = 200
    addresses: int = 2_000
    years: int = 3
    seed: int = 1
    organization_id: str = ORGANIZATION_ID
    end: datetime = END

    @staticmethod
    def of_size(total: int, seed: int = 1) -> "Plan":
        """The usual organization scaled to `total` commits."""
        repositories = min(200, max(2, total // 500))
        return Plan(total, repositories=repositories, addresses=min(2_000, max(20, total // 50)), seed=seed)

    def repository(self, number: int) -> tuple[str, str]:
        """Id and name of a repository."""
        name = f"acme/{REPOSITORIES[number % len(REPOSITORIES)]}-{number}"
        origin = f"repository:https://git.example.com/{name}"
        return str(uuid.uuid5(uuid.UUID(self.organization_id), origin)), name

    def sizes(self) -> list[int]:
        """Commits per repository, a heavy tail."""
        rng = np.random.default_rng([self.seed, 0])
        weights = rng.lognormal(0, 1.4, self.repositories)
        least = min(50, self.commits // self.repositories)
        return [int(size) for size in apportion(weights, self.commits, least)]


def write(plan: Plan, raw_dir: Path, workers: int = 2) -> Iterator[tuple[str, dict[str, int]]]:
    """Write the organization, yielding (name, rows per table) as repositories are finished.

    Memory is bounded by the largest repository times `workers`. The same plan gives the same rows; a lake
    that already holds the organization must be removed before.
    """
    lake = Lake(str(raw_dir))
    lake.prepare(plan.organization_id)
    settings = lake.source("control", plan.organization_id, "_")
    settings.commit(appended={}, replaced=control_tables(plan), extra={})
    sizes = plan.sizes()
    # The largest first, so that the last worker ends soon after the others.
    order = sorted(range(plan.repositories), key=lambda number: -sizes[number])
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_write_repository, plan, str(raw_dir), sizes), order)


def tables(plan: Plan, number: int, size: int) -> dict[str, pa.Table]:
    """Every raw Git table of one repository."""
    rng = np.random.default_rng([plan.seed, 2, number])
    crowd = people.invent(plan.addresses, plan.seed)
    repository_id, name = plan.repository(number)
    source = {"organization_id": plan.organization_id, "repository_id": repository_id}
    end = _microseconds(plan.end)
    begin = end - int(plan.years * 365 * history.DAY * rng.uniform(0.3, 1))
    past = history.invent(rng, size, crowd, begin, end)
    edits = changes.invent(rng, past, size * plan.changes_per_commit)
    net = lines.net(edits, past)
    commit_rows, reference_rows = commits.commits(rng, past, crowd, source, edits.sums(size))
    found = {
        "commits": commit_rows,
        "references": reference_rows,
        "file_changes": changes.file_changes(rng, edits, past, source),
        "deliveries": commits.deliveries(rng, past, source),
        "delivered_lines": lines.delivered_lines(rng, edits, past, net, source),
        "line_deaths": lines.line_deaths(rng, edits, past, net, source),
        "repository_runs": commits.run(past, source, name),
        "mailmap_entries": people.mailmap(crowd, source),
        "problems": git.PROBLEMS.empty_table(),
        "squash_lines": git.SQUASH_LINES.empty_table(),
    } | commits.refs(past, source)
    return found | {"fix_context": lines.fix_context(rng, found["line_deaths"])}


def _write_repository(plan: Plan, raw_dir: str, sizes: list[int], number: int) -> tuple[str, dict[str, int]]:
    repository_id, name = plan.repository(number)
    content = tables(plan, number, sizes[number])
    Lake(raw_dir).source("git", plan.organization_id, repository_id).commit(content, {}, {})
    return name, {table: rows.num_rows for table, rows in content.items()}


def control_tables(plan: Plan) -> dict[str, pa.Table]:
    """The control tables of the organization and its repositories."""
    organization = {
        "organization_id": plan.organization_id,
        "name": "Acme",
        "slug": "acme",
        "time_zone": "Europe/Berlin",
        "work_category_grouping": "five",
        "working_weekdays": "12345",
        "hours_per_day_hundredths": 800,
        "is_commit_limited": False,
        "analysis_paused_by": None,
        "analysis_paused_since": None,
        "renews_on": None,
    }
    repositories = []
    for number in range(plan.repositories):
        repository_id, name = plan.repository(number)
        repositories.append(
            {
                "organization_id": plan.organization_id,
                "repository_id": repository_id,
                "name": name,
                "origin": f"https://git.example.com/{name}",
                "is_sandbox": number % 50 == 17,
                "is_excluded": number % 50 == 23,
                "is_disabled": number % 100 == 41,
                "analysis_start_at": plan.end - timedelta(days=500) if number % 40 == 11 else None,
                "tags": [],
                "unread_since": None,
            }
        )
    return {
        "organizations": pa.Table.from_pylist([organization], schema=control.ORGANIZATIONS),
        "repositories": pa.Table.from_pylist(repositories, schema=control.REPOSITORIES),
    }


def _microseconds(instant: datetime) -> int:
    return int(instant.timestamp()) * 1_000_000
