"""The commit graph, read object by object.

Commits are parsed here and not by libgit2, because histories hold offsets (`+51800`), times and encodings that
strict parsers refuse. Keep out: changes (`diff`), deliveries (`deliveries`).
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path

import pygit2

from ingest.errors import Permanent
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.contents import ObjectProblem, corrupt, read

EARLIEST = 0
LATEST = 4_102_444_800
"""2100-01-01: later times are clamped; Git's own test for absurd dates is the year 2100 as well."""
LAST_SHOWN = 67_768_036_191_676_799
"""The last second of the year 2,147,485,547. Git shows later times, which the C library cannot convert, as 1970."""

_SHA = re.compile(r"[0-9a-f]{40}")
_PERSON = rb"([^<>\0\n]*)<([^<>\0\n]*)> (\d{1,10}) ([+-]\d{4})\n"
_PLAIN = re.compile(
    rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author " + _PERSON + rb"committer " + _PERSON
    + rb"(?:gpgsig [^\n]*\n(?: [^\n]*\n)*)?\n"
)  # fmt: skip
"""A commit without further headers but a signature, as nearly all are."""
_WHEN = re.compile(rb"[ \t\r]*(\d+)?[ \t\r]*([+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Person:
    """Name, address and instant of an author or committer: `time` in Unix seconds, `offset` in minutes.

    `flaw` says what Git cannot read of the line; empty for a well-formed one. A time that Git cannot read is the
    other person's, or 0 where both are unreadable.
    """

    name: bytes
    email: bytes
    time: int
    offset: int
    flaw: str = ""
    has_time: bool = True

    def __reduce__(self) -> tuple[type[Person], tuple[object, ...]]:
        """As of a commit."""
        return Person, _person_values(self)


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

    def __reduce__(self) -> tuple[type[Commit], tuple[object, ...]]:
        """Pickle the fields by position: a task for a worker has a commit."""
        return Commit, _commit_values(self)

    @property
    def is_time_clamped(self) -> bool:
        return any(clamp(p.time) != p.time or not p.has_time for p in (self.author, self.committer))

    @property
    def flaws(self) -> tuple[str, ...]:
        """The parts of the author and committer lines that Git cannot read."""
        people = (("author", self.author), ("committer", self.committer))
        return tuple(f"{name}: {person.flaw}" for name, person in people if person.flaw)


_commit_values = attrgetter(*(f.name for f in fields(Commit)))
_person_values = attrgetter(*(f.name for f in fields(Person)))


def clamp(seconds: int) -> int:
    """A time within 1970 … 2100."""
    return min(max(seconds, EARLIEST), LATEST)


def parse_commit(sha: str, raw: bytes) -> Commit:
    """The commit object `raw`; tolerant of everything but a missing tree line."""
    plain = _PLAIN.match(raw)
    if plain is None:
        return parse_odd_commit(sha, raw)
    tree, parents, name, email, time, offset, name2, email2, time2, offset2 = plain.groups()
    author = Person(name.strip(), email.strip(), int(time), _offset_minutes(offset))
    committer = Person(name2.strip(), email2.strip(), int(time2), _offset_minutes(offset2))
    named = parents.decode("ascii").split()[1::2]
    return Commit(sha, tree.decode("ascii"), tuple(named), author, committer, raw[plain.end() :], "")


def parse_odd_commit(sha: str, raw: bytes) -> Commit:
    """The same, of a commit with further headers or with lines that Git cannot read in full.

    As in Git, the parents are the lines that follow the tree line, and of several author lines the last one counts.
    """
    head, _, message = raw.partition(b"\n\n")
    tree, parents, encoding, follows_tree = "", [], "", True
    author = committer = _NOBODY
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent" and follows_tree:
            parents.append(value.decode("ascii", "replace"))
            continue
        follows_tree = key == b"tree"
        if follows_tree:
            tree = value.decode("ascii", "replace")
        elif key == b"author":
            author = parse_person(value)
        elif key == b"committer":
            committer = parse_person(value)
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace")
    if not (author.has_time and committer.has_time):
        author, committer = _with_time_of(author, committer), _with_time_of(committer, author)
    return Commit(sha, tree, tuple(parents), author, committer, message, encoding)


_NOBODY = Person(b"", b"", 0, 0, "the line is missing", has_time=False)


def _with_time_of(person: Person, other: Person) -> Person:
    """The person, with the time of the other one where that one alone is readable."""
    if person.has_time or not other.has_time:
        return person
    return replace(person, time=other.time, offset=other.offset)


def parse_person(value: bytes) -> Person:
    """Parsed as Git parses it: the address ends at its first bracket, the time begins after the last one.

    Git names nobody where the address has no brackets; a NUL ends the line.
    """
    value, nul, _ = value.partition(b"\0")
    name, opened, rest = value.partition(b"<")
    email, closed, _ = rest.partition(b">")
    if not opened or not closed:
        return Person(
            b"", b"", 0, 0, "it has a NUL" if nul else "it has no address in brackets", has_time=False
        )
    match = _WHEN.match(rest.rpartition(b">")[2])
    digits, offset = match.groups() if match else (None, None)
    flaw, time = "", 0
    if digits is None:
        flaw, offset = "its time is no number", None
    elif len(digits.lstrip(b"0")) > len(str(LAST_SHOWN)) or (time := int(digits)) > LAST_SHOWN:
        flaw, time = "its time does not fit", 0
    has_time = not flaw
    if has_time and (offset is None or offset[:1].isdigit()):
        flaw = "it has no UTC offset"
    return Person(name.strip(), email.strip(), time, _offset_minutes(offset or b"0"), flaw, has_time)


def _offset_minutes(offset: bytes) -> int:
    """`+0530` → 330; absurd offsets (`+51800`) are kept: 518 h 0 min → 31080."""
    number = int(offset[:8])
    hours, minutes = divmod(abs(number), 100)
    return (hours * 60 + minutes) * (-1 if number < 0 else 1)


def read_history(
    repo: pygit2.Repository,
    heads: Iterable[str],
    *,
    verify_hashes: bool = True,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Commit]:
    """Every commit reachable from `heads`, parents before children, in an order of the graph alone.

    Parents beyond a shallow boundary are dropped. Raises Permanent for a missing or corrupt commit, and LimitExceeded.
    """
    grafted = shallow_commits(repo)
    found: dict[str, Commit] = {}
    pending = list(dict.fromkeys(heads))
    seen = set(pending)
    while pending:
        sha = pending.pop()
        commit = read_commit(repo, sha, verify_hashes=verify_hashes, limits=limits)
        if sha in grafted:
            commit = replace(commit, parents=(), is_cut_off=bool(commit.parents))
        found[sha] = commit
        for parent in commit.parents:
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return {sha: found[sha] for sha in _parents_first(found)}


def read_commit(
    repo: pygit2.Repository, sha: str, *, verify_hashes: bool, limits: Limits = DEFAULT_LIMITS
) -> Commit:
    """One commit. Raises Permanent where it is missing or corrupt, and LimitExceeded where it is too large."""
    try:
        raw = read(repo.odb, sha, b"commit", verify_hash=verify_hashes)
        limits.check_commit(sha, len(raw))
        commit = parse_commit(sha, raw)
        if not all(_SHA.fullmatch(named) for named in (commit.tree, *commit.parents)):
            raise corrupt(sha, b"commit", "it has no tree, or an invalid parent id")
    except ObjectProblem as problem:
        raise Permanent(f"{repo.path}: commit {sha}: {problem}") from problem
    return commit


def root_shas(repo: pygit2.Repository, head: str) -> list[str]:
    """Root commits of a head's history (in a shallow clone the commits at its boundary). Raises Permanent."""
    return sorted(sha for sha, parents in _ancestors(repo, head) if not parents)


def is_ancestor(repo: pygit2.Repository, ancestor: str, head: str) -> bool:
    """Whether `ancestor` is `head` or one of its ancestors. Raises Permanent."""
    return any(sha == ancestor for sha, _ in _ancestors(repo, head))


def _ancestors(repo: pygit2.Repository, head: str) -> Iterator[tuple[str, Sequence[str]]]:
    """`head` and its ancestors, each with its parents."""
    grafted = shallow_commits(repo)
    pending, seen = [head], {head}
    while pending:
        sha = pending.pop()
        parents = () if sha in grafted else read_commit(repo, sha, verify_hashes=False).parents
        yield sha, parents
        for parent in parents:
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)


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
