"""The pull requests: who waits for a review, how long they take, and what they are worth.

Keep out: figures (read/), how times are written (drawing/figures.py).
"""

from collections.abc import Coroutine
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import bucket, count, duration, etv, of_number, percent
from api.web.drawing.lists import ordered
from api.web.drawing.periods import Period, period_of, whole_buckets
from api.web.frame import Place, framed
from api.web.reading import Answer, points_of
from api.web.work.phases import with_waits, without_time

router = APIRouter(include_in_schema=False)

PAGE = "pullRequests"
VIEWS = (
    ("WAITING", "Waiting for review"),
    ("OPEN", "Open"),
    ("MERGED", "Merged"),
    ("CLOSED", "Closed unmerged"),
    ("ALL", "All"),
)
LONGEST_FIRST, NEWEST_FIRST = "waitingSince", "createdAt desc"
WAITING_CHECK, MOST_DECISIONS = "WAITING_FOR_REVIEW", 200
MOST_FINDINGS = 20
"""Findings on the page of a pull request."""
METRICS = "mergedPullRequests,pullRequestEtv,cycleHours,pickupHours,reviewHours,reviewedShare,reworkShare"
NARROWED = ("view", "repository", "developer", "team", "reviewer", "bots")
OF_LISTS = ("reviewer", "bots")
"""What narrows a list alone: figures know no reviewers, and leave out pull requests of bots anyway."""
COUNTED = {"view": "MERGED", "bots": "false"}
"""The pull requests that figures count."""


