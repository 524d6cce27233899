"""Extraction compared with `git log --numstat -M`: time, memory, growth with history, and an unchanged rerun."""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median as middle

from ingest.git.native import ENGINE
from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.measuring import GIGABYTE, Measured, in_turn, measure, median
from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.borrowed import Original, borrow, borrow_past
from tests.benchmarks.reading.reference_git import ReferenceGit, environment

ORGANIZATION_ID = "0190d3b0-0000-7000-8000-00000000beef"
WORKERS = 2
# Below this number of commits the start of processes outweighs the work. The promise holds for larger histories.
PROMISED_FROM_COMMITS = 10_000
# Growth of our time from half the history to all of it, relative to that of Git; 1 means as linear as Git.
LINEAR_WITHIN = 1.25


@dataclass
class Extracted:
    """Results of this section that other sections use."""

    git: ReferenceGit
    raw: Path
    runs: list[Measured] = field(default_factory=list)

    @property
    def facts(self) -> RawFacts:
        """The facts of the last run."""
        return facts_of(self.raw, self.runs[-1])

    @property
    def seconds(self) -> float:
        return middle(inner_wall(run) for run in self.runs)


def prepare(original: Original, work: Path) -> Extracted:
    """Create a clone of the repository below `work`, without extraction."""
    return Extracted(borrow(original, work / "whole.git"), work / "raw")


def facts_of(raw: Path, run: Measured) -> RawFacts:
    """The facts that a run wrote."""
    return RawFacts(raw, ORGANIZATION_ID, json.loads(run.output)["repository_id"])


def extract(
    git: ReferenceGit, raw: Path, *, fresh: bool = True, verify: bool = False, engine: str | None = None
) -> Measured:
    """Run one extraction in a separate process, into an empty lake unless `fresh` is false."""
    if fresh:
        shutil.rmtree(raw, ignore_errors=True)
    options = ["--verify"] if verify else []
    chosen = {ENGINE: engine} if engine else None
    return measure([*command_of(git, raw), *options], sample=True, environment=environment(chosen))


def command_of(git: ReferenceGit, raw: Path) -> list[str]:
    """The command of one extraction, to which options can be added."""
    module = "tests.benchmarks.reading.extract_once"
    arguments = ["--organization", ORGANIZATION_ID, f"--workers={WORKERS}"]
    return [sys.executable, "-m", module, str(git.git_dir), str(raw), *arguments]


def log_numstat(git: ReferenceGit) -> Measured:
    """Run `git log --numstat -M` over every extracted ref and discard its output."""
    heads = "".join(f"{head}\n" for head in git.heads)
    command = git.command("log", "--stdin", "--numstat", "-M")
    return measure(command, stdin=heads, keep_output=False, environment=environment())


def inner_wall(run: Measured) -> float:
    """Seconds from the request to the report of the reading process, without the imports of the caller."""
    return float(json.loads(run.output)["wall"])


def figures(original: Original, extracted: Extracted, repeat: int) -> Iterator[Figure]:
    whole, commits = extracted.git, len(extracted.git.reachable(extracted.git.heads))
    is_promised = commits >= PROMISED_FROM_COMMITS
    yield Figure("commits on heads, tags and origin's branches", commits)
    progress(f"{repeat} × extraction and git log of the whole history")
    log_numstat(whole)  # Fills the page cache for both.
    extract_whole = partial(extract, whole, extracted.raw)
    ours, gits = in_turn([extract_whole, partial(log_numstat, whole)], repeat)
    extracted.runs = ours
    git_wall = median(gits, lambda run: run.wall)

    yield Figure("git log --numstat -M", git_wall, "s", note=_context(gits))
    last = json.loads(ours[-1].output)
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in last["seconds"].items())
    yield Figure(f"extraction, {WORKERS} workers", extracted.seconds, "s", note=f"{_context(ours)}; {stages}")
    yield Figure("commits per second", last["commits_total"] / extracted.seconds, "/s")
    note = "aim 1.5" if is_promised else f"promised from {PROMISED_FROM_COMMITS:,} commits"
    ratio = extracted.seconds / git_wall
    yield Figure(
        "extraction ÷ git log --numstat -M", ratio, "×", at_most=3 if is_promised else None, note=note
    )
    cpu = median(ours, lambda run: run.cpu) / median(gits, lambda run: run.cpu)
    yield Figure("… in CPU time", cpu, "×", note="with the start of Python; a busy machine changes it least")
    peak = max(run.peak for run in ours) / GIGABYTE
    yield Figure("peak memory of extraction (proportional)", peak, "GB", at_most=1.5)

    progress("half of the history")
    yield _linearity(original, extracted, git_wall, repeat, is_promised)
    progress("rerun without news")
    again = [extract(whole, extracted.raw, fresh=False) for _ in range(repeat)]
    if not all(json.loads(run.output)["unchanged"] for run in again):
        raise AssertionError("a rerun without news says that something changed")
    start = median(again, lambda run: run.wall)
    wall = middle(inner_wall(run) for run in again)
    yield Figure("rerun without news", wall, "s", at_most=1, note=f"{start:.1f} s with the start of Python")


def _linearity(
    original: Original, extracted: Extracted, git_wall: float, repeat: int, is_promised: bool
) -> Figure:
    mainline = original.mainline()
    work = extracted.raw.parent
    half = borrow_past(original, work / "half.git", mainline[len(mainline) // 2])
    runs = [partial(extract, half, work / "half"), partial(log_numstat, half)]
    ours, gits = in_turn(runs, repeat)
    shutil.rmtree(work / "half")
    our_growth = extracted.seconds / middle(inner_wall(run) for run in ours)
    git_growth = git_wall / median(gits, lambda run: run.wall)
    note = f"half → whole: ours × {our_growth:.2f}, git log × {git_growth:.2f}"
    limit = LINEAR_WITHIN if is_promised else None
    return Figure("growth with history over Git's", our_growth / git_growth, "×", at_most=limit, note=note)


def _context(runs: list[Measured]) -> str:
    cpu, load = median(runs, lambda run: run.cpu), max(run.load for run in runs)
    spread = max(run.wall for run in runs) - min(run.wall for run in runs)
    return f"CPU {cpu:.1f} s, spread {spread:.1f} s, load ≤ {load:.1f}"
