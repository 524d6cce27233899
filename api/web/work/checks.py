"""The checks that found something: what is open, who can help, and decisions about it.

Keep out: what a check finds (read/checks, models).
"""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.addresses import address
from api.web.drawing.figures import words
from api.web.drawing.forms import Act, Fields
from api.web.drawing.lists import ordered
from api.web.frame import Place, framed, submitted

router = APIRouter(include_in_schema=False)

PAGE, KINDS_PAGE = "checks", "checkKinds"
WORST_FIRST = "severity,openedAt"
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
        "POST",
        f"{ONE}:resolve",
        "The finding is settled.",
        lambda fields: {"note": fields.get("note", "")},
        names="occurrence",
    ),
    "snooze": Act(
        "POST",
        f"{ONE}:snooze",
        "The finding comes back on that day.",
        lambda fields: {"untilDate": fields.get("untilDate", "")},
        names="occurrence",
    ),
    "reopen": Act("POST", f"{ONE}:reopen", "The finding is open again.", names="occurrence"),
}
BECAME = {
    "RESOLVED": ("is settled", "The settled ones have it; you can open it again there"),
    "SNOOZED": ("comes back later", "The list of later ones has it; you can open it again there"),
    "OPEN": ("is open again", "The open ones have it"),
}
"""What became of a finding by its status, with the words of the link to its list."""


def _done(place: Place, one: dict[str, Any], known: dict[str, Any]) -> Markup:
    """What the last decision was about, with the way to it."""
    label = known[one["kind"]]["label"] if one["kind"] in known else words(one["kind"])
    became, way = BECAME[one["status"]]
    return Markup('“<bdi>{}</bdi>” ({}) {}. <a href="{}">{}</a>').format(
        one["subjectTitle"] or one["subjectReference"] or one["subjectId"],
        label,
        became,
        address(f"{place.home}/checks", status=one["status"], kind=one["kind"]),
        way,
    )


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
    found, groups, known, settings, *decided = await reads.all(
        reads.read("checkOccurrences", **asked, **listed.asked),
        reads.read("checkOccurrences:group", groupBy="KIND"),
        reads.read("checkKinds"),
        reads.read("settings"),
        *([reads.read(f"checkOccurrences/{quote(place.done_to, safe='')}")] if place.done_to else ()),
    )
    if not found.is_there:
        return await place.refuse(PAGE, "Checks", found)
    labels = {one["name"]: one for one in known.rows("checkKinds")}
    if decided and decided[0].is_there:
        place = replace(place, said=_done(place, decided[0].body, labels))
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
        groups=sorted(by_kind, key=lambda one: (-one["critical"], -one["open"], one["key"]))
        if status == "OPEN"
        else [],
        known=labels,
        opened=await opened_at(place, found.rows("checkOccurrences")),
        hours_per_day=settings.body["hoursPerDay"] if settings.is_there else None,
        lede=_lede(groups.rows("groups"), "in all" if narrowed or listed.search else "")
        if status in ("OPEN", "ALL")
        else _decided(status, found.body["totalSize"]),
        off=sum(not one["isOn"] for one in known.rows("checkKinds")),
    )


def _lede(groups: list[dict[str, Any]], beside: str) -> list[tuple[str, str]]:
    """The number of open findings; `beside` says how it stands to the list below."""
    found, critical = sum(one["open"] for one in groups), sum(one["critical"] for one in groups)
    if not found:
        return [("b", "No check is open.")]
    told = " ".join(filter(None, (f"{found:,} {'check is' if found == 1 else 'checks are'} open", beside)))
    said = [("b", f"{told}.")]
    if critical:
        said.append(("bad", f"{critical:,} of them {'is' if critical == 1 else 'are'} critical."))
    return said


async def opened_at(place: Place, findings: list[dict[str, Any]]) -> dict[str, str]:
    """Since when the pull requests of open findings can be reviewed, by id: the check opened later."""
    ids = {
        one["subjectId"]
        for one in findings
        if one["subjectType"] == "PULL_REQUEST" and one["status"] == "OPEN"
    }
    if not ids:
        return {}
    wanted = " OR ".join(f"id = {json.dumps(one)}" for one in sorted(ids))
    found = await place.reads.read("pullRequests", filter=wanted, pageSize=len(ids))
    return {one["id"]: one["readyAt"] or one["createdAt"] for one in found.rows("pullRequests")}


def _decided(status: str, number: int) -> list[tuple[str, str]]:
    """The number of findings that the list of a decision has."""
    told = "settled or over" if status == "RESOLVED" else "put off to a later day"
    return [("b", f"{number:,} {'finding is' if number == 1 else 'findings are'} {told}.")]


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
