"""What became part of the product, and when: the steps of the default branch along first parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.git.history import Commit
from ingest.git.merge_messages import names_default_branch_as_merged_side

ABSURD_BEFORE = 315_532_800
"""1980-01-01: no version control system that Git imports from is older (RCS dates from 1982)."""
ABSURD_AFTER = 4_102_444_800
"""2100-01-01."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One mainline step. `delivered_at` is mainline time in Unix seconds."""

    sha: str
    predecessor: str | None
    position: int
    delivered_at: int
    commits: tuple[str, ...]
    """Commits that it delivered, parents first, itself last."""
    is_redirected: bool
    """Its mainline parent is not its first parent."""
    is_unrelated_root: bool


def mainline_parent(commit: Commit, default_branch: str, origin: str | None = None) -> str | None:
    """The parent through which the mainline continues; `origin` tells a merge from a fork apart.

    The first one, unless the commit merges the default branch itself into a side branch that was then
    fast-forwarded: following the first parent would move the branch's months of work to that day.
    """
    if len(commit.parents) == 2:
        message = commit.message.decode("utf-8", "replace")
        if names_default_branch_as_merged_side(message, default_branch, origin):
            return commit.parents[1]
    return commit.parents[0] if commit.parents else None


def trace_deliveries(
    commits: dict[str, Commit], head: str, default_branch: str, origin: str | None = None
) -> list[Delivery]:
    """Deliveries of the branch whose head is `head`, oldest first; `commits` holds parents first.

    `origin` is the repository's normalized address, where it has one.

    Mainline time is the running maximum of committer times; absurd ones take their predecessor's.
    """
    mainline = _mainline(commits, head, default_branch, origin)
    order = {sha: i for i, sha in enumerate(commits)}
    delivered: set[str] = set()
    steps: list[Delivery] = []
    clock = 0
    for position, sha in enumerate(mainline):
        new = _newly_reachable(commits, sha, delivered)
        predecessor = mainline[position - 1] if position else None
        time = commits[sha].committer.time
        if ABSURD_BEFORE <= time < ABSURD_AFTER:
            clock = max(clock, time)
        steps.append(
            Delivery(
                sha=sha,
                predecessor=predecessor,
                position=position,
                delivered_at=clock,
                commits=tuple(sorted(new, key=order.__getitem__)),
                is_redirected=predecessor is not None and commits[sha].parents[0] != predecessor,
                is_unrelated_root=predecessor is not None and any(not commits[c].parents for c in new),
            )
        )
        delivered |= new
    return steps


def _mainline(
    commits: dict[str, Commit], head: str, default_branch: str, origin: str | None
) -> Sequence[str]:
    line: list[str] = []
    step: str | None = head
    while step is not None and step in commits:
        line.append(step)
        step = mainline_parent(commits[step], default_branch, origin)
    return line[::-1]


def _newly_reachable(commits: dict[str, Commit], head: str, delivered: set[str]) -> set[str]:
    new, pending = {head}, [head]
    while pending:
        for parent in commits[pending.pop()].parents:
            if parent not in delivered and parent not in new:
                new.add(parent)
                pending.append(parent)
    return new
