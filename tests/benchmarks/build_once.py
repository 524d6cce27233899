"""Runs one dbt build in a separate process: `python -m tests.benchmarks.build_once DATA_DIR ORGANIZATION`.

Prints its seconds (with dbt's import, without the start of Python), its slowest nodes and those of checks and of usage
of AI tools as one line of JSON.
"""

import argparse
import json
import re
import sys
import time
from datetime import datetime
from pathlib import Path

from ingest.git.repository_source import resolve
from ingest.settings import Settings
from orchestration.build import dbt_build, settings_snapshot
from orchestration.deployment import Deployment

_SLOWEST = 8
_OF_CHECKS = re.compile(r"fct_check_|int_checks__|api_v1__check_|api_v1__working_days")
"""Names of the models of checks, and of their tests."""
_OF_USAGE = re.compile(
    r"ai_usage|ai_tools|telemetry|stg_prices|fct_ai_|api_v1__ai_|fct_summary_ai_|idle_ai_seat|ai_spend"
)
"""Names of the models of usage of AI tools, and of their tests."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("organization")
    parser.add_argument("--as-of", type=datetime.fromisoformat, help="instant, as ISO 8601 with offset")
    parser.add_argument("--register", metavar="GIT_DIR", help="repository to enter into the settings before")
    arguments = parser.parse_args()
    deployment = Deployment(Settings(data_dir=arguments.data_dir, raw_dir=str(arguments.data_dir / "raw")))
    if arguments.register:
        _register(deployment, arguments.organization, arguments.register)
    started = time.monotonic()
    nodes = dbt_build.build(deployment, arguments.organization, as_of=arguments.as_of)
    wall = time.monotonic() - started
    if failed := [f"{node.unique_id}: {node.message}" for node in nodes if not node.passed]:
        print(f"{len(failed)} nodes failed: {'; '.join(failed[:5])}", file=sys.stderr)
        return 1
    slowest = sorted(nodes, key=lambda node: -node.seconds)[:_SLOWEST]
    times = {node.unique_id.split(".")[2]: round(node.seconds, 1) for node in slowest}
    of_checks, of_usage = (
        {node.unique_id.split(".")[2]: node.seconds for node in nodes if names.search(node.unique_id)}
        for names in (_OF_CHECKS, _OF_USAGE)
    )
    print(
        json.dumps(
            {
                "wall": wall,
                "slowest": times,
                "nodes": len(nodes),
                "seconds": sum(node.seconds for node in nodes),
                "checks": of_checks,
                "usage": of_usage,
            }
        )
    )
    return 0


def _register(deployment: Deployment, organization_id: str, git_dir: str) -> None:
    """Register the organization and its repository, as `eas analyze` does."""
    source = resolve(git_dir, deployment.settings, organization_id)
    with deployment.control() as control:
        control.ensure_organization("Bench", organization_id=organization_id, slug="bench")
        control.upsert_repository(
            organization_id, source.repository_id, name=source.name, origin=source.origin
        )
    settings_snapshot.write(deployment, organization_id)


if __name__ == "__main__":
    sys.exit(main())
