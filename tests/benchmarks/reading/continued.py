"""Readings that grow, are killed and go on with the other engine: the lake has the facts of one undisturbed reading.

The repository is shown in three states: half of its mainline, three quarters with an amended head, and all of it, which
is a forced push. Add: ways to disturb a reading. Keep out: undisturbed comparisons (`engines`).
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

import duckdb

from ingest.git.changes.workers import AHEAD, CHUNK
from ingest.git.native import ENGINE
from ingest.lake import Lake
from ingest.schemas import git as schemas
from tests.benchmarks.figures import Figure, not_measured, progress
from tests.benchmarks.measuring import CommandError
from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.borrowed import Original, borrow
from tests.benchmarks.reading.extraction import WORKERS, Extracted, command_of
from tests.benchmarks.reading.reference_git import environment
from tests.ingest.git.processes import workers_of

BATCHES = 50
"""Batches of a whole reading, so that a kill leaves some behind and others to do."""
READ_AHEAD = 2 * WORKERS * AHEAD * CHUNK
"""Of fewer deliveries the workers may have read all before one of them is killed."""
SECONDS = 3600
Victim = Literal["nobody", "a worker", "the reader"]

_OF_DELIVERIES = ("delivered_lines", "line_deaths", "fix_context")
_OF_COMMITS = ("commits", "file_changes", "references", "reachability", "problems")
_IDENTITY = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "1700000000 +0000"))
}


@dataclass(frozen=True)
class _Step:
    """A reading of one state of the repository, and who is killed meanwhile."""

    refs: dict[str, str] | None
    engine: str
    victim: Victim = "nobody"


def figures(original: Original, extracted: Extracted, undisturbed: RawFacts) -> Iterator[Figure]:
    """Compare with the facts of an undisturbed reading of the whole repository, whichever engine begins."""
    mainline = original.mainline()
    if len(mainline) < 8:
        yield not_measured("readings continued by the other engine", "needs eight deliveries")
        return
    for engines in (("native", "python"), ("python", "native")):
        raw = extracted.raw.parent / f"begun-by-{engines[0]}"
        facts = RawFacts(raw, undisturbed.organization_id, undisturbed.repository_id)
        kills = _read_in_steps(original, extracted, facts, engines)
        compared, different = unequal_current_rows(undisturbed, facts)
        where = f": {', '.join(different)}" if different else ""
        yield Figure(
            f"rows that differ, begun by {engines[0]}, continued by {engines[1]}",
            sum(different.values()),
            at_most=0,
            note=f"of {compared:,}; {kills} of 2 kills, 1 increment, 1 forced push{where}",
        )
        shutil.rmtree(raw)


def _read_in_steps(
    original: Original, extracted: Extracted, facts: RawFacts, engines: tuple[str, str]
) -> int:
    """Read the states in turn, each time with the other engine. Returns how many readings were killed in time."""
    one, other = engines
    mainline = original.mainline()
    half, most = mainline[len(mainline) // 2], len(mainline) * 3 // 4
    default = f"refs/heads/{original.default_branch}"
    amended = {default: _amend(extracted, tree_of=mainline[most], parent=mainline[most - 2])}
    steps = [
        _Step({default: half}, one),
        _Step(amended, other, "the reader"),
        _Step(amended, one),
        _Step(None, other, "a worker" if len(mainline) > READ_AHEAD else "the reader"),
        _Step(None, one),
    ]
    chance = Random(f"{original.name} {one}")
    batch = max(1, len(extracted.git.reachable(extracted.git.heads)) // BATCHES)
    kills = 0
    try:
        for number, step in enumerate(steps):
            progress(f"step {number + 1} of {len(steps)}: {step.engine} reads, {step.victim} is killed")
            borrow(original, extracted.git.git_dir, step.refs)
            kills += _read(extracted, facts, step, batch, chance.uniform(0, 0.1))
    finally:
        borrow(original, extracted.git.git_dir)
    return kills


def _amend(extracted: Extracted, tree_of: str, parent: str) -> str:
    """A commit that is in no later state of the repository."""
    command = extracted.git.command("commit-tree", f"{tree_of}^{{tree}}", "-p", parent, "-m", "Fix, amended")
    made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment(_IDENTITY))
    return made.stdout.strip()


def _read(extracted: Extracted, facts: RawFacts, step: _Step, batch: int, delay: float) -> bool:
    """Read one state. A victim is killed `delay` seconds after its first batch; false where all was done by then."""
    source = Lake(str(facts.root)).source("git", facts.organization_id, facts.repository_id)
    begin = source.state().batch
    options = [f"--repository-id={facts.repository_id}", f"--batch-commits={batch}"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command_of(extracted.git, facts.root), *options],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment({ENGINE: step.engine}),
        )
        deadline, is_killed = time.monotonic() + SECONDS, False
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
            if step.victim != "nobody" and not is_killed and source.state().batch > begin:
                time.sleep(delay)
                is_killed = _kill(process, step.victim)
            time.sleep(0.01)
        errors.seek(0)
        last = errors.read().decode("utf-8", "replace").strip().splitlines()[-3:]
    was_killed = is_killed and (process.returncode == -signal.SIGKILL or "EAS_WORKERS" in " ".join(last))
    if process.returncode and not was_killed:
        raise CommandError(f"{step.engine} ended with {process.returncode}: {' | '.join(last)}")
    return was_killed


def _kill(process: subprocess.Popen[bytes], victim: Victim) -> bool:
    """Kill the reader, or one of its workers where it has any. False where it has ended."""
    found = workers_of(process.pid) if victim == "a worker" else []
    if process.poll() is not None:
        return False
    os.kill(found[0] if found else process.pid, signal.SIGKILL)
    return True


def unequal_current_rows(expected: RawFacts, found: RawFacts) -> tuple[int, dict[str, int]]:
    """The number of compared rows, and by table how many are missing or surplus.

    Compared is what models use: rows of reachable commits, and of deliveries on the mainline, in any order.
    """
    compared, different = 0, {}
    with duckdb.connect() as database:
        for name in schemas.TABLES:
            for side, facts in (("expected", expected), ("found", found)):
                for table in (name, "reachability", "deliveries"):
                    database.register(f"{side}_{table}", facts.table(table))
            wanted, given = (
                f"(select * from {side}_{name} {_current(name, side)})" for side in ("expected", "found")
            )
            rows, missing, surplus = database.execute(
                f"select (select count(*) from {wanted}), (select count(*) from ({wanted} except all {given})),"
                f" (select count(*) from ({given} except all {wanted}))"
            ).fetchall()[0]
            compared += rows
            if missing or surplus:
                different[name] = missing + surplus
    return compared, different


def _current(table: str, side: str) -> str:
    if table in _OF_DELIVERIES:
        return f"where delivery_sha in (select delivery_sha from {side}_deliveries)"
    if table in _OF_COMMITS:
        reachable = (
            f"select commit_sha from {side}_reachability where from_default or from_branch or from_tag"
        )
        return f"where commit_sha is null or commit_sha in ({reachable})"
    return ""
