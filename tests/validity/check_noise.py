"""How many new occurrences of checks a team of ten sees in a week, over given clones.

`python -m tests.validity.check_noise CLONE …` analyses each clone and prints the mean over the weeks of the last two
years with commits: for each kind that clones alone can show, and for those that are on by default together. It ends
with 1 where these are more than five. Keep out: checks of pull requests and issues, which need a host or a tracker.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import yaml

from api.access.row_access import RowAccess
from api.presentation.checks import check_kinds
from api.query.periods import Range
from api.read.checks.backtests import Proposal, judged
from api.snapshot.build import Build
from dbt_project import dictionary
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt.warehouse import published
from tests.validity.analysed import analyse

# What a team of ten can look at.
MOST_A_WEEK = 5
TEAM = 10
DAYS = 728
_PROJECT = yaml.safe_load((dictionary.PROJECT / "dbt_project.yml").read_text())
KINDS = [
    kind
    for kind in check_kinds().values()
    if kind.source not in ("pull_request", "issue", "ai_usage")
    and kind.name not in _PROJECT["vars"]["connected_commit_checks"]
]


def noise(clone: Path, folder: Path) -> dict[str, float]:
    """New occurrences of each kind in a week of a team of ten. People count in the weeks of their commits."""
    warehouse = analyse({clone.name: clone}, folder).warehouse
    directory = folder / "published" / LOCAL_ORGANIZATION
    directory.mkdir(parents=True)
    (directory / "build.duckdb").symlink_to(published(warehouse))
    build = Build("build", directory / "build.duckdb", 1000)
    try:
        last: date = build.value("select max(delivered_on) from commits_by_time")
        days = Range(last - timedelta(days=DAYS - 1), last)
        weeks = build.value(
            "select count(distinct (developer_id, date_trunc('week', delivered_on))) from commits_by_time "
            f"where not is_bot and delivered_on >= date '{days.first}'"
        )
        found = {}
        for kind in KINDS:
            proposal = Proposal(kind, kind.threshold_micro, kind.critical_micro)
            query = judged(build, RowAccess(LOCAL_ORGANIZATION), proposal, days, "UTC")
            found[kind.name] = build.value(f"select count(*) from ({query})") * TEAM / weeks
        return found
    finally:
        build.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    is_noisy = False
    for clone in options.clones:
        with tempfile.TemporaryDirectory(prefix="noise-") as folder:
            found = noise(clone, Path(folder))
        together = sum(found[kind.name] for kind in KINDS if kind.is_on)
        is_noisy = is_noisy or together > MOST_A_WEEK
        kinds = ", ".join(f"{name} {count:.2f}" for name, count in found.items())
        print(f"{clone}: {together:.2f} a week of those that are on; {kinds}", flush=True)
    return int(is_noisy)


if __name__ == "__main__":
    sys.exit(main())
