"""The page of benchmarks: averages of the organization, and figures of the groups that it saved.

Keep out: how groups become figures (read/benchmarks).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

PAGE = "benchmarks"
LISTS = {"DEVELOPER": "developers", "REPOSITORY": "repositories"}
EVERYBODY = "ORGANIZATION_AVERAGE"
MOST_GROUPS = 6


@router.get("/organizations/{organization}/benchmarks")
async def benchmarks(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The benchmarks of an organization, for the period of the address."""
    return await framed(request, organization, _content)


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
    return await place.show(
        "details/benchmarks.html",
        PAGE,
        "Benchmarks",
        period=period,
        kind=kind,
        kinds=(("DEVELOPER", "Developers"), ("REPOSITORY", "Repositories")),
        list=LISTS[kind],
        totals=whole.body["totals"],
        rows=[_row(one) for one in answers],
        groups=groups,
        left=len(groups[MOST_GROUPS:]),
    )


def _row(answer: Answer) -> dict[str, Any]:
    """The figures of a group with what they are; the reason where the interface refuses them."""
    if not answer.is_there:
        return {"name": "", "refusal": answer.message}
    figures: dict[str, Any] = answer.body["benchmark"]
    return figures | {"told": _told(figures), "refusal": ""}


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
