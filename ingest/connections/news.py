"""Questions that spare requests: which of many streams have changes, asked once instead of stream by stream.

A provider answers in one of two ways. It tells of each stream something that changes with every change (`version` of
a `Stream`), or it lists the changes since a time in many streams at once (`News`). Both compare times of the provider's
own clock. Where it does not answer, every stream is read as without the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ingest.connections.values import instant
from ingest.errors import ProviderRefused, RateLimited, Transient
from ingest.http.answers import Answer
from ingest.http.client import Client
from ingest.json_paths import at

MIN_ASKED = 3
"""Streams of a question. For one or two it costs as much as it saves."""
SETTLES_IN = timedelta(minutes=5)
"""A change younger than this may be followed by another one with the same time, or by an older one that is still being
written. It is the overlap of the positions of streams."""
MAX_AGE = timedelta(days=7)
"""Streams that were read so much earlier than the newest one are read by themselves: the answer stays short."""


@dataclass(frozen=True, eq=False)
class News:
    """One question for the streams with these names. `ask(since)` gives the names of those with a change at or after a
    time, or None where the provider does not tell. It may raise what requests raise; then nobody was told.
    """

    streams: frozenset[str]
    ask: Callable[[datetime], Iterable[str] | None]


@dataclass(frozen=True)
class ChangedStreams:
    """The answer: names of changed streams since a time. `at` is the provider's time before the question."""

    since: datetime
    at: datetime
    changed: frozenset[str]


def ask(news: News, read_at: Mapping[str, datetime], clock: datetime | None) -> ChangedStreams | None:
    """Ask for the changes since the streams were read. `read_at` has the times up to which they were, by name.

    None if the question is not worth it or has no answer. Raises RateLimited.
    """
    known = [when for name, when in read_at.items() if name in news.streams]
    if clock is None or len(known) < MIN_ASKED:
        return None
    since = min(when for when in known if max(known) - when <= MAX_AGE) - SETTLES_IN
    try:
        changed = news.ask(since)
        return None if changed is None else ChangedStreams(since, clock, frozenset(changed))
    except RateLimited:
        raise
    except (ProviderRefused, Transient, LookupError, TypeError, ValueError, AttributeError):
        return None


def answer_to(client: Client, address: str, body: Any) -> Answer | None:
    """The answer to a question in GraphQL; None where the provider refuses it or fails. Raises RateLimited."""
    try:
        return client.query(address, body, tries=2)
    except RateLimited:
        raise
    except (ProviderRefused, Transient):
        return None


def tells_all(said: Any, clock: datetime | None) -> bool:
    """Whether any later change in a list would change what GraphQL says of it: its number of rows, and its newest row
    with the time of its change. A list that hides its newest row has a number nevertheless.
    """
    if at(said, ("nodes", 0)) is None:
        return 0 in (at(said, ("totalCount",)), at(said, ("count",)))
    return is_settled(newest_of(said), clock)


def newest_of(said: Any) -> datetime | None:
    """The time of the newest change in a list of which GraphQL tells the newest row."""
    return instant(at(said, ("nodes", 0, "updatedAt")))


def is_settled(newest: datetime | None, clock: datetime | None) -> bool:
    """Whether the newest change is so old that every later one has another time."""
    return newest is not None and clock is not None and clock - newest > SETTLES_IN
