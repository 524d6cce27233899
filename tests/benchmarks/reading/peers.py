"""Extraction of all facts compared with PyDriller, which only counts lines."""

import sys
from collections.abc import Iterator
from statistics import median

from tests.benchmarks.figures import Figure, not_measured, progress
from tests.benchmarks.measuring import measure
from tests.benchmarks.reading.extraction import PROMISED_FROM_COMMITS, Extracted
from tests.benchmarks.reading.reference_git import ReferenceGit, environment

SAMPLE = 600


def figures(extracted: Extracted, repeat: int) -> Iterator[Figure]:
    if not extracted.runs:
        yield not_measured("PyDriller ÷ extraction", "needs the section extraction")
        return
    graph = extracted.git.graph(extracted.git.heads)
    plain = [sha for sha, parents in graph.items() if len(parents) < 2]
    step = max(1, len(plain) // SAMPLE)
    progress(f"PyDriller on {len(plain[::step])} commits")
    per_file = median(_seconds(extracted.git, "files", plain, step) for _ in range(repeat))
    per_commit = median(_seconds(extracted.git, "totals", plain, step) for _ in range(repeat))
    how = f"scaled from one in {step} of" if step > 1 else "all of"
    note = f"{how} {len(plain):,} commits without merges"
    yield Figure("PyDriller, line counts of files", per_file, "s", note=note)
    is_promised = len(graph) >= PROMISED_FROM_COMMITS
    note = "" if is_promised else f"promised from {PROMISED_FROM_COMMITS:,} commits"
    limit = 6 if is_promised else None
    yield Figure("… ÷ extraction", per_file / extracted.seconds, "×", at_least=limit, note=note)
    yield Figure("PyDriller, line totals of commits (fewer facts)", per_commit, "s")
    yield Figure("… ÷ extraction", per_commit / extracted.seconds, "×")


def _seconds(git: ReferenceGit, kind: str, commits: list[str], step: int) -> float:
    """Seconds for all the commits, measured on every `step`th."""
    sample = commits[::step]
    command = [sys.executable, "-m", "tests.benchmarks.reading.pydriller_once", str(git.git_dir), kind]
    run = measure(command, stdin="\n".join(sample), environment=environment())
    return float(run.output.split()[0]) * len(commits) / len(sample)
