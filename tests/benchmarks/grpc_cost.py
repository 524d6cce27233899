"""Time of a read over gRPC beside the same read over REST, one caller, connections that stay open.

    python -m tests.benchmarks.grpc_cost [--rounds 300]

Both ask the same kind of server in this process, by turns. Prints medians and p99 in milliseconds and their ratio, a
line for each read, and the ratio of all p99 beside its bar. Exits with 1 if the bar is missed.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc

from tests.api.conftest import client_for, deploy, serving
from tests.api.grpc.conftest import NAMES, Client, path_of, speaking
from tests.api.published_facts import make_facts
from tests.api.published_rows import write

BAR = 1.3
READS = ("ListDevelopers", "ListRepositories", "ListCommits", "ListMetrics", "GetSettings", "GetOrganization")


def percentiles(times: list[float]) -> tuple[float, float]:
    """Median and p99, in milliseconds."""
    ordered = sorted(times)
    return ordered[len(ordered) // 2] * 1000, ordered[int(len(ordered) * 0.99)] * 1000


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> int:
    """Measure and print; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    every: tuple[list[float], list[float]] = ([], [])
    with TemporaryDirectory() as folder:
        facts = make_facts()
        deployment = deploy(Path(folder) / "data", facts, write(facts, Path(folder) / "built.duckdb"))
        deployment.publish()
        key = deployment.key()
        with (
            speaking(deployment.data_dir) as spoken,
            grpc.insecure_channel(spoken) as channel,
            serving(deployment.data_dir) as served,
            client_for(served, key) as rest,
        ):
            client = Client(channel, key)
            for name in READS:
                path = path_of(NAMES[name][1], {"organization": "acme"})
                times: tuple[list[float], list[float]] = ([], [])
                for number in range(rounds + 5):
                    took = (
                        timed(partial(client.ask, name, organization="acme")),
                        timed(partial(rest.get, path)),
                    )
                    if number >= 5:
                        times[0].append(took[0])
                        times[1].append(took[1])
                show(name, *times)
                every[0].extend(times[0])
                every[1].extend(times[1])
    ratio = show("all reads", *every)
    print(f"p99 of gRPC over REST: {ratio:.2f}, bar ≤ {BAR}: {'ok' if ratio <= BAR else 'MISSED'}")
    return int(ratio > BAR)


def show(name: str, spoken: list[float], rest: list[float]) -> float:
    """Print a line; the ratio of p99."""
    (median, p99), (rest_median, rest_p99) = percentiles(spoken), percentiles(rest)
    print(
        f"{name:20} gRPC p50 {median:7.2f} p99 {p99:7.2f}   REST p50 {rest_median:7.2f} p99 {rest_p99:7.2f}"
        f"   ratio p50 {median / rest_median:.2f} p99 {p99 / rest_p99:.2f}"
    )
    return p99 / rest_p99


if __name__ == "__main__":
    sys.exit(main())
