"""Figures of connections: a first read, a read without news, and a build with their rows beside one without.

The server on loopback has no limit. Its own time is shown, because both share the machine.
"""

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.lake import Lake
from ingest.providers.jira.queries import LEVELS
from ingest.providers.registry import provider
from ingest.schemas import control
from tests.benchmarks import organization
from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.measuring import GIGABYTE, Measured, in_turn, measure, median
from tests.benchmarks.organization import Organization
from tests.benchmarks.reading.reference_git import environment

ISSUES, PULL_REQUESTS, COMMITS = 100_000, 50_000, 100_000
"""The promise is made for these. Two commits per pull request are few, so the build without is a short one."""
MAX_SECONDS, MAX_GIGABYTES = 600, 1
MAX_REQUESTS, MAX_RATIO = 10, 1.3
HOST = "GITHUB"
TRACKERS = ("JIRA_CLOUD", "GITHUB_ISSUES")
BUILT_WITH = "JIRA_CLOUD"
IDS = {kind: f"0190d3b0-0000-7000-8000-00000000000{place}" for place, kind in enumerate((HOST, *TRACKERS), 1)}
_TITLES = {
    HOST: "GitHub pull requests",
    "JIRA_CLOUD": "Jira Cloud issues",
    "GITHUB_ISSUES": "GitHub issues",
}


@dataclass(frozen=True)
class Server:
    """The running server."""

    address: str

    def cpu(self) -> float:
        with urllib.request.urlopen(f"{self.address}/cpu") as answer:
            return float(json.load(answer))


@dataclass(frozen=True)
class Read:
    """One run over a connection. `server` is the CPU time of the server meanwhile."""

    measured: Measured
    server: float

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.measured.output)
        return found


def prepare(folder: Path, commits: int) -> Organization:
    """Write the organization that has the connections."""
    return organization.prepare(folder / "without", commits)


def figures(
    made: Organization, repeat: int, issues: int = ISSUES, pull_requests: int = PULL_REQUESTS
) -> Iterator[Figure]:
    """Read the connections into a copy of the organization's lake, and build both."""
    folder = made.data_dir.with_name("with")
    shutil.copytree(made.data_dir / "raw", folder / "raw")
    is_promised = issues >= ISSUES and pull_requests >= PULL_REQUESTS
    end = min(made.plan.end, datetime.now(UTC) - timedelta(days=1))
    options = [f"--issues={issues}", f"--pulls={pull_requests}", f"--end={end.isoformat()}"]
    with _served([str(folder / "raw"), made.plan.organization_id, *options]) as server:
        seconds = {}
        for kind in (HOST, *TRACKERS):
            # Each tracker is a source of its own; the build reads one of them.
            raw = folder / "raw" if kind in (HOST, BUILT_WITH) else folder / kind
            if raw != folder / "raw":
                shutil.copytree(made.data_dir / "raw" / "control", raw / "control")
                shutil.copytree(made.data_dir / "raw" / "_state" / "control", raw / "_state" / "control")
            for figure in _reads(server, raw, made, kind):
                if figure.name.startswith("first"):
                    seconds[kind] = figure.value
                yield figure
        for kind in TRACKERS:
            bar = MAX_SECONDS if is_promised else None
            name = f"{issues:,} {_TITLES[kind]}, {pull_requests:,} pull requests"
            yield Figure(name, seconds[kind] + seconds[HOST], "s", at_most=bar)
    _enter(folder / "raw", made)
    yield from _builds(made, Organization(made.plan, folder, made.rows), repeat)


def _reads(server: Server, raw: Path, made: Organization, kind: str) -> Iterator[Figure]:
    progress(f"reading {_TITLES[kind]}")
    first = _read(server, raw, made, kind)
    rows = ", ".join(f"{count:,} {table}" for table, count in first.report["rows"].items())
    note = f"{rows}; {first.report['requests']:,} requests, CPU {first.measured.cpu:.0f} s, server {first.server:.0f} s"
    yield Figure(f"first read of {_TITLES[kind]}", first.report["wall"], "s", note=note)
    peak = first.measured.peak / GIGABYTE
    yield Figure(f"peak memory of the read of {_TITLES[kind]}", peak, "GB", at_most=MAX_GIGABYTES)
    again = _read(server, raw, made, kind)
    note = f"{again.report['wall']:.1f} s, rows {again.report['rows'] or 'none'}, {made.plan.repositories} repositories"
    name = f"requests of a read of {_TITLES[kind]} without news"
    yield Figure(name, again.report["requests"], at_most=MAX_REQUESTS, note=note)


def _read(server: Server, raw: Path, made: Organization, kind: str) -> Read:
    before = server.cpu()
    module = "tests.benchmarks.connections.sync_once"
    arguments = [str(raw), made.plan.organization_id, kind, server.address, IDS[kind]]
    measured = measure([sys.executable, "-m", module, *arguments], sample=True, environment=environment())
    return Read(measured, server.cpu() - before)


def _builds(without: Organization, with_rows: Organization, repeat: int) -> Iterator[Figure]:
    """Builds in turn, so that a busy minute affects both."""
    progress("builds without and with the rows of connections")
    made = [lambda one=one: organization.build_organization(one) for one in (without, with_rows)]
    runs = in_turn(made, repeat)
    [plain, full] = [median(each, lambda one: json.loads(one.output)["wall"]) for each in runs]
    yield Figure("dbt build without connections", plain, "s", note=_slowest(runs[0][-1]))
    yield Figure("dbt build with connections", full, "s", note=_slowest(runs[1][-1]))
    ratio = median(runs[1], lambda one: one.cpu) / median(runs[0], lambda one: one.cpu)
    note = f"CPU time {ratio:.2f} ×"
    yield Figure("the second ÷ the first", full / plain, "×", at_most=MAX_RATIO, note=note)
    yield Figure("peak memory of the build with connections", runs[1][-1].peak / GIGABYTE, "GB")


def _slowest(measured: Measured) -> str:
    answer = json.loads(measured.output)
    slowest = ", ".join(f"{name} {seconds}" for name, seconds in answer["slowest"].items())
    return f"{answer['nodes']} nodes, CPU {measured.cpu:.0f} s, load {measured.load:.1f}; slowest: {slowest}"


def _enter(raw: Path, made: Organization) -> None:
    """Enter the connections that were read into the settings of the lake."""
    shared = {"organization_id": made.plan.organization_id}
    kinds = (HOST, BUILT_WITH)
    connections = [
        shared
        | {
            "connection_id": IDS[kind],
            "kind": kind,
            "category": provider(kind).category.noun,
            "name": kind.title(),
            "unsynced_since": made.plan.end,
        }
        for kind in kinds
    ]
    levels = [
        shared | {"connection_id": IDS[BUILT_WITH], "item_kind": kind, "level": level}
        for kind, level in LEVELS.items()
    ]
    Lake(str(raw)).source("control", made.plan.organization_id, "_").commit(
        {},
        {
            "connections": pa.Table.from_pylist(connections, control.CONNECTIONS),
            "connection_levels": pa.Table.from_pylist(levels, control.CONNECTION_LEVELS),
        },
        {},
    )


@contextmanager
def _served(arguments: list[str]) -> Iterator[Server]:
    command = [sys.executable, "-m", "tests.benchmarks.connections.server", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True)
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, "the server of the bench did not start"
        yield Server(f"http://127.0.0.1:{port}")
    finally:
        # The processes of a test run ignore SIGTERM, and pass that on.
        process.kill()
        process.wait()
