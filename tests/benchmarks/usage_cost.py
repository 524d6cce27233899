"""What usage of AI tools costs in the build of a synthetic organization: the share of its nodes' seconds.

    python -m tests.benchmarks.usage_cost [--commits 1000000] [--requests 1000000]

Prints the nodes of usage, the slowest first, then the share. It has no bar. Nodes run at the same time and share the
machine, so a busy one changes the share little. A million commits take 6 GB.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.organization import PROMISED_COMMITS, build_organization, prepare
from tests.benchmarks.synthetic import ai_usage

REQUESTS = 1_000_000
SHOWN = 12


def measure(data_dir: Path, commits: int, count: int) -> Figure:
    """The share in percent."""
    made = prepare(data_dir, commits)
    requests, reported = ai_usage.write(data_dir / "raw", made.plan.organization_id, count)
    progress(f"building it with {requests:,} requests of telemetry and {reported:,} rows of a vendor")
    built = build_organization(made)
    answer = json.loads(built.output)
    slowest = sorted(answer["usage"].items(), key=lambda item: -item[1])
    for name, seconds in slowest[:SHOWN]:
        print(f"    {name:60} {seconds:7.1f} s")
    usage, total = sum(answer["usage"].values()), answer["seconds"]
    print(
        f"    {usage:.0f} of {total:.0f} s of {answer['nodes']} nodes; the build took {answer['wall']:.0f} s at load "
        f"{built.load:.1f}"
    )
    return Figure("usage of AI tools in the build", 100 * usage / total, "%")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=PROMISED_COMMITS)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figure = measure(Path(folder), arguments.commits, arguments.requests)
    print(f"{figure.name} {figure.value:.1f} {figure.unit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
