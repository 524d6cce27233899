"""The first page of an organization: what was delivered, what moved, and what needs a hand.

Keep out: how figures are written (figures.py), the frame (frame.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.presentation.rounding import shown_difference
from api.web.details.delivered import against, days_of_performance, performance_of
from api.web.drawing.figures import (
    SPACE,
    at_least,
    bound,
    change,
    etv,
    money,
    month,
    percent,
    score,
    share,
)
from api.web.drawing.periods import Period, period_of, whole_buckets
from api.web.frame import Place, framed
from api.web.pages.movements import (
    CATEGORIES,
    MOVEMENTS,
    Moved,
    by_category,
    by_name,
    days_of,
    largest,
    month_of,
    months_read,
    most_of,
    of_months,
    total_of,
)
from api.web.reading import Answer, points_of
from api.web.work.checks import WORST_FIRST, opened_at
from api.web.work.objectives import of_seen_work

router = APIRouter(include_in_schema=False)

CHECKS, OBJECTIVES, MAX_MONTHS, MAX_LED, TEAMS = 5, 4, 24, 20, 5
CHART = {"groupBy": "CATEGORY", "categoryGrouping": "FIVE"}
METRICS = (
    "etv,performance,aiShareAtLeast,aiCost,aiCostPerEtv,roadmapAlignment,"
    "featuresEtv,maintenanceEtv,testsEtv,documentationEtv,fixesEtv"
)


@router.get("/organizations/{organization}/overview")
async def overview(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The overview of an organization, for the period of the address."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    period = period_of(place.request.query_params, place.today, "12-months")
    reads = place.reads
    month_asked = month_of(period, place.request.query_params.get("month", ""))
    # A lead sees movements of teams and of people, and none of a whole repository.
    is_lead = place.sees_part
    whole, part = ("TEAM", "TEAM") if is_lead else ("ORGANIZATION", "REPOSITORY")
    moved = {"entity": part, "interval": "MONTH", "pageSize": MOVEMENTS} | (
        period.days if month_asked is None else days_of(month_asked)
    )
    people = moved | {"entity": "DEVELOPER"}
    (
        totals,
        before,
        series,
        chart,
        months,
        gains,
        losses,
        checks,
        objectives,
        spend,
        teams,
        *movers,
    ) = await reads.all(
        reads.read("repositories", pageSize=1, orderBy="etv desc", **period.days),
        reads.read("repositories", pageSize=1, **period.days_before),
        reads.read("metrics", interval=period.interval, metrics=METRICS, **period.days),
        reads.picture(
            "metrics",
            interval=period.interval,
            metrics="etv",
            groupBy="CATEGORY",
            categoryGrouping="FIVE",
            **period.days,
        ),
        reads.read("movements", entity=whole, interval="MONTH", pageSize=MAX_MONTHS * MAX_LED, **period.days),
        reads.read("movements", orderBy="difference desc", **moved),
        reads.read("movements", orderBy="difference", **moved),
        reads.read("checkOccurrences", status="OPEN", pageSize=CHECKS, orderBy=WORST_FIRST),
        reads.read("objectives", pageSize=OBJECTIVES, orderBy="etv desc"),
        reads.read("aiSpend", groupBy="TOOL", pageSize=1000, **period.days),
        reads.read("teams", filter="depth = 0", orderBy="etv desc", pageSize=TEAMS, **period.days),
        *(
            reads.read("movements", orderBy=order, **people)
            for order in ("difference desc", "difference")
            if month_asked is not None
        ),
        *([months_read(place, month_asked)] if month_asked is not None else ()),
    )
    if not totals.is_there:
        return await place.refuse("overview", "Overview", totals)
    by_month = of_months(months)
    total = total_of(by_month, month_asked)
    now, earlier = totals.body["totals"], before.body["totals"] if before.is_there else {}
    performed = (
        series
        if period.measured == period.interval
        else await reads.read("metrics", interval=period.measured, metrics="performance", **period.days)
    )
    points, performances = points_of(series), points_of(performed)
    return await place.show(
        "overview.html",
        "overview",
        "Overview",
        period=period,
        totals=now,
        earlier=earlier,
        categories=CATEGORIES,
        lede=_lede(place.home, period, now, earlier, points, checks),
        cards=_cards(period, now, earlier, points, performances, checks, _spent(spend)),
        points=[period.clipped(point) for point in points],
        interval=series.body["interval"] if series.is_there else period.interval,
        chart=Markup(chart.body) if chart.is_there else None,
        chart_answer=chart,
        months=by_month,
        month_asked=month_asked,
        month_total=total,
        month_parts=by_category(movers[2], total) if movers else [],
        # Of one team the row would be that of the whole.
        moved=Moved([]) if is_lead and total else largest(gains, losses, total),
        part=part.lower(),
        movements_answer=gains,
        movers=by_name(largest(movers[0], movers[1], total)) if movers else None,
        movers_answer=movers[0] if movers else None,
        checks=checks,
        opened=await opened_at(place, checks.rows("checkOccurrences")),
        objectives=of_seen_work(place, objectives.rows("objectives")),
        spend=spend,
        teams=teams.rows("teams"),
        more_teams=teams.is_there and bool(teams.body["nextPageToken"]),
        change=change,
    )


def _lede(
    home: str,
    period: Period,
    now: dict[str, Any],
    earlier: dict[str, Any],
    points: list[dict[str, Any]],
    checks: Answer,
) -> list[tuple[str, str]]:
    """The page in sentences: each with its class, `b` for the first one."""
    compared = _compared(now["etv"], earlier.get("etv"), period.words_before)
    said = [("b", f"{etv(now['etv'])} ETV {period.words}{compared}.")]
    closed = [point for point in whole_buckets(points) if point["etv"] is not None]
    if period.interval == "MONTH" and len(closed) > 1:
        last, prior = closed[-1], closed[-2]
        moved = shown_difference(last["etv"], prior["etv"])
        than = (
            f"{etv(abs(moved))} {'more' if moved > 0 else 'less'} than {month(prior['start'])}"
            + most_of(prior, last)
            if moved
            else f"as much as {month(prior['start'])}"
        )
        said.append(("", f"{month(last['start'])} brought {etv(last['etv'])}, {than}."))
        if ai := last["aiShareAtLeast"]:
            whose = f"of the ETV of {month(last['start'])} was written with AI, by signs in commits."
            said.append(("", f"At least {bound(ai)} {whose}"))
    if checks.is_there and (open_checks := checks.body["totalSize"]):
        told = f"{open_checks} {'check is' if open_checks == 1 else 'checks are'} open."
        said.append(("warn", Markup('<a href="{}/checks">{}</a>').format(home, told)))
    return said


def _compared(now: float | None, before: float | None, words: str) -> str:
    if now is None or not before:
        return ""
    moved = round(100 * (now - before) / before)
    if moved == 0:
        return f", as in {words}"
    return f", {abs(moved)}{SPACE}% {'more' if moved > 0 else 'less'} than in {words}"


def _cards(
    period: Period,
    now: dict[str, Any],
    earlier: dict[str, Any],
    points: list[dict[str, Any]],
    performances: list[dict[str, Any]],
    checks: Answer,
    spent: tuple[float | None, float | None],
) -> list[dict[str, Any]]:
    def values(metric: str) -> list[float | None]:
        return [point[metric] for point in points]

    performance, told_performance = performance_of(period, performances)
    return [
        _card(
            "ETV",
            etv(now["etv"]),
            against(period, change(now["etv"], earlier.get("etv")), "on"),
            values("etv"),
            "repositories",
        ),
        _card(
            "Performance",
            score(performance),
            told_performance,
            [point["performance"] for point in performances],
            "developers",
            # Over a long range people have none; in the bucket of the figure they have.
            **days_of_performance(performances),
        ),
        _card(
            "Roadmap alignment",
            percent(now["roadmapAlignment"]),
            against(period, percent(earlier.get("roadmapAlignment")), "in"),
            values("roadmapAlignment"),
            "repositories",
        ),
        _card(
            "AI share",
            at_least(now.get("aiShareAtLeast")),
            against(period, at_least(earlier.get("aiShareAtLeast")), "in"),
            values("aiShareAtLeast"),
            "commits",
            aiAssisted="true",
        ),
        _card(
            "AI spend",
            money(spent[0]),
            f"{money(share(spent[1], now['etv']))} per total ETV",
            values("aiCost"),
            "ai",
        ),
        _card(
            "Open checks",
            str(checks.body["totalSize"]) if checks.is_there else etv(None),
            "" if checks.is_there else checks.message,
            [],
            "checks",
        ),
    ]


def _spent(spend: Answer) -> tuple[float | None, float | None]:
    """What all tools cost in US dollars, and the part of it by known people; None without a recorded cost.

    As everywhere, cost per ETV is that of known people: the ETV of others is unknown.
    """
    rows = [row for row in spend.rows("aiSpend") if row["currency"] == "USD" and row["cost"] is not None]
    if not rows:
        return None, None
    cost = sum(row["cost"] for row in rows)
    return cost, cost - sum(row["unattributedCost"] or 0 for row in rows)


def _card(
    label: str, figure: str, comparison: str, values: list[float | None], link: str, **asked: str
) -> dict[str, Any]:
    """A card that leads to a page, and there to what is `asked` for."""
    return {
        "label": label,
        "figure": figure,
        # A dash is HTML, and joined to text it would be escaped.
        "comparison": Markup(comparison),
        "values": values,
        "link": link,
        "asked": asked,
    }
