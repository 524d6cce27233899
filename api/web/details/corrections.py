"""Corrections of a commit on its page: owners and admins decide, and its author asks them to.

Keep out: the rules of decisions (control/commits), the author's list of corrections (pages/me.py).
"""

from dataclasses import dataclass
from typing import Any

from api.control.commits.exclusions import BY_HAND, OVERRULED
from api.web.drawing.forms import Act, Fields
from api.web.frame import Place
from api.web.pages.movements import CATEGORIES
from api.web.reading import Answer

RECENT = 100
"""Decisions that are read, newest first. Older ones are in the build already, as the reason of no value."""
REASONS = (
    ("IMPORT", "An import of code written elsewhere"),
    ("GENERATED_CODE", "Code that a program wrote"),
    ("FORMATTING", "Formatting alone"),
    ("MIGRATION", "A mechanical migration"),
    ("REVERT", "A revert"),
    ("DUPLICATE", "A change that is counted elsewhere"),
    ("OTHER", "Another reason, in the note"),
)
CHOICES = tuple((name.upper(), name.capitalize()) for name in CATEGORIES)
BY_RULES = ("", "As the rules decide")


def _category(fields: Fields) -> dict[str, Any]:
    return {"category": fields.get("category") or None}


def _exclusion(fields: Fields) -> dict[str, Any]:
    return {"reason": fields.get("reason", ""), "note": fields.get("note", "").strip() or None}


def _wish(fields: Fields) -> dict[str, Any]:
    body = {
        "kind": fields.get("kind", ""),
        "commit": fields.get("commit", ""),
        "text": fields.get("text", "").strip(),
    }
    return body | {"category": fields.get("category", "")} if body["kind"] == "CATEGORY" else body


NEXT = "The next build applies it."
ASKED = "The request is sent. An owner or admin decides about it, and your own page has the answer."
ACTS = {
    "categorize": Act("POST", "commits/{commit}:categorize", f"The category is stored. {NEXT}", _category),
    "exclude": Act("POST", "commits/{commit}:exclude", f"The commit is excluded. {NEXT}", _exclusion),
    "include": Act("POST", "commits/{commit}:include", f"The commit counts again. {NEXT}"),
    "wishCategory": Act("POST", "me/corrections", ASKED, _wish),
    "wishExclusion": Act("POST", "me/corrections", ASKED, _wish),
}


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a person may do about a commit. `decision` is the exclusion or inclusion in force, which a build may not
    have yet.
    """

    decides: bool = False
    asks: bool = False
    decision: dict[str, Any] | None = None
    can_categorize: bool = False
    can_exclude: bool = False
    can_include: bool = False
    is_overruled: bool = False
    """A rule leaves the commit out, and a decision can count it nevertheless."""


def corrections_of(place: Place, row: dict[str, Any], found: Answer) -> Corrections:
    """What the person who looks may do about the commit of this answer; `found` are the newest decisions of the
    organization.
    """
    reason = row["zeroReason"]
    if not place.manages:
        mine = (place.person.get("developer") or {}).get("id")
        writers = {row["developerId"], *(one["developerId"] for one in row["credits"])}
        asks = mine is not None and mine in writers and reason is None
        return Corrections(asks=asks, can_categorize=asks, can_exclude=asks)
    decided = [one for one in found.rows("commitExclusions") if one["commitId"] == row["id"]]
    decision = max(decided, key=lambda one: one["isExcluded"], default=None)
    is_out = bool(decision and decision["isExcluded"])
    # Without a row the decision is either older than those read, or undone since the newest build.
    is_unread = reason == BY_HAND and not decided and not (found.is_there and not found.body["nextPageToken"])
    is_overruled = reason in OVERRULED and decision is None
    counts = not is_out and not is_unread and (reason in (None, BY_HAND) or decision is not None)
    return Corrections(
        decides=True,
        decision=decision,
        can_categorize=counts,
        can_exclude=counts,
        can_include=is_out or is_unread or is_overruled,
        is_overruled=is_overruled,
    )
