"""What a developer or a repository delivered in a range: the reads and rows that the pages of both have.

Keep out: what only one of them has (developers.py, repositories.py).
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from markupsafe import Markup

from api.web.drawing.figures import (
    DASH,
    SPACE,
    at_least,
    bucket,
    change,
    count,
    dollars,
    etv,
    no_performance,
    of_number,
    percent,
    score,
)
from api.web.drawing.periods import Period, period_of, whole_buckets
from api.web.frame import Place
from api.web.reading import Answer

METRICS = (
    "etv,commits,performance,roadmapAlignment,featuresEtv,maintenanceEtv,testsEtv,documentationEtv,fixesEtv"
)
WITH_AI = f"{METRICS},aiShareAtLeast,aiCost"
"""Refused where the organization hides figures about AI of this kind of entity."""
MOST_COMMITS, MOST_PULL_REQUESTS = 10, 7


async def in_period(place: Place, path: str) -> tuple[Period, Answer, dict[str, Any]]:
    """The period of the address, the figures of one entity in it, and its row of the period before or nothing."""
    period = period_of(place.request.query_params, place.today)
    reads = place.reads
    found, before = await reads.all(reads.read(path, **period.days), reads.read(path, **period.days_before))
    return period, found, before.body if before.is_there else {}


async def delivered(
    place: Place, period: Period, whose: Mapping[str, str], *more: Any
) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    """The parts of a page about the work of `whose`, such as `{"developer": id}`, and the answers of `more` reads."""
    reads = place.reads
    series, chart, commits, pulls, *others = await reads.all(
        reads.read("metrics", interval=period.interval, metrics=WITH_AI, **period.days, **whose),
        reads.picture(
            "metrics",
            interval=period.interval,
            metrics="etv",
            groupBy="CATEGORY",
            categoryGrouping="FIVE",
            **period.days,
            **whose,
        ),
        reads.read("commits", orderBy="etv desc", pageSize=MOST_COMMITS, **period.days, **whose),
        reads.read(
            "pullRequests", orderBy="createdAt desc", pageSize=MOST_PULL_REQUESTS, **period.days, **whose
        ),
        *more,
    )
    with_ai = series.status != HTTPStatus.BAD_REQUEST
    if not with_ai:
        series = await reads.read(
            "metrics", interval=period.interval, metrics=METRICS, **period.days, **whose
        )
    found = series.rows("series")
    content = {
        "series": series,
        "points": [period.clipped(one) for one in (found[0]["points"] if found else [])],
        "interval": series.body["interval"] if series.is_there else period.interval,
        "chart": chart,
        "drawn": Markup(chart.body) if chart.is_there else None,
        "commits": commits,
        "pulls": pulls,
        "whose": dict(whose),
        "with_ai": with_ai,
    }
    return content, tuple(others)


def cards(
    period: Period,
    now: Mapping[str, Any],
    before: Mapping[str, Any],
    points: list[dict[str, Any]],
    commits: str,
    spend: str,
    *,
    with_ai: bool = True,
    spend_label: str = "AI spend",
) -> list[dict[str, Any]]:
    """The figures of the range, each with its line. `commits` and `spend` are the addresses of the rows behind them."""

    narrower = f"{commits}{'&' if '?' in commits else '?'}"

    def card(label: str, metric: str, figure: str, comparison: str, link: str) -> dict[str, Any]:
        values = [point.get(metric) for point in points]
        # A dash is HTML, and joined to text it would be escaped.
        told = Markup(comparison)
        return {"label": label, "figure": figure, "comparison": told, "values": values, "link": link}

    performance, told_performance = performance_of(
        period, points, now["performance"], now["performanceMissingReason"]
    )
    files = f"{count(now['files'])} {of_number('files', now['files'])}"
    found = [
        card(
            "ETV",
            "etv",
            etv(now["etv"]),
            against(period, change(now["etv"], before.get("etv")), "on"),
            commits,
        ),
        card("Commits", "commits", count(now["commits"]), files, commits),
        card("Performance", "performance", score(performance), told_performance, "#when"),
        card(
            "Roadmap alignment",
            "roadmapAlignment",
            percent(now["roadmapAlignment"]),
            against(period, percent(before.get("roadmapAlignment")), "in"),
            f"{narrower}reachesObjective=true",
        ),
    ]
    if not with_ai:
        return found
    share, signs = at_least(now["aiShareAtLeast"]), f"{count(now['aiCommits'])} with a sign of it"
    cost, each = dollars(now["aiCost"]), f"{dollars(now['aiCostPerEtv'])} per total ETV"
    return [
        *found,
        card("AI share", "aiShareAtLeast", share, signs, f"{narrower}aiAssisted=true"),
        card(spend_label, "aiCost", cost, each, spend),
    ]


def performance_of(
    period: Period, points: list[dict[str, Any]], whole: float | None = None, reason: str | None = None
) -> tuple[float | None, str]:
    """The performance of a range, and what it is. Where the range has none, its last complete bucket can have one.

    `points` are buckets of `period.measured`. `whole` is the performance of the range, and `reason` says why there is
    none.
    """
    if whole is not None:
        return whole, "average is 50"
    closed = whole_buckets(points)
    last = closed[-1]["performance"] if closed else None
    if last is None:
        return None, no_performance(reason) or f"the last complete {period.measured.lower()} has none"
    named = bucket(closed[-1]["start"], period.measured)
    return last, f"{named}, the last complete {period.measured.lower()}; average is 50"


def days_of_performance(points: list[dict[str, Any]]) -> dict[str, str]:
    """The days of the last complete bucket, whose people have a performance too; empty where it has none."""
    closed = whole_buckets(points)
    if not closed or closed[-1]["performance"] is None:
        return {}
    return {"startDate": closed[-1]["start"], "endDate": closed[-1]["end"]}


def against(period: Period, figure: str, joint: str) -> str:
    """The line below the figure of a card: the earlier range beside it, or that it has nothing to compare with."""
    return (
        f"{figure} {joint} {period.words_before}" if figure != DASH else f"nothing in {period.words_before}"
    )


def compared(period: Period, now: float | None, before: float | None) -> str:
    """The end of a sentence that compares with the earlier range; empty where nothing can be compared."""
    if now is None or not before:
        return ""
    moved = round(100 * (now - before) / before)
    if moved == 0:
        return f", as in {period.words_before}"
    return f", {abs(moved):,}{SPACE}% {'more' if moved > 0 else 'less'} than in {period.words_before}"
