"""Agreement of raw Git facts with Git itself: counts, merges, reachability and deliveries.

Each function reads raw Parquet and runs `git`; none imports the extractor. `blame_oracle` compares line authors.
"""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.reference_git import ReferenceGit

_SHOWN = 20
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Agreement:
    """Number of equal items out of `total`; `differences` describes the first different ones."""

    name: str
    equal: float
    total: int
    differences: list[str] = field(default_factory=list)
    detail: str = ""

    @property
    def share(self) -> float:
        """Share of equal items, 0 to 1; 1 if `total` is 0."""
        return self.equal / self.total if self.total else 1.0


def numstat_agreement(facts: RawFacts, git: ReferenceGit) -> Agreement:
    """File changes of non-merge commits: pairing of renames, binary files and both counts, row by row."""
    expected = {
        (row.commit, row.path): (row.previous_path, row.added is None, row.added or 0, row.deleted or 0)
        for row in git.numstat()
    }
    merges = {
        row["commit_sha"] for row in facts.rows("commits", ["commit_sha", "is_merge"]) if row["is_merge"]
    }
    columns = ["commit_sha", "path", "previous_path", "is_binary", "lines_added", "lines_deleted"]
    actual = {
        (row["commit_sha"], row["path"]): tuple(row[column] for column in columns[2:])
        for row in facts.rows("file_changes", columns)
        if row["commit_sha"] not in merges
    }
    return _compared("file changes as git log --numstat -M", expected, actual)


def merge_agreement(facts: RawFacts, git: ReferenceGit) -> Agreement:
    """Files of merges that differ from every parent, as `git log -c` lists them."""
    merges = {
        row["commit_sha"] for row in facts.rows("commits", ["commit_sha", "is_merge"]) if row["is_merge"]
    }
    rows = facts.rows("file_changes", ["commit_sha", "path"])
    actual = {(row["commit_sha"], row["path"]): True for row in rows if row["commit_sha"] in merges}
    return _compared("files of merges as git log -c", dict.fromkeys(git.merge_paths(), True), actual)


def reachability_agreement(facts: RawFacts, git: ReferenceGit) -> Agreement:
    """Commits by the kinds of ref from which `git rev-list` reaches them."""
    default = git.reachable([git.default_head(facts.default_branch())])
    branch, tag = (
        git.reachable([ref.commit for ref in git.refs if ref.kind in kinds])
        for kinds in (("branch", "remote_branch"), ("tag",))
    )
    expected = {sha: (sha in default, sha in branch, sha in tag) for sha in default | branch | tag}
    columns = ["from_default", "from_branch", "from_tag"]
    actual = {
        row["commit_sha"]: tuple(row[column] for column in columns)
        for row in facts.rows("reachability", ["commit_sha", *columns])
        # Facts of commits that a rewrite made unreachable stay.
        if any(row[column] for column in columns)
    }
    return _compared("reachability as git rev-list", expected, actual)


def delivery_agreement(facts: RawFacts, git: ReferenceGit) -> Agreement:
    """Steps of the default branch: predecessor, position and the commits that each one brought.

    The mainline is `git rev-list --first-parent`, but for merges whose message names the default branch as
    the side that was merged: there it continues through that side.
    """
    branch = facts.default_branch()
    graph = git.graph([git.default_head(branch)])
    mainline = _mainline(git, graph, branch)
    expected, delivered = {}, set[str]()
    for position, sha in enumerate(mainline):
        new = _not_yet(graph, sha, delivered)
        expected[sha] = (mainline[position - 1] if position else None, position, frozenset(new))
        delivered |= new
    rows = facts.rows("deliveries", ["delivery_sha", "predecessor_sha", "position", "commit_shas"])
    actual = {
        row["delivery_sha"]: (row["predecessor_sha"], row["position"], frozenset(row["commit_shas"]))
        for row in rows
    }
    doubled = Counter(sha for row in rows for sha in row["commit_shas"])
    repeated = [f"{sha} is delivered {times} times" for sha, times in doubled.items() if times > 1]
    found = _compared("deliveries as git rev-list", expected, actual)
    return Agreement(
        found.name, found.equal - len(repeated), found.total, repeated[:_SHOWN] + found.differences
    )


def _mainline(git: ReferenceGit, graph: Mapping[str, Sequence[str]], branch: str) -> list[str]:
    """Oldest first."""
    # Merges from before a rename of master to main still have the old name.
    names = "(?:main|master)" if branch in ("main", "master") else re.escape(branch)
    remote = r"remote(?:-tracking)? branch '"
    redirect = re.compile(
        rf"Merge (branch '{names}'|{remote}origin/{names}')(?= |$)|Merge {remote}upstream/{names}' into (?!{names}$)"
    )
    subjects = git.subjects([sha for sha, parents in graph.items() if len(parents) == 2])
    line = [git.default_head(branch)]
    while parents := graph[line[-1]]:
        is_redirected = len(parents) == 2 and redirect.match(subjects[line[-1]])
        line.append(parents[1] if is_redirected else parents[0])
    return line[::-1]


def _not_yet(graph: Mapping[str, Sequence[str]], head: str, delivered: set[str]) -> set[str]:
    found, pending = {head}, [head]
    while pending:
        new = set(graph[pending.pop()]) - delivered - found
        found |= new
        pending += new
    return found


def _compared(name: str, expected: Mapping[Key, object], actual: Mapping[Key, object]) -> Agreement:
    keys = expected.keys() | actual.keys()
    different = [key for key in keys if expected.get(key) != actual.get(key)]
    shown = [f"{key}: Git {expected.get(key)}, facts {actual.get(key)}" for key in sorted(different, key=str)]
    return Agreement(name, len(keys) - len(different), len(keys), shown[:_SHOWN])
