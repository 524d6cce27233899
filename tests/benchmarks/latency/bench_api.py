"""Reads of a published organization of a million commits, with and without publishing in a loop.

    python -m tests.benchmarks.latency.bench_api [--commits 1000000] [--seconds 15] [--keep FOLDER]

Prints figure, bar and verdict, one line each. Exits with 1 if a bar is missed.
Server, client and publisher share the cores of the machine. The server answers every request from the database (its
response cache is off).
"""

import argparse
import asyncio
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median

import duckdb

from api.control.accounts.tokens import create_token
from api.control.database import database_url
from api.control.store import open_store
from tests.benchmarks.latency.attacks import attacking
from tests.benchmarks.latency.http_load import Outcome, load
from tests.benchmarks.latency.published_synthetic import ORGANIZATION, write_warehouse
from tests.benchmarks.latency.served import PAUSE, Figure, server, show
from tests.benchmarks.measuring import sampled_peak
from tests.published_tables import publish_marts

ROOT = f"/api/v1/organizations/{ORGANIZATION}"
# Short in the loop, because replaced builds would fill the disk.
KEEP_IN_LOOP = timedelta(seconds=5)
MAX_LOOP = 150.0
# Two publishes that take as long as they may.
MAX_CROWDED = 600.0
# Readers and a build share the cores: neither takes longer than this many times its time alone.
MAX_RATIO = 3
# The attacker uses the same cores, and the p99 of two quiet runs differs by a fifth.
MAX_ATTACK_RATIO = 1.5
MAX_ATTACK_MB = 50
HEAD_SECONDS = 10


def prepare(folder: Path, commits: int) -> tuple[Path, str, float]:
    """Publish a synthetic warehouse. Returns it with an API key and the seconds of publishing."""
    warehouse = folder / f"synthetic-{commits}.duckdb"
    if not warehouse.exists():
        write_warehouse(warehouse, commits=commits)
    started = time.perf_counter()
    published = publish_marts(warehouse, folder / "published", ORGANIZATION, keep_replaced=timedelta(0))
    seconds = time.perf_counter() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"published {published.rows['commits_by_time']:,} commits, {published.rows['commit_files']:,} "
        f"file changes in {seconds:.1f} s, {published.file.stat().st_size / 1e6:.0f} MB, peak {memory:.0f} MB"
    )
    # By address, because the data directory has published figures and no control database yet.
    store = open_store(url=database_url(folder))
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="local")
    key = create_token(store, ORGANIZATION, "bench").key
    store.close()
    return warehouse, key, seconds


