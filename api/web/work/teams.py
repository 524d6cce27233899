"""The teams as a tree with their figures, and the dated memberships of each.

Keep out: figures (read/), the rules of memberships (control/teams).
"""

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import cards, compared, delivered
from api.web.drawing.addresses import address
from api.web.drawing.figures import etv, sentence
from api.web.drawing.forms import Act, Fields
from api.web.drawing.lists import ordered
from api.web.drawing.periods import Period, period_of
from api.web.frame import Content, Place, framed, submitted
from api.web.pages.movements import CATEGORIES
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

PAGE = "teams"
MOST_TEAMS, MOST_PEOPLE = 200, 500


def _named(fields: Fields) -> dict[str, Any]:
    return {"name": fields.get("name", "").strip(), "parentId": fields.get("parentId") or None}


def _member(fields: Fields) -> dict[str, Any]:
    start = fields.get("startDate", "").strip()
    joined = {"teamId": fields.get("team", ""), "developerId": fields.get("developerId", "")}
    return joined | ({"startDate": start} if start else {})


ADDING = {"add": Act("POST", "teams", "The team is there. Add its people next.", _named)}
CHANGING = {
    "rename": Act("PATCH", "teams/{team}", "The team is changed.", _named),
    "join": Act("POST", "teamMemberships", "The membership holds from that day on.", _member),
    "leave": Act(
        "PATCH",
        "teamMemberships/{membership}",
        "The membership ends on that day.",
        lambda fields: {"endDate": fields.get("endDate", "")},
    ),
    "remove": Act("DELETE", "teams/{team}", "The team is removed."),
}


@router.get("/organizations/{organization}/teams")
async def teams(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The teams of an organization, for the period of the address."""
    return await framed(request, organization, _list, ADDING)


@router.post("/organizations/{organization}/teams")
async def add_team(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Add a team."""
    return await submitted(request, organization, ADDING, _list)


@router.get("/organizations/{organization}/teams/{team}")
async def team(_: AnybodyAtAll, request: Request, organization: str, team: str) -> Response:
    """A team with its memberships."""
    return await framed(request, organization, _one(team), CHANGING)


@router.post("/organizations/{organization}/teams/{team}")
async def change_team(_: AnybodyAtAll, request: Request, organization: str, team: str) -> Response:
    """Change a team or its memberships."""
    return await submitted(request, organization, CHANGING, _one(team))


async def _list(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc")
    found = await place.reads.read(
        "teams", **period.days, **listed.asked | {"pageSize": MOST_TEAMS, "pageToken": ""}
    )
    if not found.is_there:
        return await place.refuse(PAGE, "Teams", found)
    rows = found.rows("teams")
    tops = [row for row in rows if row["depth"] == 0]
    return await place.show(
        "work/teams.html",
        PAGE,
        "Teams",
        period=period,
        listed=listed,
        page=found.body,
        rows=rows if listed.search else _as_tree(rows),
        categories=CATEGORIES,
        lede=_lede(found.body["totalSize"], tops, period.words) if rows else _none(place, listed.search),
    )


def _as_tree(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each team below the one above it; teams of one level keep the order of the list."""
    known = {row["id"] for row in rows}
    below: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        below.setdefault(row["parentId"] if row["parentId"] in known else None, []).append(row)
    found, waiting = [], list(reversed(below.get(None, [])))
    while waiting:
        row = waiting.pop()
        found.append(row)
        waiting += reversed(below.get(row["id"], []))
    return found


def _none(place: Place, search: str) -> str:
    if search:
        return "No team matches the search."
    return "You lead no team." if place.sees_part else "There are no teams yet."


def _lede(number: int, tops: list[dict[str, Any]], when: str) -> str:
    told = f"{number:,} {'team' if number == 1 else 'teams'}"
    first = max(tops, key=lambda row: row["etv"] or 0, default=None)
    if first is None or first["etv"] is None or len(tops) > 1:
        return f"{told}."
    delivered = f"{first['name']} delivered {etv(first['etv'])} ETV {when}"
    # Alone, the first one is all there is.
    return f"{delivered}." if number == 1 else f"{told}: {delivered}, with the teams below it."


def _told(period: Period, now: Answer, row: dict[str, Any], earlier: dict[str, Any]) -> str:
    if not now.is_there:
        return sentence(f"its figures cannot be shown: {now.message}")
    if not row:
        return "The next build counts its work."
    if row["etv"] is None:
        return "Its figures are not shown: the group of people is too small."
    return f"{etv(row['etv'])} ETV {period.words}{compared(period, row['etv'], earlier.get('etv'))}."


def _one(team: str) -> Content:
    async def content(place: Place) -> Response:
        reads = place.reads
        period = period_of(place.request.query_params, place.today)
        itself = {"filter": f"id = {json.dumps(team)}", "pageSize": 1}
        found, now, before, memberships, people, tree = await reads.all(
            reads.read(f"teams/{team}"),
            reads.read("teams", **itself, **period.days),
            reads.read("teams", **itself, **period.days_before),
            reads.read("teamMemberships", team=team, pageSize=MOST_PEOPLE),
            reads.read("developers", orderBy="name", pageSize=MOST_PEOPLE),
            reads.read("teams:tree"),
        )
        if not found.is_there:
            return await place.refuse(PAGE, "Team", found)
        # A team of today has no row before the next build.
        row, earlier = ((one.rows("teams") or [{}])[0] for one in (now, before))
        whose = {"team": found.body["id"]}
        parts, (spend_left,) = await delivered(
            place,
            period,
            whose,
            reads.read("aiSpend/work", groupBy="COMMIT", filter="isLinked = false", **period.days, **whose),
        )
        commits = address(f"{place.home}/commits", period.query, whose)
        spend = address(f"{place.home}/ai", period.query, whose)
        return await place.show(
            "work/team.html",
            PAGE,
            found.body["name"],
            period=period,
            row=row,
            categories=CATEGORIES,
            lede=_told(period, now, row, earlier),
            cards=cards(period, row, earlier, parts["points"], commits, spend, with_ai=parts["with_ai"])
            if row
            else [],
            unlinked=sum(one["cost"] for one in spend_left.rows("work") if one["currency"] == "USD"),
            **parts,
            team=found.body,
            memberships=memberships,
            more_people=people.is_there and bool(people.body["nextPageToken"]),
            people=[(row["id"], row["name"]) for row in people.rows("developers")],
            others=[
                ("", "No team"),
                *((row["id"], row["name"]) for row in tree.rows("teams") if row["id"] != team),
            ],
        )

    return content
