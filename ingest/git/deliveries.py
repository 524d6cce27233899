"""Deliveries: the steps of the default branch along first parents, by which work becomes part of the product.

Every fact of a step but its time depends only on its commit and that commit's ancestors, so it does not change when the
history grows. Later steps can show that a time is impossible (`mainline_clock`). Keep out: judgements over all steps,
such as which of two unrelated histories is an import (SQL).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.git.mainline_clock import impossible_times, mainline_times
from ingest.git.messages.merges import names_default_branch_as_merged_side, names_upstream_as_merged_side
from ingest.git.objects.commit_graph import Commit


@dataclass(frozen=True, slots=True)
class Delivery:
    """One mainline step. `delivered_at` is mainline time in Unix seconds."""

    sha: str
    predecessor: str | None
    position: int
    delivered_at: int
    commits: tuple[str, ...]
    """Delivered commits, parents first, itself last."""
    is_redirected: bool
    """The mainline parent is not the first parent."""
    is_misdated: bool = False
    """Its committer time is impossible, so it has the time of its neighbours."""
    unrelated: tuple[str, ...] = ()
    """Delivered commits that share no ancestor with the mainline before it, parents first."""
    joining: tuple[str, ...] = ()
    """Merges that join the unrelated commits to it, parents first; one into a subdirectory has the lines."""
    upstream: tuple[str, ...] = ()
    """Delivered commits that the message of the merge says to come from a fork's parent, parents first."""
    upstream_base: int | None = None
    """Position of the last earlier step that the merged side of such a merge contains; None for other steps."""

    @property
    def is_unrelated_root(self) -> bool:
        return bool(self.unrelated)

    @property
    def brings_several(self) -> bool:
        """It brings several commits besides itself, which may have changed each other's lines."""
        return len(self.commits) > 2


def first_parent_roots(commits: Mapping[str, Commit]) -> dict[str, str | None]:
    """The root commit that each commit reaches along first parents; `commits` holds parents first.

    None where the path ends at the boundary of a shallow clone, because the root beyond it is unknown.
    """
    roots: dict[str, str | None] = {}
    for sha, commit in commits.items():
        roots[sha] = roots[commit.parents[0]] if commit.parents else None if commit.is_cut_off else sha
    return roots


def mainline_parent(
    commit: Commit, roots: Mapping[str, str | None], default_branch: str, remote_url: str | None = None
) -> str | None:
    """The parent through which the mainline continues; `remote_url` identifies merges from forks.

    It is the first parent, unless the commit merges the default branch into a side branch that was then
    fast-forwarded. Following the first parent there would move months of work to that day.

    A redirect never changes the root of the mainline, because a message cannot tell which of two unrelated histories
    is the project. So the root of a mainline is the root of its first parents (`roots`).
    """
    if len(commit.parents) == 2:
        first, second = commit.parents
        message = commit.message.decode("utf-8", "replace")
        if names_default_branch_as_merged_side(message, default_branch, remote_url) and (
            roots[first] == roots[second] or roots[first] is None or roots[second] is None
        ):
            return second
    return commit.parents[0] if commit.parents else None


def trace_deliveries(
    commits: dict[str, Commit],
    head: str,
    default_branch: str,
    remote_url: str | None = None,
    *,
    now: int | None = None,
) -> list[Delivery]:
    """Deliveries of the branch whose head is `head`, oldest first; `commits` holds parents first.

    `remote_url` is the repository's normalized address, if it has one. Mainline time is the running maximum of
    committer times that are possible at `now`, Unix seconds (default: the clock of this machine).
    """
    mainline = _mainline(commits, head, default_branch, remote_url)
    order = {sha: i for i, sha in enumerate(commits)}
    delivered: set[str] = set()
    steps: list[Delivery] = []
    positions: dict[str, int] = {}
    written = [commits[sha].committer.time for sha in mainline]
    misdated = impossible_times(written, int(time.time()) if now is None else now)
    times = mainline_times(written, misdated)
    for position, sha in enumerate(mainline):
        new = _newly_reachable(commits, sha, delivered)
        ordered = tuple(sorted(new, key=order.__getitem__))
        predecessor = mainline[position - 1] if position else None
        unrelated, joining = _unrelated(commits, ordered) if predecessor is not None else ((), ())
        upstream, base = _upstream(commits, sha, predecessor, ordered, positions)
        steps.append(
            Delivery(
                sha=sha,
                predecessor=predecessor,
                position=position,
                delivered_at=times[position],
                commits=ordered,
                is_redirected=predecessor is not None and commits[sha].parents[0] != predecessor,
                is_misdated=misdated[position],
                unrelated=unrelated,
                joining=joining,
                upstream=upstream,
                upstream_base=base,
            )
        )
        delivered |= new
        positions.update(dict.fromkeys(new, position))
    return steps


def misdated(deliveries: Sequence[Delivery]) -> set[str]:
    """The deliveries whose committer time is impossible."""
    return {delivery.sha for delivery in deliveries if delivery.is_misdated}


def _mainline(
    commits: dict[str, Commit], head: str, default_branch: str, remote_url: str | None
) -> Sequence[str]:
    roots = first_parent_roots(commits)
    line: list[str] = []
    step: str | None = head
    while step is not None and step in commits:
        line.append(step)
        step = mainline_parent(commits[step], roots, default_branch, remote_url)
    return line[::-1]


def _newly_reachable(commits: dict[str, Commit], head: str, delivered: set[str]) -> set[str]:
    new, pending = {head}, [head]
    while pending:
        for parent in commits[pending.pop()].parents:
            if parent not in delivered and parent not in new:
                new.add(parent)
                pending.append(parent)
    return new


def _upstream(
    commits: dict[str, Commit],
    sha: str,
    predecessor: str | None,
    new: Sequence[str],
    positions: Mapping[str, int],
) -> tuple[tuple[str, ...], int | None]:
    """The commits that a merge of a fork's parent delivers, and the last earlier step that the parent had.

    A merge in the other direction, by which the mainline moved to the parent's line, is none.
    """
    commit = commits[sha]
    if len(commit.parents) < 2 or commit.parents[0] != predecessor:
        return (), None
    if not names_upstream_as_merged_side(commit.message.decode("utf-8", "replace")):
        return (), None
    merged = new[:-1]
    reached = {parent for one in merged for parent in commits[one].parents} | set(commit.parents[1:])
    bases = [positions[parent] for parent in reached if parent in positions]
    return tuple(merged), max(bases, default=None)


def _unrelated(commits: dict[str, Commit], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The newly reachable commits without an older ancestor, parents first, and the merges that join them to others.

    Commits at the boundary of a shallow clone do not count: their unknown ancestors may belong to the mainline.
    """
    found: dict[str, None] = {}
    joining = []
    for sha in new:
        commit = commits[sha]
        apart = [parent in found for parent in commit.parents]
        if all(apart) and not commit.is_cut_off:
            found[sha] = None
        elif any(apart):
            joining.append(sha)
    return tuple(found), tuple(joining)
