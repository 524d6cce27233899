"""The activity of a pull request of Bitbucket Cloud as events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.connections.git_hosts.landings import comment_events
from ingest.connections.git_hosts.records import ActorKind, Event, EventKind
from ingest.connections.values import instant, text
from ingest.json_paths import at

ENDS: dict[str, EventKind] = {"MERGED": "merged", "DECLINED": "closed", "SUPERSEDED": "closed"}
REVIEWS: dict[str, EventKind] = {"approval": "approved", "changes_requested": "changes_requested"}


@dataclass
class Story:
    """Events by time, and how the pull request ended: the last merge or close."""

    events: list[Event] = field(default_factory=list)
    merged_at: datetime | None = None
    ended_at: datetime | None = None
    ended_by: str | None = None


def read_activity(activity: list[Any], created: datetime) -> Story:
    """The story of entries in any order. Entries without a time are left out."""
    story = Story()
    updates = sorted(
        (
            (when, update)
            for update in (at(entry, ("update",)) for entry in activity)
            if isinstance(update, dict) and (when := instant(update.get("date")))
        ),
        key=lambda pair: pair[0],
    )
    _read_updates(story, updates, created)
    story.events += [event for entry in activity for event in _reviews(entry)]
    story.events.sort(key=lambda event: event.at)
    return story


def _read_updates(story: Story, updates: list[tuple[datetime, Any]], created: datetime) -> None:
    """Each update has the whole state after it, so a change is a difference to the one before."""
    state, reviewers = "OPEN", set[str]()
    is_draft: bool | None = None
    for when, update in updates:
        actor, kind = login_of(update.get("author")), kind_of(update.get("author"))
        after = text(update.get("state")) or state
        if after != state:
            event = ENDS.get(after, "reopened")
            story.events.append(Event(event, when, actor, kind))
            if after in ENDS:
                story.ended_at, story.ended_by = when, actor
                story.merged_at = when if after == "MERGED" else None
            state = after
        changed = at(update, ("changes", "draft", "new"))
        draft = changed if isinstance(changed, bool) else update.get("draft")
        if isinstance(draft, bool):
            if draft is changed or is_draft not in (None, draft):
                story.events.append(Event("draft" if draft else "ready", when, actor, kind))
            is_draft = draft
        named = {login for user in update.get("reviewers") or [] if (login := login_of(user))}
        for login in sorted(named - reviewers):
            story.events.append(Event("review_requested", max(when, created), actor, kind, login))
        reviewers |= named


def _reviews(entry: Any) -> Iterator[Event]:
    for name, event in REVIEWS.items():
        review = at(entry, (name,))
        if when := instant(at(review, ("date",))):
            user = at(review, ("user",))
            yield Event(event, when, login_of(user), kind_of(user))
    comment = at(entry, ("comment",))
    if not at(comment, ("deleted",)) and (when := instant(at(comment, ("created_on",)))):
        user = at(comment, ("user",))
        yield from comment_events(text(at(comment, ("content", "raw"))), when, login_of(user), kind_of(user))


def login_of(user: Any) -> str | None:
    """The id of an account, which other products of Atlassian share. Names change, and two people may have the same."""
    return text(at(user, ("account_id",))) or text(at(user, ("uuid",)))


def kind_of(user: Any) -> ActorKind:
    """The kind of an account: apps and access tokens are bots."""
    name = text(at(user, ("type",)))
    return "unknown" if name is None else "person" if name == "user" else "bot"
