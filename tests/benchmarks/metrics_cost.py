"""Time of a read that is counted beside the same read that is not, one caller, a connection that stays open.

    python -m tests.benchmarks.metrics_cost [--rounds 500]

One server in this process answers both by turns; what it counts goes into files, as with EAS_METRICS_PORT. Prints
medians and p99 in milliseconds, a line for each read, and the ratio of all p99 beside its bar. Exits with 1 if the bar
is missed.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.monitoring.endpoint import start_worker

BAR = 1.05
READS = ("developers", "repositories", "teams", "commits?search={number}", "settings", "metrics")
WARM = 10
MODULES = ("tests.api.conftest", "tests.api.published_facts", "tests.api.published_rows")


@contextmanager
def uncounted() -> Iterator[None]:
    """The application without counting, timing and ids."""

    async def passed_on(self: Any, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    replaced = (
        (import_module("api.monitoring.requests").ObservedRequests, "__call__", passed_on),
        (import_module("api.snapshot.build"), "_timed", nullcontext),
    )
    kept = [getattr(owner, name) for owner, name, _ in replaced]
    for owner, name, other in replaced:
        setattr(owner, name, other)
    try:
        yield
    finally:
        for (owner, name, _), value in zip(replaced, kept, strict=True):
            setattr(owner, name, value)


def percentiles(times: list[float]) -> tuple[float, float]:
    """Median and p99, in milliseconds."""
    ordered = sorted(times)
    return ordered[len(ordered) // 2] * 1000, ordered[int(len(ordered) * 0.99)] * 1000


def show(name: str, counted: list[float], plain: list[float]) -> float:
    """Print a line; the ratio of p99."""
    (median, p99), (plain_median, plain_p99) = percentiles(counted), percentiles(plain)
    print(
        f"{name:24} counted p50 {median:6.2f} p99 {p99:6.2f}   plain p50 {plain_median:6.2f} p99 {plain_p99:6.2f}"
        f"   ratio p50 {median / plain_median:.3f} p99 {p99 / plain_p99:.3f}"
    )
    return p99 / plain_p99


def main() -> int:
    """Measure and print; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    rounds = parser.parse_args().rounds
    with TemporaryDirectory() as folder:
        counts = Path(folder) / "metrics"
        counts.mkdir()
        start_worker(counts, 0)
        # The instruments are made when they are imported.
        served_by, facts, rows = map(import_module, MODULES)
        deployment = served_by.deploy(
            Path(folder) / "data",
            facts.make_facts(),
            rows.write(facts.make_facts(), Path(folder) / "built.duckdb"),
        )
        deployment.publish()
        every: tuple[list[float], list[float]] = ([], [])
        with (
            served_by.serving(deployment.data_dir) as served,
            served_by.client_for(served, deployment.key()) as client,
        ):
            for read in READS:
                times: tuple[list[float], list[float]] = ([], [])
                for number in range(2 * (rounds + WARM)):
                    path = f"{served_by.ROOT}/{read.format(number=number)}"
                    # Neither comes first more often.
                    is_plain = (number + number // 2) % 2
                    with uncounted() if is_plain else nullcontext():
                        start = time.perf_counter()
                        client.get(path).raise_for_status()
                        took = time.perf_counter() - start
                    if number >= 2 * WARM:
                        times[is_plain].append(took)
                show(read, *times)
                every[0].extend(times[0])
                every[1].extend(times[1])
    ratio = show("all reads", *every)
    print(f"p99 of counted over plain: {ratio:.3f}, bar ≤ {BAR}: {'ok' if ratio <= BAR else 'MISSED'}")
    return int(ratio > BAR)


if __name__ == "__main__":
    sys.exit(main())