@router.get("/organizations/{organization}/pullRequests")
async def pull_requests(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The pull requests of an organization, for the view and the period of the address."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    view = query.get("view", "WAITING")
    view = view if view in dict(VIEWS) else "WAITING"
    listed = ordered(query, LONGEST_FIRST if view in ("WAITING", "OPEN") else NEWEST_FIRST, *NARROWED)
    narrowed = {name: value for name, value in listed.kept.items() if name != "view"}
    whose = {name: value for name, value in narrowed.items() if name not in OF_LISTS}
    reads = place.reads
    asked = _asked(view, period, narrowed.get("bots", "") != "false") | {
        name: value for name, value in narrowed.items() if name != "bots"
    }
    found, series, chart, worth, delivered, decisions = await reads.all(
        reads.read("pullRequests", **asked, **listed.asked),
        reads.read("pullRequestMetrics", interval=period.interval, metrics=METRICS, **period.days, **whose),
        reads.picture(
            "pullRequestMetrics",
            interval=period.interval,
            metrics="mergedPullRequests",
            **period.days,
            **whose,
        ),
        _worth(place, period, whose),
        reads.read("metrics", interval=period.interval, metrics="etv", **period.days),
        _decisions(place, view, whose),
    )
    if not found.is_there:
        return await place.refuse(PAGE, "Pull requests", found)
    points = points_of(series)
    on_page = {row["id"] for row in found.rows("pullRequests")} if view in ("WAITING", "OPEN") else set()
    decided = {
        one["subjectId"]: one
        # The newest decision is the last to be taken.
        for one in reversed(decisions.rows("checkOccurrences"))
        if one["subjectId"] in on_page and not one["endedAt"]
    }
    return await place.show(
        "work/pull_requests.html",
        PAGE,
        "Pull requests",
        period=period,
        listed=listed,
        page=found.body,
        decided=decided,
        waited={row["id"]: _waited(place, row) for row in found.rows("pullRequests")},
        view=view,
        views=VIEWS,
        narrowed=narrowed,
        asked=asked | {"search": listed.search, "orderBy": listed.order},
        lede=_lede(
            place,
            view,
            found.body,
            decided,
            is_longest_first=listed.order == LONGEST_FIRST and not listed.token,
        ),
        cards=_cards(period, points, period.interval.lower()),
        counted=COUNTED,
        points=[period.clipped(one) for one in _with_etv(points, [] if whose else points_of(delivered))],
        compared=_compared(_with_etv(points, points_of(delivered)), period.interval) if not whose else "",
        series=series,
        chart=chart,
        drawn=Markup(chart.body) if chart.is_there else None,
        worth=worth,
        worth_drawn=Markup(worth.body) if worth.is_there else None,
        is_narrowed=bool(whose),
    )


def _worth(place: Place, period: Period, whose: dict[str, Any]) -> Coroutine[Any, Any, Answer]:
    """The chart of the value beside the number: ETV of all commits, or of a pull request where the list is narrowed."""
    if whose:
        return place.reads.picture(
            "pullRequestMetrics", interval=period.interval, metrics="pullRequestEtv", **period.days, **whose
        )
    return place.reads.picture("metrics", interval=period.interval, metrics="etv", **period.days)


def _asked(view: str, period: Period, has_bots: bool) -> dict[str, Any]:
    """The parameters of a view. Open pull requests count whenever they were opened."""
    # Nobody has answered, and the author does not work on a draft any more.
    filters = ["reviewCount = 0"] if view == "WAITING" else []
    asked = {
        "WAITING": {"state": "OPEN", "draft": "false"},
        "OPEN": {"state": "OPEN"},
        "MERGED": {"state": "MERGED", "dateOf": "MERGED"} | period.days,
        "CLOSED": {"state": "CLOSED"} | period.days,
        "ALL": period.days,
    }[view]
    return asked | {"filter": " AND ".join(filters + ([] if has_bots else ["isBot = false"]))}


def _with_etv(points: list[dict[str, Any]], delivered: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each bucket with the ETV of all commits in it, newest first."""
    values = {one["start"]: one["etv"] for one in delivered}
    return [point | {"etv": values.get(point["start"])} for point in reversed(points)]


def _compared(points: list[dict[str, Any]], interval: str) -> str:
    """The newest two whole buckets in a sentence, or the newest in which pull requests doubled and value did not.

    `points` come newest first. Empty without two whole buckets.
    """
    known = ("mergedPullRequests", "etv")
    whole = [one for one in whole_buckets(points) if None not in (one[name] for name in known)]
    pairs = list(pairwise(whole))
    if not pairs:
        return ""
    now, before = next((one for one in pairs if _is_more_for_less(*one)), pairs[0])
    number = f"{now['mergedPullRequests']:,} {of_number('pull requests', now['mergedPullRequests'])}"
    told = f"{bucket(now['start'], interval)} merged {number} after {before['mergedPullRequests']:,}"
    worth = f"{etv(now['etv'])} ETV after {etv(before['etv'])}"
    return f"{told} in the {interval.lower()} before; all commits brought {worth}."


def _is_more_for_less(now: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether pull requests at least doubled, and the ETV of all commits did not rise."""
    is_doubled: bool = now["mergedPullRequests"] >= 2 * before["mergedPullRequests"] > 0
    return is_doubled and bool(now["etv"] <= before["etv"])


def _waited(place: Place, row: dict[str, Any]) -> float | None:
    """Hours for which an open pull request waits, until the build; without those for which it was closed."""
    as_of = place.organization["asOf"]
    if row["waitingSince"] is None or not as_of:
        return None
    since = datetime.fromisoformat(row["waitingSince"])
    return max(0.0, (datetime.fromisoformat(as_of) - since) / timedelta(hours=1))


def _decisions(place: Place, view: str, whose: dict[str, Any]) -> Coroutine[Any, Any, Answer]:
    """The newest decisions about checks of any kind of open pull requests; of other views there is nothing to say."""
    return place.reads.read(
        "checkOccurrences",
        filter="status != OPEN AND subjectType = PULL_REQUEST",
        orderBy="decidedAt desc",
        pageSize=MOST_DECISIONS if view in ("WAITING", "OPEN") else 1,
        **whose,
    )


def _lede(
    place: Place,
    view: str,
    page: dict[str, Any],
    decided: dict[str, dict[str, Any]],
    *,
    is_longest_first: bool,
) -> list[tuple[str, str]]:
    size, rows = page["totalSize"], page["pullRequests"]
    noun = "pull request" if size == 1 else "pull requests"
    if view != "WAITING":
        told = {"OPEN": "open", "MERGED": "merged", "CLOSED": "closed unmerged", "ALL": "opened"}[view]
        return [("b", f"{size:,} {noun} {'is' if size == 1 else 'are'} {told}.")]
    if not size:
        return [("b", "No pull request waits for a first review.")]
    longest = _waited(place, rows[0]) if rows and is_longest_first else None
    said = [("b", f"{size:,} {noun} {'waits' if size == 1 else 'wait'} for a first review.")]
    if longest is not None:
        said.append(("", f"The longest wait is {duration(longest)} of calendar time."))
    if decided:
        number = len(decided)
        told = "One of those below has" if number == 1 else f"{number:,} of those below have"
        said.append(("", f"{told} a check that somebody settled or put off."))
    return said


def _cards(period: Period, points: list[dict[str, Any]], interval: str) -> list[dict[str, Any]]:
    """Figures of the last complete bucket, each with its line over the range; what is merged leads to its rows."""
    closed = whole_buckets(points)
    last = closed[-1] if closed else {}
    before = closed[-2] if len(closed) > 1 else {}

    def card(label: str, metric: str, write: Any, link: str) -> dict[str, Any]:
        return {
            "label": label,
            "figure": write(last.get(metric)),
            # A dash is HTML, and joined to text it would be escaped.
            "before": Markup("{} in the {} before").format(write(before.get(metric)), interval),
            "values": [point[metric] for point in points],
            "link": {"view": link}
            if link != "MERGED" or not last
            else COUNTED | period.clipped(last)["days"],
        }

    return [
        card("Merged", "mergedPullRequests", count, "MERGED"),
        card("ETV of a pull request", "pullRequestEtv", etv, "MERGED"),
        card("Opening to merge, calendar time", "cycleHours", duration, "MERGED"),
        card("To the first review, calendar time", "pickupHours", duration, "WAITING"),
        card("Reviewed", "reviewedShare", percent, "MERGED"),
        card("Rework after the first review", "reworkShare", percent, "MERGED"),
    ]


@router.get("/organizations/{organization}/pullRequests/{pull_request}")
async def pull_request(_: AnybodyAtAll, request: Request, organization: str, pull_request: str) -> Response:
    """A pull request: its times, its reviews, its commits, its issues and the findings of checks about it."""

    async def content(place: Place) -> Response:
        found = await place.reads.read(f"pullRequests/{pull_request}")
        if not found.is_there:
            return await place.refuse(PAGE, "Pull request", found)
        pull = found.body
        findings, kinds, settings = await place.reads.all(
            place.reads.read(
                "checkOccurrences", filter=f'subjectId = "{pull["id"]}"', pageSize=MOST_FINDINGS
            ),
            place.reads.read("checkKinds"),
            place.reads.read("settings"),
        )
        units = {one["name"]: one["unit"] for one in kinds.rows("checkKinds")}
        # The value of a settled one is that of its decision, and no longer runs.
        waits = [
            one
            for one in findings.rows("checkOccurrences")
            if one["kind"] == WAITING_CHECK and one["status"] in ("OPEN", "SNOOZED")
        ]
        waited_working = waits[0]["value"] if waits else None
        return await place.show(
            "work/pull_request.html",
            PAGE,
            f"#{pull['number']}",
            pull=pull,
            waited=_waited(place, pull),
            phases=[
                one | {"why": without_time(one, pull["state"])}
                for one in with_waits(pull["phases"], waited_working)
            ],
            units=units,
            hours_per_day=settings.body["hoursPerDay"] if settings.is_there else None,
            waited_working=waited_working,
            findings=findings.rows("checkOccurrences"),
            labels={one["name"]: one["label"] for one in kinds.rows("checkKinds")},
        )

    return await framed(request, organization, content)
