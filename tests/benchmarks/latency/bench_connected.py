"""Pull requests, issues, objectives, checks, drafts, CapEx, AI spend and own figures: 100,000 issues and pull requests.

    python -m tests.benchmarks.latency.bench_connected [--commits 200000] [--seconds 15]

Prints p50, p95 and p99 of each route, then figure, bar and verdict. Exits with 1 if a bar is missed. The server
answers every request from the database (its response cache is off), and shares the cores with the readers.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain
from pathlib import Path

import duckdb
from sqlalchemy import insert

from api.control.accounts.tokens import create_token
from api.control.database import database_url
from api.control.ids import new_id
from api.control.models import CheckDecision
from api.control.store import ControlStore, open_store
from api.control.visibility import address_key
from tests.benchmarks.latency.http_load import Outcome, load
from tests.benchmarks.latency.list_organization import LASTING, MEMBER, NOW, member, published_file
from tests.benchmarks.latency.published_synthetic import AS_OF, ORGANIZATION, write_warehouse
from tests.benchmarks.latency.served import PAUSE, Figure, server, show
from tests.published_tables import publish_marts

COMMITS, ISSUES, PULL_REQUESTS, DECISIONS = 200_000, 100_000, 100_000, 2_000
READERS = 20
WARMINGS = 8
# As for the lists of developers, teams and repositories (bench_lists.py).
MAX_P99_MS = 100
ROOT = f"/api/v1/organizations/{ORGANIZATION}"
OCCURRENCES = ("occurrences", "occurrences by value", "occurrences, repository", "occurrences, search")
AI_GROUPS = ("TOOL", "MODEL", "DEVELOPER", "TEAM", "WEEK", "MONTH")
STATUSES, GROUPS = ("OPEN", "SNOOZED", "RESOLVED"), ("KIND", "REPOSITORY", "TEAM")
Pick = Callable[[random.Random], tuple[str, str]]


def measure(folder: Path, commits: int, seconds: float) -> Iterator[Figure]:
    """Measure every figure, in order."""
    warehouse = folder / "connected.duckdb"
    write_warehouse(warehouse, commits=commits, teams=90, issues=ISSUES, pull_requests=PULL_REQUESTS)
    _name_member(warehouse)
    publish_marts(warehouse, folder / "published", ORGANIZATION, keep_replaced=timedelta(0))
    store = open_store(url=database_url(folder))
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="local")
    key = create_token(store, ORGANIZATION, "bench").key
    member_key = member(store)
    _decide(store, published_file(folder))
    store.close()
    pick = _picker(published_file(folder))
    with server(folder) as served:
        # Each process compares the file with its checksum when it first opens it: 1.4 s for two gigabytes. New
        # connections reach the other process sooner or later.
        for _ in range(WARMINGS):
            asyncio.run(load(served.port, key, pick, readers=READERS, seconds=1, pause=PAUSE))
            asyncio.run(load(served.port, member_key, _own, readers=READERS, seconds=1, pause=PAUSE))
        own = asyncio.run(load(served.port, member_key, _own, readers=READERS, seconds=seconds, pause=PAUSE))
        outcome = asyncio.run(load(served.port, key, pick, readers=READERS, seconds=seconds, pause=PAUSE))
    for one in (outcome, own):
        show(one)
        _show_routes(one)
        for error in one.errors[:5]:
            print(" ", error)
    reading = f"{READERS} readers pausing, p99"
    name = f"pull requests, issues, objectives, checks, {reading}"
    yield Figure(name, outcome.percentile(0.99), MAX_P99_MS, "ms")
    listed = sorted(chain.from_iterable(outcome.by_route[route] for route in OCCURRENCES))
    slowest = listed[min(len(listed) - 1, int(0.99 * len(listed)))] * 1000
    yield Figure(f"occurrences of checks, {reading}", slowest, MAX_P99_MS, "ms")
    yield Figure(f"own figures, {reading}", own.percentile(0.99), MAX_P99_MS, "ms")
    yield Figure("failed reads of what connections bring", len(outcome.errors) + len(own.errors), 0, "")


def _name_member(warehouse: Path) -> None:
    """Give the address of the member to the developer with most commits."""
    with duckdb.connect(str(warehouse)) as build:
        build.execute(
            "insert into api_v1__developer_identities select ?, developer_id, any_value(calculation_version) "
            "from api_v1__commits group by developer_id order by count(*) desc limit 1",
            (address_key(ORGANIZATION, MEMBER),),
        )


def _own(dice: random.Random) -> tuple[str, str]:
    """Draw a request for a member's own figures."""
    day = AS_OF - timedelta(days=dice.randrange(300))
    since = day - timedelta(days=dice.randrange(80, 100))
    name, path = dice.choice(
        (
            ("own commits", f"commits?endDate={day}"),
            ("own pull requests", f"pullRequests?endDate={day}"),
            ("own series", f"metrics?startDate={since}&endDate={day}"),
            ("own movements", f"movements?startDate={since}&endDate={day}"),
            ("own CapEx", f"capex?endDate={day}"),
        )
    )
    return name, f"{ROOT}/me/{path}"


