"""`python -m tests.chaos.soak --days 24 [--seed SEED]`: lets one deployment live through simulated days with accidents.

Prints a line for each day and each problem; the status is 1 if there is one. Needs a C compiler on Linux, and the right
to mount for a full disk; without it the size of files is limited instead.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.soak.days import live
from tests.conftest import HOME


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--days", type=int, default=24)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}, home of the programs {HOME}", flush=True)
    with tempfile.TemporaryDirectory(prefix="eas-soak-", ignore_cleanup_errors=True) as folder:
        problems = live(Path(folder), given.days, given.seed)
    print(f"{given.days} days, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
