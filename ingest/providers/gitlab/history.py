"""The status of a GitLab issue and its history.

GitLab has no status beyond open and closed: boards of a project are lists of labels, and such a label is the status.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from ingest.connections.trackers.records import Change, StatusCategory
from ingest.connections.trackers.status_words import category_of_name
from ingest.connections.values import instant, text
from ingest.json_paths import at

Json = dict[str, Any]

SCOPES = ("workflow::", "status::")
"""Prefixes of scoped labels that are a status by custom, also without a board."""
OPEN, CLOSED = "Open", "Closed"


@dataclass(frozen=True)
class Events:
    """Changes of an issue: of its state, and of its labels."""

    states: Sequence[Json] = ()
    labels: Sequence[Json] = ()


def history_of(events: Events, board: frozenset[str]) -> list[Change]:
    """Steps between open, the lists of the board, and closed. A step between lists is two events at the same time."""
    marked = [(_when(one), one) for one in events.states]
    marked += [
        (_when(one), one) for one in events.labels if is_status(str(at(one, ("label", "name"))), board)
    ]
    changes: list[Change] = []
    now = OPEN
    for when, group in groupby(sorted(marked, key=lambda pair: pair[0]), key=lambda pair: pair[0]):
        together = [one for _, one in group]
        after = _after(now, together)
        if after != now:
            actor = text(at(together[-1], ("user", "username")))
            changes.append(Change("status", when, now, after, category_of(after), actor))
            now = after
    return changes


def _after(now: str, together: Sequence[Json]) -> str:
    """The status after events of one moment."""
    added = [at(one, ("label", "name")) for one in together if one.get("action") == "add"]
    removed = {at(one, ("label", "name")) for one in together if one.get("action") == "remove"}
    states = [one.get("state") for one in together if one.get("state")]
    if "closed" in states:
        return CLOSED
    if added and now != CLOSED:
        return str(added[-1])
    return OPEN if "reopened" in states or now in removed else now


def status_labels(boards: Sequence[Json], labels: Sequence[Json]) -> frozenset[str]:
    """Labels of the lists of a project's boards, and those that are a status by custom."""
    lists = [one for board in boards for one in at(board, ("lists",)) or []]
    names = [at(one, ("label", "name")) for one in lists]
    names += [
        name for one in labels if (name := text(at(one, ("name",)))) and name.lower().startswith(SCOPES)
    ]
    return frozenset(name for name in names if isinstance(name, str))


def is_status(label: str, board: frozenset[str]) -> bool:
    """Whether a label is a status: a list of a board, or a scoped label that is one by custom."""
    return label in board or label.lower().startswith(SCOPES)


def category_of(status: str | None) -> StatusCategory:
    """The category of a status; None is an open issue on no list.

    A list whose name does not say that work waits is work in progress.
    """
    if status == CLOSED:
        return "done"
    name = (status or OPEN).rpartition("::")[2].strip()
    return "todo" if category_of_name(name) == "todo" else "doing"


def _when(one: Json) -> datetime:
    found = instant(one["created_at"])
    if found is None:
        raise ValueError("created_at is no time")
    return found
