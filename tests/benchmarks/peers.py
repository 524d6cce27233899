"""Extraction of all facts beside PyDriller, which is asked for line counts alone."""

import sys
from collections.abc import Iterator

from tests.benchmarks.extraction import PROMISED_FROM_COMMITS, Extracted
from tests.benchmarks.figures import Figure, not_measured, progress
from tests.benchmarks.measuring import measure
from tests.benchmarks.reference_git import environment

SAMPLE = 600


def figures(extracted: Extracted) -> Iterator[Figure]:
    if not extracted.runs:
        yield not_measured("PyDriller ÷ extraction", "needs the section extraction")
        return
    graph = extracted.git.graph(extracted.git.heads)
    plain = [sha for sha, parents in graph.items() if len(parents) < 2]
    step = max(1, len(plain) // SAMPLE)
    sample = plain[::step]
    progress(f"PyDriller on {len(sample)} commits")
    command = [sys.executable, "-m", "tests.benchmarks.pydriller_once", str(extracted.git.git_dir)]
    run = measure(command, stdin="\n".join(sample), environment=environment())
    seconds = float(run.output.split()[0]) * len(plain) / len(sample)
    how = f"scaled from every {step}th of" if step > 1 else "all of"
    yield Figure(
        "PyDriller, line counts alone", seconds, "s", note=f"{how} {len(plain):,} commits without merges"
    )
    is_promised = len(graph) >= PROMISED_FROM_COMMITS
    note = "" if is_promised else f"promised from {PROMISED_FROM_COMMITS:,} commits"
    times = seconds / extracted.seconds
    yield Figure("PyDriller ÷ extraction", times, "×", at_least=6 if is_promised else None, note=note)
