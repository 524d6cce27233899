"""Counts lines with PyDriller: `python -m tests.benchmarks.reading.pydriller_once GIT_DIR KIND < commits`.

KIND is `files` (added and deleted lines of every file) or `totals` (of every commit). Prints the seconds that the
commits took, without imports and start.
"""

import sys
import time

from pydriller import Commit, Git


def main() -> int:
    repository = Git(sys.argv[1])
    ask = {"files": _files, "totals": _totals}[sys.argv[2]]
    commits = sys.stdin.read().split()
    started = time.monotonic()
    lines = sum(ask(repository.get_commit(sha)) for sha in commits)
    print(time.monotonic() - started, lines)
    return 0


def _files(commit: Commit) -> int:
    return sum(file.added_lines + file.deleted_lines for file in commit.modified_files)


def _totals(commit: Commit) -> int:
    return int(commit.insertions + commit.deletions)


if __name__ == "__main__":
    sys.exit(main())