def picker(folder: Path) -> Callable[[random.Random], tuple[str, str]]:
    """Draw a request from the mix: list, list of one repository, daily series, one commit; rarely the same twice."""
    pointer = json.loads((folder / "published" / ORGANIZATION / "current.json").read_text())
    with duckdb.connect(
        str(folder / "published" / ORGANIZATION / pointer["file"]), read_only=True
    ) as connection:
        ids = [
            row[0]
            for row in connection.execute(
                "select commit_id from commit_numbers using sample 20000"
            ).fetchall()
        ]
        newest, days = connection.execute(
            "select max(delivered_on), max(delivered_on) - min(delivered_on) from daily"
        ).fetchall()[0]
        repositories = [
            row[0] for row in connection.execute("select repository_id from repositories").fetchall()
        ]

    def pick(dice: random.Random) -> tuple[str, str]:
        day = newest - timedelta(days=dice.randrange(days // 2 + 1))
        match dice.randrange(4):
            case 0:
                return "list", f"{ROOT}/commits?endDate={day}&pageSize={dice.randrange(40, 60)}"
            case 1:
                return "repository", f"{ROOT}/commits?repository={dice.choice(repositories)}&endDate={day}"
            case 2:
                first = day - timedelta(days=dice.randrange(80, 100))
                return "daily", f"{ROOT}/metrics?interval=DAY&startDate={first}&endDate={day}"
            case _:
                return "commit", f"{ROOT}/commits/{dice.choice(ids)}"

    return pick


@contextmanager
def republishing(folder: Path, warehouse: Path) -> Iterator[list[float]]:
    """Run another process that publishes this warehouse in a loop. Its seconds per publish are known afterwards."""
    seconds: list[float] = []
    command = [sys.executable, __file__, "--republish", str(folder), str(warehouse)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield seconds
    finally:
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=600)
        seconds += [float(line) for line in told.split()]
        print(f"  published again in {', '.join(f'{one:.1f}' for one in seconds)} s", flush=True)


def republish_forever(folder: Path, warehouse: Path) -> None:
    """Publish in a loop until a signal to end, then finish the current publish."""
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ending.append(number))
    while not ending:
        started = time.perf_counter()
        publish_marts(warehouse, folder / "published", ORGANIZATION, keep_replaced=KEEP_IN_LOOP)
        print(time.perf_counter() - started, flush=True)


def measure(folder: Path, commits: int, seconds: float) -> Iterator[Figure]:
    """Measure every figure of reading, in order."""
    warehouse, key, publishing = prepare(folder, commits)
    pick = picker(folder)
    # Long enough for several publishes, which take longer under load.
    loop = min(max(seconds, 3 * publishing), MAX_LOOP)
    with republishing(folder, warehouse) as alone:
        time.sleep(publishing)
    with server(folder) as served:
        port = served.port

        def run(readers: int, length: float, pause: tuple[float, float] | None) -> Outcome:
            return asyncio.run(load(port, key, pick, readers=readers, seconds=length, pause=pause))

        run(4, 3, None)
        quiet = run(20, seconds, PAUSE)
        show(quiet)
        yield Figure("20 readers pausing 0.2–1 s, p99", quiet.percentile(0.99), 100, "ms")
        few = run(4, seconds, None)
        show(few)
        yield Figure("4 readers without pause, p99", few.percentile(0.99), 50, "ms")
        many = run(20, seconds, None)
        show(many)
        yield Figure("20 readers without pause", many.rate, 200, "call/s", at_least=True)
        with republishing(folder, warehouse):
            busy = run(20, loop, PAUSE)
        show(busy)
        yield Figure("builds seen while publishing in a loop", len(busy.builds), 2, "", at_least=True)
        yield Figure(
            "20 readers pausing while publishing, p99 ÷ quiet p99",
            busy.percentile(0.99) / quiet.percentile(0.99),
            MAX_RATIO,
            "×",
        )
        with republishing(folder, warehouse) as beside:
            crowded = run(20, min(2 * MAX_RATIO * median(alone), MAX_CROWDED), None)
        show(crowded)
        # The last one may have ended after the readers.
        yield Figure(
            "publish beside 20 readers without pause ÷ alone",
            median(beside[:-1] or beside) / median(alone),
            MAX_RATIO,
            "×",
        )
        yield Figure(
            "20 readers without pause while publishing, p99 ÷ without publishing",
            crowded.percentile(0.99) / many.percentile(0.99),
            MAX_RATIO,
            "×",
        )
        with sampled_peak(served.process_id) as before:
            calm = run(20, seconds, PAUSE)
        with attacking(port), sampled_peak(served.process_id) as during:
            attacked = run(20, max(seconds, 2 * HEAD_SECONDS), PAUSE)
        show(attacked)
        yield Figure(
            "memory that heads without end and half-sent requests add",
            (during[0] - before[0]) / 2**20,
            MAX_ATTACK_MB,
            "MB",
        )
        yield Figure(
            "20 readers pausing under this attack, p99 ÷ quiet p99",
            attacked.percentile(0.99) / calm.percentile(0.99),
            MAX_ATTACK_RATIO,
            "×",
        )
        errors = (
            quiet.errors
            + calm.errors
            + attacked.errors
            + few.errors
            + many.errors
            + busy.errors
            + crowded.errors
        )
        for error in errors[:5]:
            print(" ", error)
        yield Figure("failed reads", len(errors), 0, "")


def main() -> int:
    """Run everything. Returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument(
        "--keep", type=Path, help="folder in which the synthetic warehouse stays for the next run"
    )
    parser.add_argument("--republish", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.republish:
        republish_forever(*options.republish)
        return 0
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for figure in measure(folder, options.commits, options.seconds):
            print(figure, flush=True)
            missed |= not figure.holds
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
