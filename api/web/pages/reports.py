"""Summaries of completed periods, drafts of running ones, their files, and who gets them by mail.

Keep out: what a text says (presentation/summaries).
"""

from datetime import date
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import AnybodyAtAll
from api.control.permissions import Permission
from api.errors import InvalidArgument
from api.http.inner_requests import inner_client
from api.http.media_types import JSON
from api.services import services
from api.web.drawing.addresses import address as address_of
from api.web.drawing.forms import Act, Fields
from api.web.drawing.lists import PAGE_SIZE
from api.web.drawing.rendering import to_sign_in
from api.web.frame import Place, framed, root_of, submitted
from api.web.money.months import months_until
from api.web.reading import Answer, Reader
from api.web.sessions.cookies import session_of

router = APIRouter(include_in_schema=False)

PERIODS = (("", "All"), ("WEEK", "Weeks"), ("MONTH", "Months"), ("QUARTER", "Quarters"))
SCOPES = (("", "All"), ("ORGANIZATION", "Organization"), ("TEAM", "Teams"), ("REPOSITORY", "Repositories"))
FILES = {
    "PDF": ("application/pdf", ".pdf"),
    "HTML": ("text/html", ".html"),
    "Markdown": ("text/markdown", ".md"),
}
RUNNING = ("WEEK", "MONTH", "QUARTER")
MOST_LOCKS = 1000
DRAFT = "draft-"
"""A draft has no id: its name is `draft-week`, `draft-month` or `draft-quarter`; `?team=` names a team."""
MOST_TEAMS = 5
"""Teams of a lead with drafts on the page."""


def _subscription(fields: Fields) -> dict[str, Any]:
    return _scope(fields.get("team", "")) | {"period": fields.get("period", "")}


def _scope(team: str) -> dict[str, str]:
    """What a text is about: a team, or without one the organization."""
    return {"scopeKind": "TEAM", "scopeId": team} if team else {"scopeKind": "ORGANIZATION"}


ACTS = {
    "subscribe": Act("POST", "summarySubscriptions", "The summaries will be mailed to you.", _subscription),
    "unsubscribe": Act(
        "DELETE", "summarySubscriptions/{subscription}", "No more of these summaries are mailed."
    ),
    "regenerate": Act(
        "POST", "summaries:regenerate", "The texts are being written again from the newest figures."
    ),
}


