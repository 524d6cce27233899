"""PyDriller asked for line counts alone: `python -m tests.benchmarks.pydriller_once GIT_DIR < commits`.

Prints the seconds that the commits took, without imports and start.
"""

import sys
import time

from pydriller import Git


def main() -> int:
    repository = Git(sys.argv[1])
    commits = sys.stdin.read().split()
    started = time.monotonic()
    lines = 0
    for sha in commits:
        commit = repository.get_commit(sha)
        lines += commit.insertions + commit.deletions
    print(time.monotonic() - started, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
