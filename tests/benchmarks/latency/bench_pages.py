"""Every page of the dashboard, over 1,000,000 commits, 50,000 developers, 5,000 teams and 20,000 repositories; with
100,000 pull requests and issues.

    python -m tests.benchmarks.latency.bench_pages [--commits 1000000] [--seconds 60] [--keep FOLDER]

`--keep` stores the organization for the next run; it is that of bench_lists.py. Prints figure, bar and verdict, one
line each. Exits with 1 if a bar is missed. The server keeps answers until the next build, as it does for everybody
(`EAS_API_RESPONSE_CACHE_MB`); readers take the usual range of a page in three of four visits, and another one of its
ranges else. A page about one thing is that of one of hundreds. Server and client share the machine's cores, so the
processor time of each is printed too.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from api.control.store import ControlStore
from api.web.navigation import NAVIGATION
from api.web.sessions.cookies import NAME
from tests.benchmarks.latency.bench_lists import COMMITS, READERS, prepare
from tests.benchmarks.latency.detail_pages import LISTS, detail_pages
from tests.benchmarks.latency.first_page import bytes_of
from tests.benchmarks.latency.http_load import Outcome, load
from tests.benchmarks.latency.list_organization import owner, populate, published_file
from tests.benchmarks.latency.served import PAUSE, Figure, processor_seconds, server, show

HOME = "/organizations/local"
PAGES = tuple(name for item in NAVIGATION for name, _ in item.pages)
KINDS = (*PAGES, *LISTS, "large commit", "report")
RANGES = ("", "", "", "?period=12-weeks", "?period=12-months", "?period=8-quarters")
RANGED = frozenset(
    {"overview", "developers", "teams", "me", "repositories", "commits", "pullRequests", "objectives", "ai"}
)
MAX_P95_MS, MAX_KB = 150, 70
SECONDS = 60
# New connections reach each process of the server sooner or later, and the first chart starts the drawing program.
WARMINGS, WARMING_SECONDS = 6, 5


def measure(folder: Path, commits: int, seconds: float) -> Iterator[Figure]:
    """Measure every figure of the pages, in order."""
    prepare(folder, commits)
    store = _populated(folder)
    pick = picker(published_file(folder))
    cookie = f"Cookie: {NAME}={owner(store)}\r\nAccept: text/html"
    with server(folder, keeps_answers=True) as served:

        def run(length: float) -> Outcome:
            return asyncio.run(load(served.port, cookie, pick, readers=READERS, seconds=length, pause=PAUSE))

        for _ in range(WARMINGS):
            run(WARMING_SECONDS)
        before, before_here = processor_seconds(served.process_id), time.process_time()
        outcome = run(seconds)
        used = processor_seconds(served.process_id) - before
        used_here = time.process_time() - before_here
        first = bytes_of(served.port, f"{HOME}/overview", cookie)
    store.close()
    show(outcome)
    for error in outcome.errors[:5]:
        print(" ", error)
    for page in KINDS:
        times = sorted(outcome.by_route.get(page, []))
        if times:
            yield Figure(
                f"{page}, {READERS} readers pausing 0.2–1 s, p95", _at(times, 0.95), MAX_P95_MS, "ms"
            )
            print(f"  {page}: {len(times)} visits, p50 {_at(times, 0.5):.0f}, p99 {_at(times, 0.99):.0f} ms")
    visits = len(outcome.seconds)
    print(
        f"  processor time of a page: server {used / visits * 1000:.1f} ms, readers {used_here / visits * 1000:.1f} ms;"
        f" {outcome.rate:.1f} pages a second use {100 * used / outcome.elapsed:.0f} % of a core"
    )
    every = sorted(outcome.seconds)
    yield Figure(f"all pages, {READERS} readers pausing 0.2–1 s, p95", _at(every, 0.95), MAX_P95_MS, "ms")
    yield Figure("pages that were opened", len(outcome.by_route), len(KINDS), "", at_least=True)
    yield Figure("failed reads of pages", len(outcome.errors), 0, "")
    for part in first.parts:
        print(f"  {part}")
    yield Figure("first page with chart, style and scripts, compressed", first.kilobytes, MAX_KB, "kB")


def picker(file: Path) -> Callable[[random.Random], tuple[str, str]]:
    """Draws a page and its address in the organization of this build."""
    details = detail_pages(file)

    def pick(dice: random.Random) -> tuple[str, str]:
        page = dice.choice(KINDS)
        if page in details:
            return page, f"{HOME}/{dice.choice(details[page])}"
        chosen = dice.choice(RANGES) if page in RANGED else ""
        return page, f"{HOME}/{page}{chosen}"

    return pick


def _populated(folder: Path) -> ControlStore:
    """The decisions of people, written anew: a former run left a session of its owner."""
    for leftover in folder.glob("control.db*"):
        leftover.unlink()
    return populate(folder)


def _at(ordered: list[float], share: float) -> float:
    """Milliseconds at this quantile."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def main() -> int:
    """Run everything. Returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--keep", type=Path, help="folder in which the organization stays for the next run")
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        for figure in measure(options.keep or Path(temporary), options.commits, options.seconds):
            print(figure, flush=True)
            missed |= not figure.holds
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
