"""A large directory: provisioned, changed and removed, twice, over a wire that loses, cuts, refuses and repeats.

    python -m tests.benchmarks.latency.bench_directories [--users 5000] [--groups 500] [--faulty 0.05]

Prints figure, bar and verdict. Exits with 1 if a bar is missed. The client shares the cores with the server.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from api.control.scim.scim_tokens import create_scim_token
from api.control.store import open_store
from tests.api.scim.directories import directory_client
from tests.api.scim.faulty_wire import FaultyWire
from tests.api.scim.whole_directory import WholeDirectory, expected, state
from tests.benchmarks.latency.served import Figure, server

USERS, GROUPS, ROUNDS = 5_000, 500, 2
MAX_SECONDS = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--faulty", type=float, default=0.05, help="share of the requests that have a fault")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        figures = list(_provisioned(Path(folder), options.users, options.groups, options.faulty))
    for figure in figures:
        print(figure)
    return int(not all(figure.holds for figure in figures))


def _provisioned(folder: Path, users: int, groups: int, faulty: float) -> Iterator[Figure]:
    store = open_store(folder)
    store.ensure_organization("Acme", slug="acme")
    key = create_scim_token(store, "acme", "bench").key
    store.close()
    wrong, sent, seconds = 0, 0, 0.0
    with server(folder) as served, directory_client(f"http://127.0.0.1:{served.port}", key) as good:
        wire = FaultyWire(httpx.HTTPTransport(), seed=11, share=faulty)
        with httpx.Client(base_url=good.base_url, headers=good.headers, timeout=60, transport=wire) as client:
            for number in range(ROUNDS):
                whole = WholeDirectory(client, users, groups)
                for phase, goal in (
                    (whole.provision, expected(users, groups, changed=False)),
                    (whole.change, expected(users, groups, changed=True)),
                    (whole.remove, ({}, {})),
                ):
                    began, before = time.perf_counter(), whole.requests
                    phase()
                    took = time.perf_counter() - began
                    seconds += took
                    wrong += state(good) != goal
                    done = whole.requests - before
                    print(
                        f"  round {number + 1}, {phase.__name__}: {done} requests in {took:.1f} s, "
                        f"{took / done * 1000:.1f} ms each",
                        flush=True,
                    )
                sent += whole.requests
    print(f"  {sent} requests, with faults: {dict(wire.met)}")
    yield Figure(f"{users} users and {groups} groups, {ROUNDS} times", seconds, MAX_SECONDS, "s")
    yield Figure("phases whose end differs from one without faults", wrong, 0, "")


if __name__ == "__main__":
    sys.exit(main())
