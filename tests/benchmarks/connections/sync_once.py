"""Reads one connection in a separate process: `python -m tests.benchmarks.connections.sync_once RAW_DIR …`.

Prints its seconds, requests and rows as one line of JSON.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from ingest.connections.model import Connection, WantedRepository
from ingest.connections.sync import Sync
from ingest.lake import Lake
from ingest.providers.registry import client_of, provider
from tests.benchmarks.connections.github_host import OWNER, hosted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw_dir", type=Path)
    parser.add_argument("organization")
    parser.add_argument("kind")
    parser.add_argument("address")
    parser.add_argument("connection")
    arguments = parser.parse_args()
    organization, address = arguments.organization, arguments.address
    connection = Connection(
        arguments.connection, organization, arguments.kind, address, "secret", "reader@acme.example"
    )
    of_kind = provider(connection.kind)
    place = address.partition("://")[2] if connection.kind == "GITHUB" else "127.0.0.1"
    wanted = [
        WantedRepository(one.repository_id, f"{place}/{OWNER}/{one.name}")
        for one in hosted(arguments.raw_dir, organization)
    ]
    source = Lake(str(arguments.raw_dir)).source(of_kind.category.noun, organization, connection.id)
    started = time.monotonic()
    with source.extracting(), client_of(connection) as client:
        report = Sync(source, connection, of_kind, client, wanted).run()
    wall = time.monotonic() - started
    if report.failures or report.unread:
        print(f"{report.failures} {report.unread_reasons}", file=sys.stderr)
        return 1
    print(json.dumps({"wall": wall, "requests": report.requests, "rows": report.rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
