"""Events of merge requests of GitLab: phrases of system notes, comments, and changes of state.

GitLab names no kind of a system note, so its phrase tells: read in the source of GitLab 13 to 18, and the same in every
language of a user. Until 13.2 changes of state were notes as well, and they stay so for merge requests of that time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from ingest.connections.git_hosts.landings import comment_events, entitled
from ingest.connections.git_hosts.records import ActorKind, Event, EventKind
from ingest.connections.values import instant, text
from ingest.json_paths import at

RESET = r"reset approvals from"
_PHRASES: tuple[tuple[str, EventKind], ...] = (
    (r"approved this merge request", "approved"),
    (r"(?:unapproved|revoked approval for) this merge request", "unapproved"),
    (RESET, "unapproved"),
    (r"requested changes", "changes_requested"),
    (r"(?:left review comments|reviewed this merge request)", "reviewed"),
    (r"requested review from", "review_requested"),
    (r"marked this merge request as \**draft", "draft"),
    (r"marked this merge request as \**ready", "ready"),
    # Until 13.8 drafts were called work in progress.
    (r"marked (?:this merge request )?as a? ?\**work in progress", "draft"),
    (r"unmarked (?:this merge request )?as a? ?\**work in progress", "ready"),
    (r"(?:status changed to )?merged\b", "merged"),
    (r"(?:status changed to )?closed\b", "closed"),
    (r"(?:status changed to )?reopened\b", "reopened"),
)
NOTES = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _PHRASES)
STATE_EVENTS: dict[str, EventKind] = {"closed": "closed", "reopened": "reopened", "merged": "merged"}
STATES = frozenset(STATE_EVENTS.values())
SAME_CHANGE = timedelta(minutes=1)
"""A note and an event about the same change of state differ by less."""
MENTION = re.compile(r"@([\w.-]*\w)")
BOT = re.compile(r"(?:project|group)_\d+_bot(?:_?[0-9a-f]*)|(?:gitlab|support|alert|security|automation)-bot|"
                 r"GitLabDuo|duo-[\w-]+|service_account_.+")  # fmt: skip
"""Names that GitLab gives to accounts of access tokens and of its own services; its answers have no other mark."""
GHOST = re.compile(r"ghost\d*")
"""The account to which GitLab moves the work of deleted ones."""


def events_of(one: dict[str, Any], notes: list[Any], state_events: list[Any]) -> list[Event]:
    """The events of a merge request by time."""
    said = [event for note in notes for event in _of_note(note)]
    found = [event for change in state_events for event in _of_state(change)]
    for event in said:
        if event.kind not in STATES or not any(_is_same(event, other) for other in found):
            found.append(event)
    kinds = {event.kind for event in found}
    known = (("merged", one.get("merge_user") or one.get("merged_by")), ("closed", one.get("closed_by")))
    for name, user in known:
        when = instant(one.get(f"{name}_at"))
        if when is not None and name not in kinds:
            found.append(Event(STATE_EVENTS[name], when, login_of(user), kind_of(user)))
    return entitled(sorted(found, key=lambda event: event.at), login_of(one.get("author")))


def login_of(user: Any) -> str | None:
    """The login; None for a deleted account."""
    login = text(at(user, ("username",)))
    return None if login is None or GHOST.fullmatch(login) else login


def kind_of(user: Any) -> ActorKind:
    """Person or bot, by the login and by GitLab's mark, which only some answers have."""
    login = login_of(user)
    if login is None:
        return "unknown"
    return "bot" if BOT.fullmatch(login) or at(user, ("bot",)) is True else "person"


def _is_same(event: Event, other: Event) -> bool:
    return event.kind == other.kind and abs(event.at - other.at) < SAME_CHANGE


def _of_state(change: dict[str, Any]) -> Iterator[Event]:
    kind, when = STATE_EVENTS.get(change.get("state") or ""), instant(change.get("created_at"))
    if kind is not None and when is not None:
        yield Event(kind, when, login_of(change.get("user")), kind_of(change.get("user")))


def _of_note(note: dict[str, Any]) -> Iterator[Event]:
    when, user, words = instant(note.get("created_at")), note.get("author"), text(note.get("body")) or ""
    if when is None:
        return
    if note.get("system") is not True:
        yield from comment_events(words, when, login_of(user), kind_of(user))
        return
    pattern, kind = next(((one, kind) for one, kind in NOTES if one.match(words)), (None, None))
    if kind is None or pattern is None:
        return
    if kind == "review_requested":
        # "requested review from @ann and @bob and removed review request for @cat"
        for login in MENTION.findall(words.partition(" and removed ")[0]):
            yield Event(kind, when, login_of(user), kind_of(user), login)
    elif pattern.pattern == RESET:
        # "reset approvals from @ann and @bob by pushing to the branch": the note is by who pushed.
        for login in MENTION.findall(words):
            yield Event(kind, when, login, kind_of({"username": login}))
    else:
        yield Event(kind, when, login_of(user), kind_of(user))