def _decide(store: ControlStore, file: Path) -> None:
    """Snooze some occurrences and resolve others."""
    with duckdb.connect(str(file), read_only=True) as build:
        query = f"select occurrence_id, kind from check_occurrences using sample {DECISIONS}"
        decided = build.execute(query).fetchall()
    rows = [
        {
            "organization_id": ORGANIZATION, "id": new_id(), "occurrence_id": occurrence, "kind": kind,
            "action": "snoozed" if number % 2 else "resolved", "until_on": LASTING if number % 2 else None,
            "note": None if number % 2 else "It waits for the release.", "is_last": True, "decided_at": NOW,
            "decided_by": "ann@acme.example",
        }
        for number, (occurrence, kind) in enumerate(decided)
    ]  # fmt: skip
    with store.session() as session:
        session.execute(insert(CheckDecision), rows)


def _picker(file: Path) -> Pick:
    """Draw a request: lists with filters, searches and orders, single ones, series; rarely the same twice."""
    with duckdb.connect(str(file), read_only=True) as build:

        def ids(table: str, column: str) -> list[str]:
            query = f"select distinct {column} from (select {column} from {table} using sample 5000)"
            return [row[0] for row in build.execute(query).fetchall()]

        pulls, issues = ids("pull_requests", "pull_request_id"), ids("issues", "issue_id")
        objectives, repositories = ids("objectives", "objective_id"), ids("repositories", "repository_id")
        occurrences = ids("check_occurrences", "occurrence_id")

    def pick(dice: random.Random) -> tuple[str, str]:
        day, size = AS_OF - timedelta(days=dice.randrange(900)), dice.randrange(40, 60)
        since = day - timedelta(days=dice.randrange(80, 100))
        name, path = dice.choice(
            (
                ("pull requests", f"/pullRequests?endDate={day}&pageSize={size}"),
                ("pull requests by etv", f"/pullRequests?state=MERGED&orderBy=etv%20desc&endDate={day}"),
                (
                    "pull requests, repository",
                    f"/pullRequests?repository={dice.choice(repositories)}&endDate={day}",
                ),
                ("pull requests, search", f"/pullRequests?search={dice.randrange(1000)}"),
                ("one pull request", f"/pullRequests/{dice.choice(pulls)}"),
                ("metrics of pull requests", f"/pullRequestMetrics?startDate={since}&endDate={day}"),
                (
                    "metrics by repository",
                    f"/pullRequestMetrics?groupBy=REPOSITORY&startDate={since}&endDate={day}",
                ),
                ("reviewers", f"/reviewers?startDate={since}&endDate={day}"),
                ("issues", f"/issues?pageSize={size}&statusCategory={dice.choice(['DONE', 'TODO'])}"),
                ("issues of an objective", f"/issues?objective={dice.choice(objectives)}"),
                ("issues, search", f"/issues?search={dice.randrange(1000)}"),
                ("one issue", f"/issues/{dice.choice(issues)}"),
                ("objectives", f"/objectives?pageSize={size}"),
                ("objectives by etv", f"/objectives?orderBy=etv%20desc&pageSize={size}"),
                ("tree of objectives", "/objectives:tree"),
                ("one objective", f"/objectives/{dice.choice(objectives)}"),
                ("commits of an objective", f"/commits?objective={dice.choice(objectives)}"),
                ("occurrences", f"/checkOccurrences?pageSize={size}&status={dice.choice(STATUSES)}"),
                ("occurrences by value", f"/checkOccurrences?orderBy=value%20desc&pageSize={size}"),
                ("occurrences, repository", f"/checkOccurrences?repository={dice.choice(repositories)}"),
                ("occurrences, search", f"/checkOccurrences?search={dice.randrange(1000)}"),
                ("occurrences by group", f"/checkOccurrences:group?groupBy={dice.choice(GROUPS)}"),
                ("one occurrence", f"/checkOccurrences/{dice.choice(occurrences)}"),
                (
                    "series of weeks",
                    f"/pullRequestMetrics?groupBy=REPOSITORY&interval=WEEK&startDate={since}&endDate={day}",
                ),
                ("CapEx", f"/capex?startDate={since}&endDate={day}"),
                ("AI spend", f"/aiSpend?groupBy={dice.choice(AI_GROUPS)}&startDate={since}&endDate={day}"),
                (
                    "telemetry and vendor",
                    f"/aiSpend/reconciliation?groupBy=DAY&startDate={since}&endDate={day}",
                ),
                ("draft of a week", "/summaries:preview?scopeKind=ORGANIZATION&period=WEEK"),
            )
        )
        return name, f"{ROOT}{path}"

    return pick


def _show_routes(outcome: Outcome) -> None:
    for name, times in sorted(outcome.by_route.items()):
        ordered = sorted(times)
        half, most, worst = (
            ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000 for share in (0.5, 0.95, 0.99)
        )
        count = len(ordered)
        print(
            f"    {name:26} {count:5} requests, p50 {half:6.1f} ms, p95 {most:6.1f} ms, p99 {worst:6.1f} ms"
        )


def main() -> int:
    """Run everything. Returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        for figure in measure(Path(temporary), options.commits, options.seconds):
            print(figure, flush=True)
            missed |= not figure.holds
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
