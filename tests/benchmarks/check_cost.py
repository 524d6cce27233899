"""What the checks cost in the build of a synthetic organization with pull requests: their share of its nodes' seconds.

    python -m tests.benchmarks.check_cost [--commits 1000000] [--pull-requests 100000]

Prints the nodes of checks, the slowest first, then figure, bar and verdict. Exits with 1 if the bar is missed. Nodes
run at the same time and share the machine, so a busy one changes the share little. A million commits take 6 GB.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.figures import progress
from tests.benchmarks.latency.served import Figure
from tests.benchmarks.organization import PROMISED_COMMITS, build_organization, prepare
from tests.benchmarks.synthetic import pull_requests

PULL_REQUESTS = 100_000
MAX_SHARE = 20
SHOWN = 12


def measure(data_dir: Path, commits: int, count: int) -> Figure:
    """The share in percent."""
    made = prepare(data_dir, commits)
    written = pull_requests.write(data_dir / "raw", made.plan.organization_id, count)
    progress(f"building it with {written:,} pull requests")
    answer = json.loads(build_organization(made).output)
    slowest = sorted(answer["checks"].items(), key=lambda item: -item[1])
    for name, seconds in slowest[:SHOWN]:
        print(f"    {name:60} {seconds:7.1f} s")
    checks, total = sum(answer["checks"].values()), answer["seconds"]
    print(
        f"    {checks:.0f} of {total:.0f} s of {answer['nodes']} nodes; the build took {answer['wall']:.0f} s"
    )
    return Figure("checks in the build", 100 * checks / total, MAX_SHARE, "%")


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=PROMISED_COMMITS)
    parser.add_argument("--pull-requests", type=int, default=PULL_REQUESTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figure = measure(Path(folder), arguments.commits, arguments.pull_requests)
    print(figure)
    return int(not figure.holds)


if __name__ == "__main__":
    sys.exit(main())
