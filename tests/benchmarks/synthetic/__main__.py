"""`python -m tests.benchmarks.synthetic --out RAW_DIR`: write a synthetic organization's raw lake."""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks.synthetic.organization import Plan, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="synthetic", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data/synthetic/raw"), help="raw root to write into")
    parser.add_argument("--commits", type=int, default=1_000_000, help="commits of all repositories together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    plan = Plan.of_size(arguments.commits, arguments.seed)
    if (arguments.out / "_state" / "git" / plan.organization_id).exists():
        print(f"{arguments.out} already holds this organization; remove it first", file=sys.stderr)
        return 2
    started = time.monotonic()
    rows: Counter[str] = Counter()
    for _, counts in write(plan, arguments.out, arguments.workers):
        rows.update(counts)
    for table, count in rows.items():
        print(f"{table:16} {count:>12,}")
    print(f"organization {plan.organization_id}, raw_dir {arguments.out}, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
