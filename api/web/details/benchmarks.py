"""The page of benchmarks: averages of the organization, and figures of the groups that it saved.

Owners and admins save a group there. Keep out: how groups become figures (read/benchmarks).
"""

from collections.abc import Coroutine, Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import performance_of
from api.web.details.own_past import of_range, own_past, with_past
from api.web.drawing.forms import Act, Fields
from api.web.drawing.periods import Period, period_of
from api.web.frame import Place, framed, submitted
from api.web.reading import Answer, points_of

router = APIRouter(include_in_schema=False)

PAGE = "benchmarks"
LISTS = {"DEVELOPER": "developers", "REPOSITORY": "repositories"}
EVERYBODY = "ORGANIZATION_AVERAGE"
MOST_GROUPS = 6
MOST_CHOICES = 150
"""People or repositories to choose members from; a form has room for 200 fields."""


def _group(fields: Fields) -> dict[str, Any]:
    percentile = fields.get("percentile", "").strip()
    return {
        "name": fields.get("name", "").strip(),
        "memberKind": fields.get("memberKind", ""),
        "memberIds": fields.get("memberIds", "").split(),
        "aggregation": fields.get("aggregation", ""),
        # The interface refuses a text here and says why.
        "percentile": int(percentile) if percentile.isdecimal() else percentile or None,
    }


ACTS = {
    "save": Act("POST", "benchmarks", "The group is saved.", _group),
    "delete": Act("DELETE", "benchmarks/{benchmark}", "The group is deleted."),
}


@router.get("/organizations/{organization}/benchmarks")
async def benchmarks(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The benchmarks of an organization, for the period of the address."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/benchmarks")
async def change_benchmarks(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Save a group as a benchmark, or delete one."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    kind = query.get("kind", "DEVELOPER")
    kind = kind if kind in LISTS else "DEVELOPER"
    reads = place.reads
    saved = await reads.read("benchmarks", pageSize=100)
    if not saved.is_there:
        return await place.refuse(PAGE, "Benchmarks", saved)
    groups = [one for one in saved.rows("benchmarks") if one["memberKind"] == kind]
    answers = await reads.all(
        *(
            reads.read(LISTS[kind], pageSize=1, benchmark=wanted, **period.days)
            for wanted in (EVERYBODY, *(one["id"] for one in groups[:MOST_GROUPS]))
        )
    )
    whole = answers[0]
    if not whole.is_there:
        return await place.refuse(PAGE, "Benchmarks", whole)
    rows = [_row(one) for one in answers]
    if not place.sees_part:
        rows = _of_everybody(rows)
    series = await reads.all(
        of_range(place, period),
        own_past(place, period),
        *(_performances(place, period, kind, one["id"]) for one in rows if _has_none(one)),
    )
    own, past, *groups_series = series
    by_id = {one["id"]: line for one, line in zip(filter(_has_none, rows), groups_series, strict=True)}
    whole_performance = performance_of(period, points_of(own))
    # The organization has one of a bucket alone; a group of people can have one of the range.
    is_mixed = whole_performance[0] is not None
    return await place.show(
        "details/benchmarks.html",
        PAGE,
        "Benchmarks",
        period=period,
        kind=kind,
        kinds=(("DEVELOPER", "Developers"), ("REPOSITORY", "Repositories")),
        list=LISTS[kind],
        all_of_them=place.all_of(LISTS[kind]),
        totals=whole.body["totals"],
        performance_of_all=whole_performance,
        whose=place.whose,
        pasts=with_past(period, own, past),
        rows=[one | {"shown": performance_in(period, one, by_id, is_mixed=is_mixed)} for one in rows],
        groups=groups,
        left=len(groups[MOST_GROUPS:]),
        saved=[one["id"] for one in groups],
        most=MOST_CHOICES,
        choices=await _choices(place, kind, period.days) if place.manages else [],
    )


async def _choices(place: Place, kind: str, days: Mapping[str, str]) -> list[dict[str, Any]]:
    """Those with the most value in the period, by name: a list of people is in no other order."""
    found = await place.reads.read(LISTS[kind], pageSize=MOST_CHOICES, **days)
    chosen = found.rows(LISTS[kind]) if found.is_there else []
    return sorted(chosen, key=lambda one: str(one["name"]).casefold())


def _has_none(row: dict[str, Any]) -> bool:
    return "id" in row and not row["isSuppressed"] and row["performance"] is None


def _performances(place: Place, period: Period, kind: str, benchmark: str) -> Coroutine[Any, Any, Answer]:
    """The performance of a group by bucket."""
    group = {"groupBy": kind, "pageSize": 1, "benchmark": benchmark}
    return place.reads.read(
        "metrics", interval=period.measured, metrics="performance", **group, **period.days
    )


def _points(series: Answer) -> list[dict[str, Any]]:
    """The buckets of a group; none if the read failed."""
    return list(series.body["benchmark"]["points"]) if series.is_there and series.body["benchmark"] else []


def performance_in(
    period: Period, row: dict[str, Any], by_id: Mapping[str, Answer], *, is_mixed: bool
) -> tuple[float | None, str]:
    """The performance of a group and what it is.

    Of one that has that of the range it is said only where others of the column have that of a bucket: `is_mixed`.
    """
    if row.get("id") not in by_id:
        found = row.get("performance")
        return found, "average of the whole range" if is_mixed and found is not None else ""
    return performance_of(period, _points(by_id[row["id"]]))


def _row(answer: Answer) -> dict[str, Any]:
    """The figures of a group with what they are; the reason where the interface refuses them."""
    if not answer.is_there:
        return {"name": "", "refusal": answer.message}
    figures: dict[str, Any] = answer.body["benchmark"]
    return figures | {"told": _told(figures), "refusal": ""}


def _of_everybody(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, of which those with everybody in them say so: they are of the same members as the sum above them.

    `rows` begin with the average of everybody. Members of a saved group are among them, so that as many are the same.
    """
    everybody, *saved = rows
    number = everybody.get("memberCount")
    if number is None:
        return rows
    noun = "people" if everybody["memberKind"] == "DEVELOPER" else "repositories"
    found = [everybody | {"told": f"{everybody['told']}: the same {noun} as above, each counted alike"}]
    for one in saved:
        is_same = not one["refusal"] and one["memberCount"] == number
        same = (
            "the same average as above" if one.get("aggregation") == "AVERAGE" else "another figure of them"
        )
        found.append(one | {"told": f"{one['told']}: all {noun} that there are, {same}"} if is_same else one)
    return found


def _told(figures: dict[str, Any]) -> str:
    """What a group's figures are: `median of 12 developers`."""
    noun = LISTS[figures["memberKind"]]
    whole = {"AVERAGE": "average", "MEDIAN": "median"}.get(figures["aggregation"])
    of = whole or f"percentile {figures['percentile']}"
    members = figures["memberCount"]
    return (
        f"{of} of {noun}"
        if members is None
        else f"{of} of {members:,} {noun if members != 1 else figures['memberKind'].lower()}"
    )
