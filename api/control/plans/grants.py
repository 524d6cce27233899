"""Which commits of an organization may be analysed within its limit, and how many of it they use up.

A grant is a range of a repository's commits. A commit that stands in the ranges of several repositories, such as a fork
and its parent or a mirror and its original, counts once. Keep out: plans and the database (plans.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

ID_BYTES = 16
"""Bytes of an object id that are kept: enough to tell commits apart, whatever the repository's hash."""


@dataclass(frozen=True, slots=True)
class Commits:
    """Delivered commits of a repository: the first bytes of their object ids, in the order of delivery. The first
    `before_start` are before the start of its analysis.
    """

    repository_id: str
    ids: Sequence[bytes]
    before_start: int = 0

    @property
    def total(self) -> int:
        """The number of delivered commits."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Grant:
    """Commits that may be analysed: those from one number to another, both included, and none if `last` is below
    `first`.

    `ids` are theirs, in order; None: an earlier release made the grant, and nobody has read the repository since.
    """

    first: int
    last: int
    ids: tuple[bytes, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def commits(self) -> int:
        """The number of granted commits."""
        return self.last - self.first + 1


def charges(grants: Mapping[str, Grant]) -> dict[str, int]:
    """By repository, the granted commits that no repository before it (by id) has; together each commit once."""
    known: set[bytes] = set()
    found = {}
    for key, one in sorted(grants.items()):
        before = len(known)
        known.update(one.ids or ())
        found[key] = one.commits if one.ids is None else len(known) - before
    return found


def allotted(
    present: Mapping[str, Grant], repositories: Iterable[Commits], remaining: int
) -> dict[str, Grant]:
    """Grants that use up to `remaining` more commits: first new commits of known repositories, then the newest of
    new ones, then older ones backwards. Commits that another grant has use nothing. A grant only grows, as long as
    nobody rewrites its history.
    """
    # The commits of a repository are unknown while it is read again.
    listed = [one for one in repositories if one.ids]
    ledger = _Ledger(present, listed, remaining)
    grants = dict(present)
    for one in listed:
        held = present.get(one.repository_id)
        if held is not None:
            last = min(held.last, one.total)
            # Commits that a rewrite put in the place of others may cost more, where another repository has the others.
            taken = ledger.take(reversed(one.ids[max(0, last - held.commits) : last]))
            grants[one.repository_id] = Grant(last - taken + 1, last)
    for one in listed:
        held = grants.get(one.repository_id)
        if held is not None:
            taken = ledger.take(one.ids[held.last :])
            grants[one.repository_id] = Grant(held.first, held.last + taken)
    for one in listed:
        if one.repository_id not in grants and (taken := ledger.take(reversed(one.ids[one.before_start :]))):
            grants[one.repository_id] = Grant(one.total - taken + 1, one.total)
    for one in listed:
        held = grants.get(one.repository_id)
        if held is not None:
            taken = ledger.take(reversed(one.ids[one.before_start : held.first - 1]))
            first = held.first - taken
            grants[one.repository_id] = Grant(first, held.last, tuple(one.ids[first - 1 : held.last]))
    return grants


class _Ledger:
    """The granted commits, each once, and the room for more."""

    def __init__(self, present: Mapping[str, Grant], listed: Sequence[Commits], remaining: int) -> None:
        read_again = {one.repository_id for one in listed}
        others = {key: one for key, one in present.items() if key not in read_again}
        self._known = {each for one in others.values() for each in one.ids or ()}
        self._room = remaining + sum(charges(present).values()) - sum(charges(others).values())
        for one in listed:
            held = present.get(one.repository_id)
            if held is not None and held.ids is not None:
                # The plan charged these commits before.
                kept = set(held.ids).intersection(one.ids)
                self._room -= len(kept - self._known)
                self._known |= kept

    def take(self, ids: Iterable[bytes]) -> int:
        """Take commits as long as they are known or there is room. Returns their number."""
        taken = 0
        for each in ids:
            if each not in self._known:
                if self._room <= 0:
                    break
                self._room -= 1
                self._known.add(each)
            taken += 1
        return taken


def packed(ids: Iterable[bytes]) -> bytes:
    """The ids in one value."""
    return b"".join(ids)


def unpacked(value: bytes) -> tuple[bytes, ...]:
    """The ids that `packed` put together."""
    return tuple(value[at : at + ID_BYTES] for at in range(0, len(value), ID_BYTES))
