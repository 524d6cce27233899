"""The commit graph, read object by object.

Commits are parsed here and not by libgit2, because histories hold offsets (`+51800`), times and encodings that
strict parsers refuse. Keep out: changes (`diff`), deliveries (`deliveries`).
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pygit2

from ingest.errors import Permanent
from ingest.git.objects.contents import ObjectProblem, corrupt, read

EARLIEST = 0
LATEST = 4_102_444_800
"""2100-01-01: later times are clamped; Git's own test for absurd dates is the year 2100 as well."""

_SHA = re.compile(r"[0-9a-f]{40}")
_WHEN = re.compile(rb"\s*(-?\d+)?\s*([+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Person:
    """Name, address and instant as written: `time` in Unix seconds, `offset` in minutes."""

    name: bytes
    email: bytes
    time: int
    offset: int


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: bytes
    encoding: str
    is_cut_off: bool = False
    """Whether the parents lie beyond the boundary of a shallow clone."""

    @property
    def is_time_clamped(self) -> bool:
        return any(clamp(p.time) != p.time for p in (self.author, self.committer))


def clamp(seconds: int) -> int:
    """A time within 1970 … 2100."""
    return min(max(seconds, EARLIEST), LATEST)


def parse_commit(sha: str, raw: bytes) -> Commit:
    """The commit object `raw`; tolerant of everything but a missing tree line."""
    head, _, message = raw.partition(b"\n\n")
    tree, parents, encoding = "", [], ""
    author = committer = Person(b"", b"", 0, 0)
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree":
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"author":
            author = _parse_person(value)
        elif key == b"committer":
            committer = _parse_person(value)
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace")
    return Commit(sha, tree, tuple(parents), author, committer, message, encoding)


def _parse_person(value: bytes) -> Person:
    """Parsed as Git parses it: the address ends at its first bracket, the time begins after the last one."""
    name, opened, rest = value.partition(b"<")
    if not opened:
        return Person(value.strip(), b"", 0, 0)
    email = rest.partition(b">")[0]
    match = _WHEN.match(rest.rpartition(b">")[2] if b">" in rest else b"")
    time, offset = match.groups() if match else (None, None)
    return Person(name.strip(), email.strip(), int((time or b"0")[:19]), _offset_minutes(offset or b"0"))


def _offset_minutes(offset: bytes) -> int:
    """`+0530` → 330; absurd offsets (`+51800`) are kept: 518 h 0 min → 31080."""
    number = int(offset[:8])
    hours, minutes = divmod(abs(number), 100)
    return (hours * 60 + minutes) * (-1 if number < 0 else 1)


def read_history(
    repo: pygit2.Repository, heads: Iterable[str], *, verify_hashes: bool = True
) -> dict[str, Commit]:
    """Every commit reachable from `heads`, parents before children, in an order of the graph alone.

    Parents beyond a shallow boundary are dropped. Raises Permanent for a missing or corrupt commit.
    """
    grafted = shallow_commits(repo)
    found: dict[str, Commit] = {}
    pending = list(dict.fromkeys(heads))
    seen = set(pending)
    while pending:
        sha = pending.pop()
        commit = _read_commit(repo, sha, verify_hashes)
        if sha in grafted:
            commit = Commit(sha, commit.tree, (), *_rest(commit), is_cut_off=bool(commit.parents))
        found[sha] = commit
        for parent in commit.parents:
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return {sha: found[sha] for sha in _parents_first(found)}


def _rest(commit: Commit) -> tuple[Person, Person, bytes, str]:
    return commit.author, commit.committer, commit.message, commit.encoding


def _read_commit(repo: pygit2.Repository, sha: str, verify_hashes: bool) -> Commit:
    try:
        commit = parse_commit(sha, read(repo.odb, sha, b"commit", verify_hash=verify_hashes))
        if not all(_SHA.fullmatch(named) for named in (commit.tree, *commit.parents)):
            raise corrupt(sha, b"commit", "it has no tree, or an invalid parent id")
    except ObjectProblem as problem:
        raise Permanent(f"{repo.path}: commit {sha}: {problem}") from problem
    return commit


def shallow_commits(repo: pygit2.Repository) -> frozenset[str]:
    """Commits whose parents a shallow clone left out; empty for a complete clone."""
    try:
        return frozenset((Path(repo.path) / "shallow").read_text().split())
    except OSError:
        return frozenset()


def _parents_first(commits: dict[str, Commit]) -> list[str]:
    """Kahn's algorithm; ties by committer time, then id."""
    waiting = {sha: len(set(c.parents)) for sha, c in commits.items()}
    children: dict[str, list[str]] = {}
    for sha, commit in commits.items():
        for parent in set(commit.parents):
            children.setdefault(parent, []).append(sha)
    ready = [(commits[sha].committer.time, sha) for sha, n in waiting.items() if n == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, sha = heapq.heappop(ready)
        order.append(sha)
        for child in children.get(sha, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (commits[child].committer.time, child))
    return order


def reachable(commits: dict[str, Commit], heads: Iterable[str]) -> set[str]:
    """Ids of the commits reachable from `heads`, the heads included."""
    pending = [h for h in heads if h in commits]
    seen = set(pending)
    while pending:
        for parent in commits[pending.pop()].parents:
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return seen
