"""Merged fixes with experts' time bands, what they earned, and rank correlation."""

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.git.files.roles import SOURCE, role_of
from ingest.git.lexing.languages import language_of
from tests.validity.labelled_sets import Row

EARNED = f"""
    select
        repository_id, commit_sha, role = '{SOURCE}' as is_source, sum(points_micro) as points_micro,
        sum(effort_micro) as effort_micro, sum(etv_micro) as etv_micro
    from fct_commit_files group by repository_id, commit_sha, role = '{SOURCE}'
"""
"""What commits earned, in source files and in others: to be asked of a warehouse."""
Figures = NDArray[np.float64]
# Another user may own the clones.
_GIT = ("git", "-c", "safe.directory=*")


@dataclass(frozen=True)
class Fix:
    """A merged fix: its commits, its time band (0 to 3) and the lines of source files that it added and deleted."""

    repo: str
    merge: str
    commits: tuple[str, ...]
    band: int
    churn: int


def fix(row: Row, clone: Path) -> Fix:
    """A row of the set with what Git says of its merge."""
    merge = row["merge_sha"]
    commits = _git(clone, "rev-list", f"{merge}^1..{merge}").split()
    changed = _git(clone, "diff", "--numstat", "--no-renames", f"{merge}^1", merge).splitlines()
    counts = [line.split("\t") for line in changed]
    churn = sum(int(added) + int(deleted) for added, deleted, path in counts if _is_source_code(added, path))
    return Fix(row["repo"], merge, tuple(commits), int(row["difficulty_ord"]), churn)


def fixes(rows: Iterable[Row], clones: Mapping[str, Path]) -> list[Fix]:
    """The rows with a merge in the clone of their project."""
    return [
        fix(row, clones[row["repo"]])
        for row in rows
        if row["merge_sha"] and row["repo"] in clones and _has_merge(clones[row["repo"]], row["merge_sha"])
    ]


def earned(
    fixes: Sequence[Fix],
    rows: Iterable[Mapping[str, Any]],
    repository_ids: Mapping[str, str],
    column: str,
    *,
    all_files: bool = False,
) -> Figures:
    """The sum of a column of EARNED over the commits of each fix, in source files or in all files."""
    totals: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row["is_source"] or all_files:
            totals[str(row["repository_id"]), row["commit_sha"]] += int(row[column])
    return np.array([float(sum(totals[repository_ids[f.repo], sha] for sha in f.commits)) for f in fixes])


def bands(fixes: Sequence[Fix]) -> Figures:
    """The time band of each fix."""
    return np.array([float(f.band) for f in fixes])


def spearman(first: Figures, second: Figures) -> float:
    """Rank correlation with shared ranks for ties; NaN if one side is constant."""
    if min(np.ptp(first), np.ptp(second)) == 0:
        return float("nan")
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Figures) -> Figures:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places])


def _is_source_code(added: str, path: str) -> bool:
    return added != "-" and path.endswith(".py") and role_of(path, language_of(path)) == SOURCE


def _has_merge(clone: Path, merge: str) -> bool:
    command = [*_GIT, "-C", str(clone), "rev-parse", "--verify", "--quiet", f"{merge}^1^{{commit}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _git(clone: Path, *arguments: str) -> str:
    command = [*_GIT, "-C", str(clone), *arguments, "--"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout
