"""Time and memory of the dbt build of a synthetic organization."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingest.settings import Settings
from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.latency.published_synthetic import AS_OF, ORGANIZATION
from tests.benchmarks.measuring import GIGABYTE, Measured, measure
from tests.benchmarks.reading.reference_git import environment
from tests.benchmarks.synthetic.organization import Plan, write

# The promise is made for this size.
PROMISED_COMMITS = 1_000_000


@dataclass(frozen=True)
class Organization:
    """A written lake below a data directory, with its rows per table."""

    plan: Plan
    data_dir: Path
    rows: Counter[str]

    @property
    def warehouse(self) -> Path:
        return Settings(data_dir=self.data_dir).warehouse_file(self.plan.organization_id)


def prepare(data_dir: Path, commits: int) -> Organization:
    """Write the lake of an organization of this many commits."""
    end = datetime(AS_OF.year, AS_OF.month, AS_OF.day, tzinfo=UTC)
    # The bench of reads uses this organization too.
    plan = replace(Plan.of_size(commits), organization_id=ORGANIZATION, end=end)
    rows = Counter[str]()
    progress(f"writing a synthetic organization of {commits:,} commits")
    for _, counts in write(plan, data_dir / "raw"):
        rows.update(counts)
    return Organization(plan, data_dir, rows)


def build(data_dir: Path, organization_id: str, *options: str) -> Measured:
    """Run one dbt build in a separate process."""
    command = [sys.executable, "-m", "tests.benchmarks.build_once", str(data_dir), organization_id]
    return measure([*command, *options], sample=True, environment=environment())


def build_organization(made: Organization) -> Measured:
    """Build the synthetic organization as of some days after its last commit."""
    as_of = made.plan.end + timedelta(days=5)
    return build(made.data_dir, made.plan.organization_id, f"--as-of={as_of.isoformat()}")


def figures(made: Organization) -> Iterator[Figure]:
    """Build the warehouse from nothing and measure it."""
    yield Figure("commits", made.rows["commits"])
    yield Figure("file changes", made.rows["file_changes"])
    progress("dbt build")
    built = build_organization(made)
    answer = json.loads(built.output)
    is_promised = made.plan.commits >= PROMISED_COMMITS
    slowest = ", ".join(f"{name} {seconds}" for name, seconds in answer["slowest"].items())
    note = f"{answer['nodes']} nodes, CPU {built.cpu:.0f} s, load {built.load:.1f}; slowest: {slowest}"
    yield Figure("dbt build", answer["wall"], "s", at_most=180 if is_promised else None, note=note)
    peak = built.peak / GIGABYTE
    yield Figure("peak memory of the build", peak, "GB", at_most=8 if is_promised else None)
    yield Figure("warehouse file", made.warehouse.stat().st_size / GIGABYTE, "GB")
