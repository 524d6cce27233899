"""The first page of an organization: what was delivered, what moved, and what needs a hand.

Keep out: how figures are written (figures.py), the frame (frame.py).
"""

from datetime import date, timedelta
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import against
from api.web.drawing.figures import (
    SPACE,
    at_least,
    change,
    difference,
    etv,
    money,
    month,
    percent,
    score,
    share,
)
from api.web.drawing.periods import Period, period_of
from api.web.frame import Place, framed
from api.web.money.months import after
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
MOVEMENTS, CHECKS, OBJECTIVES, MAX_MONTHS = 6, 5, 4, 24
WORST_FIRST = "severity,openedAt"
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
    month_asked = _month_of(period, place.request.query_params.get("month", ""))
    moved = {"entity": "REPOSITORY", "interval": "MONTH", "pageSize": MOVEMENTS} | (
        period.days if month_asked is None else _days_of(month_asked)
    )
    totals, before, series, chart, months, gains, losses, checks, objectives, spend = await reads.all(
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
        reads.read("movements", interval="MONTH", pageSize=MAX_MONTHS, **period.days),
        reads.read("movements", orderBy="difference desc", **moved),
        reads.read("movements", orderBy="difference", **moved),
        reads.read("checkOccurrences", status="OPEN", pageSize=CHECKS, orderBy=WORST_FIRST),
        reads.read("objectives", pageSize=OBJECTIVES, orderBy="etv desc"),
        reads.read("aiSpend", groupBy="TOOL", pageSize=1000, **period.days),
    )
    if not totals.is_there:
        return await place.refuse("overview", "Overview", totals)
    now, earlier = totals.body["totals"], before.body["totals"] if before.is_there else {}
    points = series.body["series"][0]["points"] if series.is_there and series.body["series"] else []
    return await place.show(
        "overview.html",
        "overview",
        "Overview",
        period=period,
        totals=now,
        earlier=earlier,
        categories=CATEGORIES,
        lede=_lede(period, now, earlier, points, checks),
        cards=_cards(period, now, earlier, points, checks, _spent(spend)),
        points=[period.clipped(point) for point in points],
        interval=series.body["interval"] if series.is_there else period.interval,
        chart=Markup(chart.body) if chart.is_there else None,
        chart_answer=chart,
        months=list(reversed(months.rows("movements"))),
        month_asked=month_asked,
        month_total=_total_of(months, month_asked),
        movements=_largest(gains, losses),
        movements_answer=gains,
        checks=checks,
        objectives=objectives,
        spend=spend,
        change=change,
    )


def _lede(
    period: Period, now: dict[str, Any], earlier: dict[str, Any], points: list[dict[str, Any]], checks: Answer
) -> list[tuple[str, str]]:
    """The page in sentences: each with its class, `b` for the first one."""
    compared = _compared(now["etv"], earlier.get("etv"), period.words_before)
    said = [("b", f"{etv(now['etv'])} ETV {period.words}{compared}.")]
    closed = [point for point in points if not point["isDraft"] and point["etv"] is not None]
    if period.interval == "MONTH" and len(closed) > 1:
        last, prior = closed[-1], closed[-2]
        moved = last["etv"] - prior["etv"]
        than = (
            f"{etv(abs(moved))} {'more' if moved > 0 else 'less'} than {month(prior['start'])}"
            if difference(moved) != "0.0"
            else f"as much as {month(prior['start'])}"
        )
        ai = last["aiShareAtLeast"]
        written = f", and at least {at_least(ai).removeprefix('≥ ')} of it was written with AI" if ai else ""
        said.append(("", f"{month(last['start'])} brought {etv(last['etv'])}, {than}{written}."))
    if checks.is_there and (open_checks := checks.body["totalSize"]):
        said.append(("warn", f"{open_checks} {'check is' if open_checks == 1 else 'checks are'} open."))
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
    checks: Answer,
    spent: float | None,
) -> list[dict[str, Any]]:
    def values(metric: str) -> list[float | None]:
        return [point[metric] for point in points]

    closed = [point for point in points if not point["isDraft"]]
    last = closed[-1] if closed else None
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
            score(last["performance"] if last else None),
            f"the last complete {period.interval.lower()}; average is 50",
            values("performance"),
            "developers",
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
        ),
        _card(
            "AI spend",
            money(spent),
            f"{money(share(spent, now['etv']))} per ETV",
            values("aiCost"),
            "ai",
        ),
        _card(
            "Open checks",
            str(checks.body["totalSize"]) if checks.is_there else etv(None),
            "" if checks.is_there else checks.message,
            [],
            "#checks",
        ),
    ]


def _spent(spend: Answer) -> float | None:
    """What all tools cost in US dollars, with the part that reaches no commit; None without a recorded cost."""
    costs = [
        row["cost"] for row in spend.rows("aiSpend") if row["currency"] == "USD" and row["cost"] is not None
    ]
    return sum(costs) if costs else None


def _card(label: str, figure: str, comparison: str, values: list[float | None], link: str) -> dict[str, Any]:
    return {
        "label": label,
        "figure": figure,
        # A dash is HTML, and joined to text it would be escaped.
        "comparison": Markup(comparison),
        "values": values,
        "link": link,
    }


def _month_of(period: Period, asked: str) -> date | None:
    """The first day of the month whose movements are asked for, as `2026-09`; None for all months of the period."""
    try:
        first = date.fromisoformat(f"{asked}-01")
    except ValueError:
        return None
    return first if period.start.replace(day=1) <= first <= period.end else None


def _days_of(first: date) -> dict[str, str]:
    """A month as parameters of the interface."""
    return {"startDate": first.isoformat(), "endDate": (after(first) - timedelta(days=1)).isoformat()}


def _total_of(months: Answer, first: date | None) -> dict[str, Any] | None:
    """The movement of the whole organization in a month; None without a month or without its movement."""
    asked = [row for row in months.rows("movements") if first and row["periodStart"] == first.isoformat()]
    return next((_reasoned(row) for row in asked), None)


def _largest(gains: Answer, losses: Answer) -> list[dict[str, Any]]:
    """The movements with the largest differences, largest first, each with its largest part.

    They are among the largest gains and the largest losses; a short list of both may have one twice.
    """
    found = {
        (row["entityId"], row["periodStart"]): row
        for row in (*gains.rows("movements"), *losses.rows("movements"))
        if difference(row["difference"]) != "0.0"
    }
    largest = sorted(found.values(), key=lambda row: -abs(row["difference"]))
    return [_reasoned(row) for row in largest[:MOVEMENTS]]


def _reasoned(row: dict[str, Any]) -> dict[str, Any]:
    return row | _reason(row)


PARTS = {
    "changes": ("Fewer changes", "More changes"),
    "size": ("Smaller changes", "Larger changes"),
    "mix": ("Another mix of categories", "Another mix of categories"),
    "rework": ("More work taken back", "Less work taken back"),
}
"""Parts of a movement, with the words for a negative and a positive one."""


def _reason(row: dict[str, Any]) -> dict[str, str]:
    """The largest part of a movement, and the words for it; parts that would reveal few people are unknown."""
    if any(row[part] is None for part in PARTS):
        return {"largest": "", "told": "Too few people for the reasons"}
    largest = max(PARTS, key=lambda part: abs(row[part]))
    return {"largest": largest, "told": PARTS[largest][row[largest] > 0]}
