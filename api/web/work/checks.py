"""The checks that found something: what is open, who can help, and decisions about it.

Keep out: what a check finds (read/checks, models).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.forms import Act, Fields
from api.web.drawing.lists import ordered
from api.web.frame import Place, framed, submitted
from api.web.pages.overview import WORST_FIRST

router = APIRouter(include_in_schema=False)

PAGE, KINDS_PAGE = "checks", "checkKinds"
STATUSES = (("OPEN", "Open"), ("SNOOZED", "Later"), ("RESOLVED", "Settled"), ("ALL", "All"))
HEADINGS = {
    "OPEN": "What needs a hand?",
    "SNOOZED": "What comes back later?",
    "RESOLVED": "What is settled?",
    "ALL": "What was found?",
}
SUBJECTS = {
    "PULL_REQUEST": "pullRequests",
    "COMMIT": "commits",
    "DEVELOPER": "developers",
    "REPOSITORY": "repositories",
    "TEAM": "teams",
    "OBJECTIVE": "objectives",
}
"""The pages of what a finding can be about, by its type."""
ONE = "checkOccurrences/{occurrence}"
DECISIONS = {
    "resolve": Act(
        "POST", f"{ONE}:resolve", "The finding is settled.", lambda fields: {"note": fields.get("note", "")}
    ),
    "snooze": Act(
        "POST",
        f"{ONE}:snooze",
        "The finding comes back on that day.",
        lambda fields: {"untilDate": fields.get("untilDate", "")},
    ),
    "reopen": Act("POST", f"{ONE}:reopen", "The finding is open again."),
}


def _limits(fields: Fields) -> dict[str, Any]:
    """The fields of a kind's form that it has; an empty limit is the usual one."""
    names = ("threshold", "critical", "thresholdMultiple", "criticalMultiple")
    limits = {name: fields[name].strip() for name in names if name in fields}
    return {"isOn": fields.get("isOn") == "true"} | {name: _number(text) for name, text in limits.items()}


def _number(text: str) -> float | str | None:
    """The number of a field. Other text is left for the interface to refuse."""
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _tried(fields: Fields) -> dict[str, Any]:
    """The limits of a form alone: a trial takes the kind as if it were on."""
    return {name: value for name, value in _limits(fields).items() if name != "isOn"}


CHANGES = {
    "change": Act("PATCH", "checkKinds/{kind}", "The next build judges by these limits.", _limits),
    "try": Act("POST", "checkKinds/{kind}:backtest", "", _tried, shows=True),
}
KEPT = ("kind", "isOn", "threshold", "critical", "thresholdMultiple", "criticalMultiple")


@router.get("/organizations/{organization}/checks")
async def checks(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """What checks have found, open ones first."""
    return await framed(request, organization, _list, DECISIONS)


@router.post("/organizations/{organization}/checks")
async def decide(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Settle a finding, put it off, or open it again."""
    return await submitted(request, organization, DECISIONS, _list)


@router.get("/organizations/{organization}/checkKinds")
async def kinds(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The kinds of checks with their limits."""
    return await framed(request, organization, _kinds, CHANGES)


@router.post("/organizations/{organization}/checkKinds")
async def change_kind(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Switch a kind of check, change its limits, or show what other limits would have found."""
    return await submitted(request, organization, CHANGES, _kinds)


async def _list(place: Place) -> Response:
    query = place.request.query_params
    status = query.get("status", "OPEN")
    status = status if status in dict(STATUSES) else "OPEN"
    usual = WORST_FIRST if status in ("OPEN", "ALL") else "decidedAt desc"
    listed = ordered(query, usual, "status", "kind", "repository", "developer", "team")
    narrowed = {name: value for name, value in listed.kept.items() if name != "status"}
    asked = narrowed | ({} if status == "ALL" else {"status": status})
    reads = place.reads
    found, groups, known = await reads.all(
        reads.read("checkOccurrences", **asked, **listed.asked),
        reads.read("checkOccurrences:group", groupBy="KIND"),
        reads.read("checkKinds"),
    )
    if not found.is_there:
        return await place.refuse(PAGE, "Checks", found)
    by_kind = [one for one in groups.rows("groups") if one["open"] or one["snoozed"]]
    return await place.show(
        "work/checks.html",
        PAGE,
        "Checks",
        listed=listed,
        page=found.body,
        chosen_status=status,
        statuses=STATUSES,
        pages=SUBJECTS,
        heading=HEADINGS[status],
        narrowed=narrowed,
        groups=sorted(by_kind, key=lambda one: (-one["critical"], -one["open"], one["key"])),
        known={one["name"]: one for one in known.rows("checkKinds")},
        lede=_lede(groups.rows("groups")),
        off=sum(not one["isOn"] for one in known.rows("checkKinds")),
    )


def _lede(groups: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found, critical = sum(one["open"] for one in groups), sum(one["critical"] for one in groups)
    if not found:
        return [("b", "No check is open.")]
    said = [("b", f"{found:,} {'check is' if found == 1 else 'checks are'} open.")]
    if critical:
        said.append(("bad", f"{critical:,} of them {'is' if critical == 1 else 'are'} critical."))
    return said


async def _kinds(place: Place) -> Response:
    found = await place.reads.read("checkKinds")
    if not found.is_there:
        return await place.refuse(KINDS_PAGE, "Kinds of checks", found)
    rows = found.rows("checkKinds")
    on = sum(row["isOn"] for row in rows)
    asked = place.answered.fields if place.answered is not None else {}
    return await place.show(
        "work/check_kinds.html",
        KINDS_PAGE,
        "Kinds of checks",
        rows=rows,
        tried={name: asked[name] for name in KEPT if name in asked},
        found=place.made.body if place.made is not None else None,
        kind=next((row for row in rows if row["name"] == asked.get("kind")), None),
        lede=f"{on} of {len(rows)} kinds of checks are on, {len(rows) - on} are off.",
    )
