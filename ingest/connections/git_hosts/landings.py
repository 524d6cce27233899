"""Comments with which a maintainer says that a pull request landed: "Landed in 1f2e3d4", "Merged to main as …".

Add: forms that say so at the start of a line. Keep out: whether the commit is on the default branch, which the models
decide. A comment that merely mentions a commit is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime

from ingest.connections.git_hosts.records import ActorKind, Event

_SHA = r"[0-9a-f]{7,64}"
_COURTESY = r"(?:(?:thanks|thank you|lgtm|ok|okay|done|great|nice|cool)\b[^.!,;:?\n]{0,40}[.!,;:]+ *)"
_SUBJECT = (
    r"(?:(?:(?:this|it|the (?:pr|mr|patch|change)) )?(?:(?:has|have) (?:now )?been |was |is |got )?"
    r"|(?:i|we)(?:'ve| have)? )"
)
_ADVERB = r"(?:(?:now|just|manually|rebased,?|squashed,?|and|&) )*"
_MANNER = r"(?: (?:manually|cleanly|by hand|with (?:an? )?(?:[\w-]+ )?(?:tweaks?|changes?|edits?|fix-?ups?|fixes)))?"
_BRANCH = r"(?: (?:to|on|onto|into) (?:the )?`?[\w./-]+`?(?: branch)?)?"
_COMMIT = r"(?:commit |revision |rev |changeset )?[\[(<`*]*(?:https?://\S+?/|[\w.-]+/[\w.-]+@|@)?"
_SAYS = re.compile(
    rf"[^\w\n>]{{0,6}}{_COURTESY}{{0,2}}{_SUBJECT}{_ADVERB}"
    rf"(?:landed|merged|pushed|committed|applied|cherry-?picked|integrated)(?: (?:this|it))?"
    rf"{_MANNER}{_BRANCH}{_MANNER}(?: ?[:,]| (?:in|as of|as|at|by|via|with))+ {_COMMIT}(?P<sha>{_SHA})\b(?P<rest>.*)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"^[^.!]*\?|revert|back(?:ed|ing) out|rolled back|undone|broke", re.IGNORECASE)
_FURTHER = re.compile(rf"(?<![\w#])(?:https?://\S+?/)?({_SHA})\b")
_ASIDE = re.compile(r"```.*?(?:```|\Z)|<!--.*?-->|^(?: {4}|\t|>).*$", re.DOTALL | re.MULTILINE)
WRITERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""Associations of an author with a repository, as GitHub names them, that may write in it."""


def commit_of_landing(comment: str) -> str | None:
    """The id, full or abbreviated, of the commit in which a comment says that the work landed; the last one of several.

    The first or the last line of the comment has to say it. Quotations and code say nothing.
    """
    lines = [line.strip() for line in _ASIDE.sub("", comment).replace("**", "").splitlines() if line.strip()]
    for line in (*lines[:1], *lines[1:][-1:]):
        said = _SAYS.match(line)
        if said and not _TAKEN_BACK.search(said["rest"]):
            return str([said["sha"], *_FURTHER.findall(said["rest"])][-1]).lower()
    return None


def comment_events(comment: str | None, at: datetime, actor: str | None, kind: ActorKind) -> Iterator[Event]:
    """A comment as an event, and what it says about a landing as another one."""
    yield Event("commented", at, actor, kind)
    if comment and (sha := commit_of_landing(comment)):
        yield Event("landed", at, actor, kind, sha)


def entitled(events: list[Event], author: str | None, writers: Collection[str | None] = ()) -> list[Event]:
    """The events without landings that anybody could have claimed.

    Who writes in the repository may say it: the `writers` that the host names, and who closed the pull request of
    somebody else.
    """
    closers = {event.actor for event in events if event.kind == "closed"} - {author}
    may = (closers | set(writers)) - {None}
    return [event for event in events if event.kind != "landed" or event.actor in may]
