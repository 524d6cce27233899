"""Many small repositories: the first analysis of all of them, and a night in which each has one new commit."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.measuring import Measured, measure
from tests.benchmarks.reading.reference_git import environment

COMMITS = 30
DAY = 86_400
BEGIN = 1_750_000_000
# Starting Dagster and dbt once is on one core, and so are recording and building.
MIN_CORES_USED = 60


def figures(data_dir: Path, count: int) -> Iterator[Figure]:
    """Analyse so many repositories of 30 commits, then read them again after one more commit each."""
    progress(f"writing {count} repositories")
    repositories = [data_dir / f"repository-{number:03d}" for number in range(count)]
    for number, folder in enumerate(repositories):
        _write(folder, number, 0, COMMITS)
    settings = environment() | {"EAS_DATA_DIR": str(data_dir / "data"), "EAS_WORKERS": str(_cores())}
    progress("first analysis")
    analysis = [str(Path(sys.executable).with_name("eas")), "analyze", *map(str, repositories)]
    yield from _told("first analysis", count, measure(analysis, sample=True, environment=settings))
    for number, folder in enumerate(repositories):
        _write(folder, number, COMMITS, COMMITS + 1)
    progress("a night")
    # With `-m`, each reader would import the module again, and Dagster with it. Dagster's own processes do not.
    night = [
        sys.executable,
        "-c",
        "import sys; from tests.benchmarks import night_once; sys.exit(night_once.main())",
    ]
    yield from _told("night", count, measure(night, sample=True, environment=settings))


def _told(name: str, count: int, measured: Measured) -> Iterator[Figure]:
    note = f"{measured.wall / count * 1000:.0f} ms each, CPU {measured.cpu:.0f} s, load {measured.load:.1f}"
    yield Figure(f"{name} of {count} small repositories", measured.wall, "s", note=note)
    used = 100 * measured.cpu / measured.wall / _cores()
    yield Figure(f"cores that this {name} uses", used, "%", at_least=MIN_CORES_USED)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _write(folder: Path, seed: int, first: int, end: int) -> None:
    """Append commits to a repository, each of which adds some functions to a file."""
    if not folder.exists():
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)
    dice, body, stream = random.Random(seed), "", []
    for number in range(end):
        for function in range(dice.randrange(1, 8)):
            body += f"def part_{number}_{function}(x):\n    return x * {dice.randrange(1000)} + other(x)\n\n"
        if number < first:
            continue
        person = f"Developer {seed % 17} <developer{seed % 17}@acme.example> {BEGIN + number * DAY} +0000"
        message = f"Add part {number}"
        parent = f"from {'refs/heads/main^0' if number == first else f':{number}'}\n" if number else ""
        stream.append(
            f"commit refs/heads/main\nmark :{number + 1}\nauthor {person}\ncommitter {person}\n"
            f"data {len(message)}\n{message}\n{parent}"
            f"M 100644 inline part{number % 5}.py\ndata {len(body)}\n{body}\n"
        )
    command = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(command, input="".join(stream).encode(), check=True)
