"""The threads of a pull request of Azure DevOps as events.

Votes of reviewers have no time in the pull request: a thread of the system says who voted when. Read in payloads: the
system names people by keys of `identities`, older servers by ids without hyphens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ingest.connections.git_hosts.landings import comment_events
from ingest.connections.git_hosts.records import Event, EventKind
from ingest.connections.values import instant, number, text
from ingest.json_paths import at
from ingest.providers.azure.access import identity, identity_kind

VOTES: dict[int, EventKind] = {
    10: "approved",
    5: "approved",  # with suggestions
    0: "unapproved",
    -5: "changes_requested",  # waits for the author
    -10: "changes_requested",  # rejected
}
READY = re.compile(r"\b(published the pull request|marked the pull request as (active|ready))", re.IGNORECASE)
DRAFT = re.compile(r"\bmarked the pull request as (a )?draft", re.IGNORECASE)
People = Mapping[str, Any]


def people_of(one: Mapping[str, Any], threads: list[Any]) -> dict[str, Any]:
    """Everybody whom a pull request and its threads describe, by id without hyphens."""
    users = [one.get("createdBy"), one.get("closedBy"), *(one.get("reviewers") or [])]
    for thread in threads:
        users += [at(comment, ("author",)) for comment in at(thread, ("comments",)) or []]
        users += (at(thread, ("identities",)) or {}).values()
    return {_plain(key): user for user in users if (key := text(at(user, ("id",))))}


def read_threads(threads: list[Any], people: People) -> list[Event]:
    """Events by time. Deleted threads and comments are left out."""
    found = [
        event for thread in threads if not at(thread, ("isDeleted",)) for event in _events(thread, people)
    ]
    return sorted(found, key=lambda event: event.at)


def last_change(threads: list[Any]) -> datetime | None:
    """The time of the last change of any thread."""
    times = (
        instant(at(thread, (name,))) for thread in threads for name in ("publishedDate", "lastUpdatedDate")
    )
    return max(filter(None, times), default=None)


def last_end(threads: list[Any], people: People) -> tuple[datetime | None, Any]:
    """When and by whom a pull request was completed or abandoned last, which old ones do not say themselves."""
    ends = [
        (when, _person(thread, people, "CodeReviewStatusUpdatedBy"))
        for thread in threads
        if _property(thread, "CodeReviewStatus") in ("Completed", "Abandoned")
        and (when := instant(at(thread, ("publishedDate",))))
    ]
    return max(ends, key=lambda end: end[0], default=(None, None))


def count_comments(threads: list[Any]) -> int:
    """Comments of people: those of type `text` that are not deleted."""
    return sum(1 for thread in threads if not at(thread, ("isDeleted",)) for _ in _comments(thread))


def _events(thread: Any, people: People) -> Iterator[Event]:
    for comment in _comments(thread):
        if when := instant(at(comment, ("publishedDate",))):
            author = at(comment, ("author",))
            said = text(at(comment, ("content",)))
            yield from comment_events(said, when, identity(author), identity_kind(author))
    when = instant(at(thread, ("publishedDate",)))
    if when is None:
        return
    kind = _property(thread, "CodeReviewThreadType")
    if kind == "VoteUpdate":
        vote = VOTES.get(_vote(_property(thread, "CodeReviewVoteResult")))
        voter = _person(thread, people, "CodeReviewVotedBy")
        if vote is not None and not at(voter, ("isContainer",)):  # a group only repeats the vote of a member
            yield Event(vote, when, identity(voter), identity_kind(voter))
    elif kind == "StatusUpdate" and _property(thread, "CodeReviewStatus") == "Active":
        actor = _person(thread, people, "CodeReviewStatusUpdatedBy")
        yield Event("reopened", when, identity(actor), identity_kind(actor))
    elif kind == "ReviewersUpdate":
        added = _person(thread, people, "CodeReviewReviewersUpdatedAdded")
        actor = _person(thread, people, "CodeReviewReviewersUpdatedBy")
        if added is not None and not at(added, ("isContainer",)):
            yield Event("review_requested", when, identity(actor), identity_kind(actor), identity(added))
    elif kind is not None:
        yield from _draft_changes(thread, when)


def _draft_changes(thread: Any, when: datetime) -> Iterator[Event]:
    """Changes between draft and ready, which only the sentence of the system tells."""
    comment = at(thread, ("comments", 0))
    sentence, author = text(at(comment, ("content",))) or "", at(comment, ("author",))
    kind: EventKind | None = (
        "ready" if READY.search(sentence) else "draft" if DRAFT.search(sentence) else None
    )
    if kind is not None:
        yield Event(kind, when, identity(author), identity_kind(author))


def _comments(thread: Any) -> Iterator[Any]:
    for comment in at(thread, ("comments",)) or []:
        if at(comment, ("commentType",)) in ("text", 1) and not at(comment, ("isDeleted",)):
            yield comment


def _property(thread: Any, name: str) -> Any:
    """A property, which is `{"$type": …, "$value": …}`."""
    value = at(thread, ("properties", name))
    return value.get("$value") if isinstance(value, Mapping) else value


def _person(thread: Any, people: People, name: str) -> Any:
    """The person of a property: by key in `identities`, by id, or by a name to show alone."""
    if (key := _property(thread, f"{name}Identity")) is not None:
        return at(thread, ("identities", str(key)))
    key = text(_property(thread, f"{name}TfId"))
    if key is None:
        return None
    return people.get(_plain(key)) or {"id": key}


def _plain(key: str) -> str:
    return key.replace("-", "").lower()


def _vote(value: Any) -> int:
    """The number of a vote, which is text; 99 for anything else."""
    if isinstance(value, str) and value.startswith("-"):
        size = number(value[1:])
        return 99 if size is None else -size
    found = number(value)
    return 99 if found is None else found