@router.get("/organizations/{organization}/reports")
async def reports(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The summaries of an organization, newest period first."""
    return await framed(request, organization, _list, ACTS)


@router.post("/organizations/{organization}/reports")
async def change_reports(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Subscribe to summaries, or have them written again."""
    return await submitted(request, organization, ACTS, _list)


@router.get("/organizations/{organization}/reports/{summary}")
async def report(_: AnybodyAtAll, request: Request, organization: str, summary: str) -> Response:
    """One summary with its text; `draft-week`, `draft-month` and `draft-quarter` are those of running periods."""

    async def content(place: Place) -> Response:
        return await _report(place, summary)

    return await framed(request, organization, content)


@router.get("/organizations/{organization}/reports/{summary}/{kind}")
async def report_file(
    _: AnybodyAtAll, request: Request, organization: str, summary: str, kind: str
) -> Response:
    """A summary as a file: `PDF`, `HTML` or `Markdown`. Raises InvalidArgument for another kind."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    if kind not in FILES:
        raise InvalidArgument("kind", f"must be one of {', '.join(FILES)}")
    media_type, suffix = FILES[kind]
    team = request.query_params.get("team", "")
    path, asked = _address(summary, team)
    client = inner_client(request, f"Bearer {session}")
    address = Reader(client).of(organization).address(path)
    answer = await client.get(address, params=asked, headers={"Accept": f"{media_type}, {JSON};q=0.1"})
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if answer.is_error:
        # The page of the summary says the reason.
        place = quote(organization, safe=""), quote(summary, safe="")
        page = address_of(f"{root_of(app)}/organizations/{place[0]}/reports/{place[1]}", team=team)
        return RedirectResponse(page, 303, headers=headers)
    headers["Content-Type"] = answer.headers["content-type"]
    headers["Content-Disposition"] = f'attachment; filename="summary{suffix}"'
    return Response(answer.content, headers=headers)


def _address(summary: str, team: str) -> tuple[str, dict[str, str]]:
    if summary.startswith(DRAFT):
        return "summaries:preview", _scope(team) | {"period": summary.removeprefix(DRAFT).upper()}
    return f"summaries/{summary.replace('/', '')}", {}


async def _list(place: Place) -> Response:
    query, reads = place.request.query_params, place.reads
    # Earlier addresses have the length as `period`, which is the range that links of the navigation carry.
    length = query.get("length") or query.get("period", "")
    asked = {"period": length if length in dict(PERIODS) else "", "scopeKind": query.get("scopeKind", "")}
    kept = {"length": asked["period"], "scopeKind": asked["scopeKind"]}
    teams = await _led(place)
    about = list(teams.items()) if place.sees_part else [("", "")]
    wanted = [(team, name, period) for team, name in about for period in RUNNING]
    found, subscriptions, *drafts = await reads.all(
        reads.read("summaries", pageSize=PAGE_SIZE, pageToken=query.get("pageToken", ""), **asked),
        reads.read("summarySubscriptions", pageSize=100),
        *(reads.read("summaries:preview", period=period, **_scope(team)) for team, _, period in wanted),
    )
    if not found.is_there:
        return await place.refuse("reports", "Reports", found)
    size = found.body["totalSize"]
    return await place.show(
        "reports.html",
        "reports",
        "Reports",
        is_narrowed=any(kept.values()),
        chosen=kept,
        periods=PERIODS,
        scopes=SCOPES if not place.sees_part else (),
        page=found.body,
        subscriptions=subscriptions,
        drafts=[(*one, draft) for one, draft in zip(wanted, drafts, strict=True)],
        teams=list(teams.items()),
        writes_again=place.may(Permission.MANAGE_SUMMARIES),
        lede=[
            ("b", f"{size:,} {'summary is' if size == 1 else 'summaries are'} written."),
            *([("", DRAFTS)] if any(draft.is_there for draft in drafts) else []),
        ],
    )


async def _led(place: Place) -> dict[str, str]:
    """The names of the teams of a lead by their ids, whose texts alone a lead may read; none for others."""
    if not place.sees_part:
        return {}
    found = await place.reads.read("teams", orderBy="name", pageSize=MOST_TEAMS)
    return {one["id"]: one["name"] for one in found.rows("teams")}


DRAFTS = "Running periods have a draft, of which the figures still change."


async def _report(place: Place, summary: str) -> Response:
    team = place.request.query_params.get("team", "")
    path, asked = _address(summary, team)
    found = await place.reads.read(path, **asked)
    if not found.is_there:
        return await place.refuse("reports", "Report", found)
    body = found.body
    locks = await place.reads.read("capexLocks", pageSize=MOST_LOCKS)
    days = body["startDate"], body["endDate"]
    return await place.show(
        "report.html",
        "reports",
        f"{body['document']['title']}, {body['document']['period']}",
        summary=body,
        document=body["document"],
        name=summary,
        team=team,
        files=list(FILES),
        is_earlier="revision" in body and bool(place.build) and body["revision"]["buildId"] != place.build,
        locks=[one for one in locks.rows("capexLocks") if days[0] <= one["month"] <= days[1]],
        # None for a lead, who may not see locks.
        unlocked=unlocked_months(locks, *days, place.today) if locks.is_there else None,
    )


def unlocked_months(locks: Answer, first: str, last: str, today: date) -> list[str]:
    """The first days of the months between two days that are not locked and have begun by `today`."""
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    count = 12 * (end.year - begin.year) + end.month - begin.month + 1
    locked = {one["month"] for one in locks.rows("capexLocks")}
    return [
        month
        for month in (one.isoformat() for one in months_until(end.replace(day=1), count))
        if month not in locked and month <= today.isoformat()
    ]
