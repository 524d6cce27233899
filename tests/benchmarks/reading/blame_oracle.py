"""Agreement of line deaths with `git blame` at the parent, for a sample of deleted lines.

A direct delivery removes the lines of its own hunks; a merge removes what Git's diff from its predecessor
removes. Deaths are histograms, so a sampled line counts by the share of its file's lines that die with the
same origin on both sides.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.oracles import Agreement
from tests.benchmarks.reading.reference_git import Range, ReferenceGit

_MERGES = 100
_FILES_OF_A_MERGE = 3
_SHOWN = 20


@dataclass(frozen=True)
class _Removal:
    """The lines that one delivery removes from one file."""

    delivery: str
    predecessor: str
    path: str
    ranges: tuple[Range, ...]

    @property
    def lines(self) -> int:
        return sum(count for _, count in self.ranges)


Deaths = dict[tuple[str, str], Counter[str]]
"""Ownership of the lines that died, by delivery and path."""


def _deaths(facts: RawFacts) -> Deaths:
    found: Deaths = {}
    for row in facts.rows("line_deaths", ["delivery_sha", "path", "origin_sha", "lines"]):
        origins = found.setdefault((row["delivery_sha"], row["path"]), Counter())
        origins[row["origin_sha"]] += sum(entry["lines"] for entry in row["lines"])
    return found


def blame_agreement(facts: RawFacts, git: ReferenceGit, lines: int = 500, seed: int = 0) -> list[Agreement]:
    """Agreement over `lines` deleted lines of direct deliveries, and over the same number of merges.

    Git follows parents in their order. Where the mainline continues through another parent than the first,
    `git blame -S` gets the order of the mainline.
    """
    deliveries = facts.rows("deliveries", ["delivery_sha", "predecessor_sha", "kind"])
    parents = {
        row["commit_sha"]: row["parent_shas"] for row in facts.rows("commits", ["commit_sha", "parent_shas"])
    }
    deaths = _deaths(facts)
    random = Random(seed)
    with tempfile.NamedTemporaryFile("w", suffix=".parents") as overridden:
        overridden.writelines(_redirected(deliveries, parents))
        overridden.flush()
        found = []
        for name, removals in (
            ("direct deliveries", _direct_removals(facts, deliveries, parents)),
            ("merges", _merge_removals(git, deliveries, parents, random)),
        ):
            sample = _sample(removals, lines, random)
            found.append(
                _agreement(f"origins of lines removed by {name}", git, sample, deaths, Path(overridden.name))
            )
    return found


def _agreement(
    name: str,
    git: ReferenceGit,
    sample: Counter[_Removal],
    deaths: Deaths,
    parents: Path,
) -> Agreement:
    def shared(removal: _Removal) -> tuple[float, str | None]:
        expected = git.blame(removal.predecessor, removal.path, removal.ranges, parents)
        actual = deaths.get((removal.delivery, removal.path), Counter())
        missing, other = expected - actual, actual - expected
        text = f"{removal.delivery} {removal.path}: Git {_short(missing)}, facts {_short(other)}"
        return 1 - missing.total() / expected.total(), text if missing else None

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(shared, sample))
    equal = sum(share * count for (share, _), count in zip(answers, sample.values(), strict=True))
    differences = [text for _, text in answers if text]
    return Agreement(name, equal, sample.total(), differences[:_SHOWN])


def _sample(removals: list[_Removal], lines: int, random: Random) -> Counter[_Removal]:
    """Number of sampled lines by removal."""
    every = [removal for removal in removals for _ in range(removal.lines)]
    return Counter(random.sample(every, min(lines, len(every))))


def _direct_removals(
    facts: RawFacts, deliveries: list[dict[str, Any]], parents: dict[str, list[str]]
) -> list[_Removal]:
    steps = {row["delivery_sha"]: row["predecessor_sha"] for row in deliveries}
    columns = ["commit_sha", "path", "previous_path", "hunks", "lines_deleted"]
    found = []
    for row in facts.rows("file_changes", columns):
        sha = row["commit_sha"]
        if row["lines_deleted"] and sha in steps and parents[sha] == [steps[sha]]:
            ranges = tuple((h["old_start"], h["old_lines"]) for h in row["hunks"] if h["old_lines"])
            if ranges:
                found.append(_Removal(sha, steps[sha], row["previous_path"] or row["path"], ranges))
    return sorted(found, key=lambda removal: (removal.delivery, removal.path))


def _merge_removals(
    git: ReferenceGit, deliveries: list[dict[str, Any]], parents: dict[str, list[str]], random: Random
) -> list[_Removal]:
    merges = [row for row in deliveries if len(parents[row["delivery_sha"]]) > 1 and row["predecessor_sha"]]
    found = []
    for row in random.sample(merges, min(_MERGES, len(merges))):
        delivery, predecessor = row["delivery_sha"], row["predecessor_sha"]
        changed = sorted(git.removals(predecessor, delivery).items())
        for path, blobs in random.sample(changed, min(_FILES_OF_A_MERGE, len(changed))):
            if ranges := tuple(git.removed_ranges(*blobs)):
                found.append(_Removal(delivery, predecessor, path, ranges))
    return found


def _redirected(deliveries: list[dict[str, Any]], parents: dict[str, list[str]]) -> Iterator[str]:
    for row in deliveries:
        sha, mainline = row["delivery_sha"], row["predecessor_sha"]
        if mainline and parents[sha][0] != mainline:
            others = [parent for parent in parents[sha] if parent != mainline]
            yield " ".join([sha, mainline, *others]) + "\n"


def _short(origins: Counter[str]) -> dict[str, int]:
    return {sha[:10]: count for sha, count in origins.items()}
