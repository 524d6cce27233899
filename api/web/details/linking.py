"""What links a commit without an issue to one, or an issue to an objective, and who can do it.

Only what the build reads again can change after a delivery: the pull request, and the trackers. Keep out: the way of a
commit that has an issue (templates/details/chain.html).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from api.web.frame import Place
from api.web.reading import Answer

TRACKERS = "connections?category=ISSUE_TRACKER"
NO_ISSUE = {
    "NO_TRACKER": "No issue tracker is connected.",
    "NO_REFERENCE": "Nothing in the commit, its pull request or its branch names an issue.",
    "UNKNOWN_ISSUE": "It names only issues that no connected tracker has.",
}
CONNECTS = {"NO_TRACKER": "connect one", "UNKNOWN_ISSUE": "connect the tracker that has them"}
"""What an owner or admin can do about a reason."""


@dataclass(frozen=True, slots=True)
class Linking:
    """Why a commit has no issue, and who can do what about it. Either page is empty without a way to go."""

    reason: str
    who: str = ""
    what: str = ""
    page: str = ""
    """A page below the organization, on which it is done."""
    outside: str = ""
    """The page of the pull request at its host, where it has one."""


def linking_of(place: Place, row: Mapping[str, Any], pull: Answer) -> Linking:
    """The way from the commit of this answer to an issue. `pull` is its pull request, if it has one."""
    reason = row["alignmentReason"] or ""
    told = NO_ISSUE.get(reason, "It belongs to no issue.")
    if reason in CONNECTS:
        if place.manages:
            return Linking(told, "You", f"can {CONNECTS[reason]}.", TRACKERS)
        return Linking(told, f"An owner or admin of {place.organization['name']}", f"can {CONNECTS[reason]}.")
    if not row["pullRequestId"]:
        who = "Without a known pull request nobody"
        return Linking(told, who, "can link it any more: a delivered message stays as it is.")
    named = f"#{row['pullRequestNumber']}"
    page = f"pullRequests/{row['pullRequestId']}"
    what = f"can put the key of one into the title of {named}, or link it there; the next build follows it."
    found = pull.body if pull.is_there else {}
    return Linking(told, _who(place, row, found), what, page, found.get("url") or "")


def linkers_of(place: Place, rows: Iterable[Mapping[str, Any]]) -> str:
    """A line on the people who can link the commits of a list to an issue or objective; empty if all are linked.

    Commits of several reasons have one way each.
    """
    found = list(rows)
    lacking = {row["alignmentReason"] for row in found if not row["isAligned"]}
    told = []
    open_ones = [row for row in found if not row["isAligned"] and row["alignmentReason"] not in CONNECTS]
    if any(row["pullRequestId"] for row in open_ones):
        told.append(
            "The author of its pull request, or anybody else who may edit that, links a commit by the key of an issue "
            "in the title; the page of the commit names the author, where it is known."
        )
    if any(not row["pullRequestId"] for row in open_ones):
        told.append(
            "Nobody can link commits without a known pull request any more: a delivered message stays."
        )
    who = "You" if place.manages else "An owner or admin"
    told += [f"{NO_ISSUE[reason]} {who} can {CONNECTS[reason]}." for reason in CONNECTS if reason in lacking]
    if any(row["isAligned"] and not row["reachesObjective"] for row in found):
        told.append("People who may edit an issue put it below an objective in its tracker.")
    return " ".join(told)


def _who(place: Place, row: Mapping[str, Any], pull: Mapping[str, Any]) -> str:
    """The people who may change the title: the author, and others who may edit it at the host."""
    mine = (place.person.get("developer") or {}).get("id")
    if mine is not None and mine in (row["developerId"], pull.get("developerId")):
        return "You"
    author = pull.get("developerName") or pull.get("author")
    return f"{author}, or anybody else who may edit it," if author else "Anybody who may edit it"
