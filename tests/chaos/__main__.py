"""`python -m tests.chaos --rounds 100 [--seed N]`: damage or kill, run again, and compare every published table.

A round passes if the figures equal those of an undisturbed run to the bit, or if a message without traceback says what
helps and the last good figures stay readable. Prints the seed of each round that fails; `--first N` repeats it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

import tests.conftest  # noqa: F401 - the surroundings of every test
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.chaos import runs
from tests.chaos.damages import damage
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

KILLS = 0.25
"""Share of rounds that kill a run instead of damaging a file."""


class Chaos:
    """A deployment of two small repositories, and the figures of undisturbed runs before and after a new commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.house = varied(GitRepository(folder / "house"))
        shed = GitRepository(folder / "shed")
        for number in range(5):
            shed.commit(
                {f"part_{number}.py": f"value_{number} = compute({number}) + other({number})\n"}, "Add a part"
            )
        self.repositories = [folder / "house", folder / "shed"]
        self.heads = [self._head()]
        self.house.commit({"late.py": "late = offset('late') * 2\nsecond = late + 1\n"}, "Add what came late")
        self.heads.append(self._head())
        self.base = folder / "base"
        self.figures: list[str] = []
        for number in range(2):
            self.show(number)
            data = self.base if number == 0 else self.copy("after")
            started = time.monotonic()
            done = runs.analyze(data, self.repositories)
            self.seconds = time.monotonic() - started
            if done.code != 0:
                raise SystemExit(f"an undisturbed run failed:\n{done.output}")
            self.figures.append(figures(data))

    def _head(self) -> str:
        return self.house.git("rev-parse", "main").strip()

    def show(self, number: int) -> None:
        """Let the repository be before or after its new commit."""
        self.house.git("update-ref", "refs/heads/main", self.heads[number])

    def copy(self, name: str) -> Path:
        """A copy of the deployment before the new commit."""
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.base, target)
        return target

    def play(self, seed: int) -> tuple[str, str, str]:
        """One round. Returns the verdict, what was done, and the output of the run."""
        chance = random.Random(seed)
        data = self.copy("round")
        number = chance.randrange(2)
        self.show(number)
        if chance.random() < KILLS:
            self.show(1)
            number, after = 1, chance.uniform(0, self.seconds * 1.1)
            runs.analyze(data, self.repositories, kill_after=after)
            done_to = f"kill after {after:.1f} s"
        else:
            done_to = damage(data, chance) + (", then a new commit" if number else "")
        done = runs.analyze(data, self.repositories[: chance.randrange(1, 3)])
        return self.verdict(done, data, number), done_to, done.output

    def verdict(self, done: runs.Run, data: Path, number: int) -> str:
        """`equal`, `message`, or what is wrong."""
        if "Traceback" in done.output or done.code not in (0, 1):
            return "TRACEBACK"
        found = figures(data)
        if found == self.figures[number] and done.code == 0:
            return "equal"
        if done.code == 1 and "Failed: " in done.output and found in self.figures:
            return "message"
        return "UNREADABLE" if found == "" else "WRONG FIGURES" if found not in self.figures else "SILENT"


def figures(data: Path) -> str:
    """A digest of all published rows; empty if they cannot be read."""
    try:
        rows = Eas(data).everything()
    except (OSError, ValueError, KeyError, TypeError, duckdb.Error):
        return ""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument(
        "--first", type=int, default=None, help="seed of the first round; default: by the clock"
    )
    parser.add_argument("--verbose", action="store_true", help="print what every round did")
    given = parser.parse_args()
    first = int(time.time()) * 1000 if given.first is None else given.first
    verdicts: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="eas-chaos-") as folder:
        chaos = Chaos(Path(folder))
        print(f"seeds {first} to {first + given.rounds - 1} in {LOCAL_ORGANIZATION}", flush=True)
        for seed in range(first, first + given.rounds):
            verdict, done_to, output = chaos.play(seed)
            verdicts[verdict] += 1
            if verdict.isupper():
                print(f"seed {seed}: {verdict}: {done_to}\n{output}", flush=True)
            elif given.verbose:
                print(f"seed {seed}: {verdict}: {done_to}", flush=True)
    seconds = time.monotonic() - started
    print(
        f"{given.rounds} rounds in {seconds:.0f} s: "
        + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items()))
    )
    return 1 if any(verdict.isupper() for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
