"""Lists over 50,000 developers, 5,000 teams and 20,000 repositories, as an owner and as a lead of a team.

    python -m tests.benchmarks.latency.bench_lists [--commits 1000000] [--seconds 15] [--keep FOLDER]

`--keep` stores the organization for the next run, which then takes two minutes.

Prints figure, bar and verdict, one line each. Exits with 1 if a bar is missed.
The server answers every request from the databases (its response cache is off). Server and client share the machine's
cores.
"""

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb

from api.control.organizations.organizations import change_settings
from api.control.principals import OPERATOR
from orchestration.state import fingerprints
from tests.benchmarks.latency import published_synthetic
from tests.benchmarks.latency.http_load import Outcome, load
from tests.benchmarks.latency.list_organization import lead, owner, populate, published_file
from tests.benchmarks.latency.list_requests import Requests
from tests.benchmarks.latency.published_synthetic import ORGANIZATION, write_warehouse
from tests.benchmarks.latency.served import PAUSE, Figure, server, show
from tests.published_tables import publish_marts

COMMITS = 1_000_000
PROMISED = {"developers": 50_000, "teams": 5_000, "repositories": 20_000}
CONNECTED = {"issues": 100_000, "pull_requests": 100_000}
"""What connections bring, which pages show (bench_pages.py)."""
TENURE = 365
READERS = 20
MIN_GROUP = 5
# One of the ten top teams; it holds about a tenth of all people.
LED = "Team 3"


def measure(folder: Path, commits: int, seconds: float) -> Iterator[Figure]:
    """Measure every figure of the lists, in order."""
    prepare(folder, commits)
    with duckdb.connect(str(published_file(folder)), read_only=True) as build:
        for name, least in PROMISED.items():
            listed = int(build.execute(f"select count(*) from {name}").fetchall()[0][0])
            yield Figure(f"{name} on the list", listed, least, "", at_least=True)
    for leftover in folder.glob("control.db*"):
        leftover.unlink()
    store = populate(folder)
    errors: list[str] = []
    with server(folder) as served:
        port = served.port

        def run(name: str, key: str, *, of_owner: bool) -> Figure:
            pick = Requests(port, key, folder, of_owner).pick
            asyncio.run(load(port, key, pick, readers=4, seconds=3, pause=None))
            outcome = asyncio.run(load(port, key, pick, readers=READERS, seconds=seconds, pause=PAUSE))
            show(outcome)
            _show_routes(outcome)
            errors.extend(outcome.errors)
            return Figure(f"lists, 20 {name} pausing 0.2–1 s, p99", outcome.percentile(0.99), 100, "ms")

        everything, part = owner(store), lead(store, LED)
        yield run("owners", everything, of_owner=True)
        yield run("leads of a team", part, of_owner=False)
        change_settings(store, OPERATOR, ORGANIZATION, {"minimum_group_size": MIN_GROUP})
        yield run("owners, groups of at least five", everything, of_owner=True)
        yield run("leads, groups of at least five", part, of_owner=False)
    store.close()
    for error in errors[:5]:
        print(" ", error)
    yield Figure("failed reads of lists", len(errors), 0, "")


def prepare(folder: Path, commits: int) -> None:
    """Write and publish the organization, unless the folder holds it from the same code."""
    folder.mkdir(parents=True, exist_ok=True)
    warehouse, marker = folder / "synthetic.duckdb", folder / "made_of.json"
    made = [
        {"commits": commits, **PROMISED, **CONNECTED},
        _digest(Path(str(published_synthetic.__file__)), *published_synthetic.STATEMENTS),
        fingerprints.build_code(),
    ]
    kept = json.loads(marker.read_text()) if marker.exists() else [None, None, None]
    if kept == made:
        return
    marker.unlink(missing_ok=True)
    if kept[:2] != made[:2]:
        warehouse.unlink(missing_ok=True)
        write_warehouse(warehouse, commits=commits, tenure=TENURE, **PROMISED, **CONNECTED)
        marker.write_text(json.dumps([*made[:2], None]))
    published = publish_marts(warehouse, folder / "published", ORGANIZATION, keep_replaced=timedelta(0))
    print(f"published {published.file.stat().st_size / 1e6:.0f} MB, {commits:,} commits")
    marker.write_text(json.dumps(made))


def _digest(*modules: Path) -> str:
    return hashlib.sha256(b"".join(one.read_bytes() for one in modules)).hexdigest()


def _show_routes(outcome: Outcome) -> None:
    for name, times in sorted(outcome.by_route.items()):
        ordered = sorted(times)
        half, most = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
        print(
            f"    {name:26} {len(ordered):5} requests, p50 {half * 1000:6.1f} ms, p99 {most * 1000:6.1f} ms"
        )


def main() -> int:
    """Run everything. Returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument(
        "--keep", type=Path, help="folder in which the synthetic organization stays for the next run"
    )
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        for figure in measure(folder, options.commits, options.seconds):
            print(figure, flush=True)
            missed |= not figure.holds
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
