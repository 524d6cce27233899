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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.monitoring.endpoint import start_worker

BAR = 1.05
READS = ("developers", "repositories", "teams", "commits?search={number}", "settings", "metrics")
WARM = 10


@contextmanager
def uncounted() -> Iterator[None]:
    """The application without counting, timing and ids."""
    from api.monitoring.requests import ObservedRequests
    from api.snapshot import build

    # Read as entries of classes and modules, which the block replaces for a moment.
    replaced: list[tuple[Any, str]] = [(ObservedRequests, "__call__"), (build, "_timed")]
    kept = [getattr(owner, name) for owner, name in replaced]

    async def passed_on(self: Any, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    ObservedRequests.__call__ = passed_on  # type: ignore[method-assign]
    build._timed = nullcontext  # type: ignore[assignment]
    try:
        yield
    finally:
        for (owner, name), value in zip(replaced, kept, strict=True):
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
        from tests.api.conftest import ROOT, client_for, deploy, serving
        from tests.api.published_facts import make_facts
        from tests.api.published_rows import write

        deployment = deploy(
            Path(folder) / "data", make_facts(), write(make_facts(), Path(folder) / "built.duckdb")
        )
        deployment.publish()
        every: tuple[list[float], list[float]] = ([], [])
        with serving(deployment.data_dir) as served, client_for(served, deployment.key()) as client:
            for read in READS:
                times: tuple[list[float], list[float]] = ([], [])
                for number in range(2 * (rounds + WARM)):
                    path = f"{ROOT}/{read.format(number=number)}"
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
