"""`python -m tests.chaos --rounds 100 [--first SEED] [--kind KIND] [--at-once 2]`

Plays accidents and compares all figures afterwards. A round passes if the figures equal those of an undisturbed run to
the bit, or if a message without traceback says what helps, the last good figures stay and that help works. Prints the
seed of each round that fails; `--first SEED` repeats it.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import tests.conftest  # noqa: F401 - the surroundings of every test
from tests.chaos import clock, disk
from tests.chaos.accidents import KINDS, Played
from tests.chaos.stage import Stage


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--first", type=int, help="seed of the first round; default: by the clock")
    parser.add_argument("--kind", action="append", choices=KINDS, help="play only this kind; repeatable")
    parser.add_argument("--verbose", action="store_true", help="print what every round did")
    parser.add_argument(
        "--at-once", type=int, default=1, help="rounds at the same time; each uses about a core"
    )
    given = parser.parse_args()
    first = int(time.time()) * 1000 if given.first is None else given.first
    if min(given.at_once, given.rounds) > 1:
        return _several(given, first)
    verdicts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="eas-chaos-") as name:
        folder = Path(name)
        shares = {kind: KINDS[kind][0] for kind in given.kind or KINDS}
        if not clock.prepare(folder) and shares.pop("clock", 0):
            print("clock jumps are left out: they need a C compiler on Linux", flush=True)
        if "disk" in shares and not disk.can_mount(folder / "disk"):
            print("no right to mount: instead of a full disk, the size of files is limited", flush=True)
        stage = Stage(folder)
        print(f"seeds {first} to {first + given.rounds - 1}", flush=True)
        for seed in range(first, first + given.rounds):
            kind, played = play(stage, seed, shares)
            verdicts[played.verdict.name] += 1
            kinds[kind] += 1
            if given.verbose or played.verdict.is_failure:
                print(f"seed {seed}: {played.verdict.name}: {kind}: {played.text}", flush=True)
            if played.verdict.is_failure:
                print(played.verdict.output, flush=True)
    seconds = time.monotonic() - started
    print(f"{given.rounds} rounds in {seconds:.0f} s ({_counted(kinds)}): {_counted(verdicts)}")
    return 1 if any(verdict.isupper() for verdict in verdicts) else 0


def _several(given: argparse.Namespace, first: int) -> int:
    """Divide the rounds among processes; each prints its own sum."""
    options = [*(f"--kind={kind}" for kind in given.kind or ()), *(["--verbose"] if given.verbose else [])]
    count = min(given.at_once, given.rounds)
    ends = [first + given.rounds * number // count for number in range(count + 1)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.chaos", f"--first={begin}", f"--rounds={end - begin}", *options]
        )
        for begin, end in pairwise(ends)
    ]
    return max(process.wait() for process in processes)


def play(stage: Stage, seed: int, shares: dict[str, float]) -> tuple[str, Played]:
    """Play the round of a seed. Returns its kind and what came of it."""
    chance = random.Random(seed)
    kind = chance.choices(list(shares), list(shares.values()))[0]
    return kind, KINDS[kind][1](stage, chance)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items()))


if __name__ == "__main__":
    code = main()
    # Threads of a server that was killed must not delay the end.
    sys.stdout.flush()
    os._exit(code)
