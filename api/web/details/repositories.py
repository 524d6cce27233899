"""A repository: what was delivered in it and by whom, and whether the service can read it.

Keep out: the list (pages/repositories.py), settings (running/manage.py).
"""

from datetime import date, timedelta
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import cards, compared, delivered, in_period
from api.web.drawing.addresses import address
from api.web.drawing.figures import etv, joined
from api.web.drawing.periods import Period
from api.web.frame import Place, framed
from api.web.pages.movements import CATEGORIES
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

PAGE = "repositories"
MOST_PEOPLE = 10


@router.get("/organizations/{organization}/repositories/{repository}")
async def repository(_: AnybodyAtAll, request: Request, organization: str, repository: str) -> Response:
    """A repository, for the period of the address."""

    async def content(place: Place) -> Response:
        return await _content(place, repository)

    return await framed(request, organization, content)


async def _content(place: Place, wanted: str) -> Response:
    reads = place.reads
    period, found, earlier = await in_period(place, f"repositories/{wanted}")
    if not found.is_there:
        return await place.refuse(PAGE, "Repository", found)
    row = found.body
    whose = {"repository": row["id"]}
    parts, (settings, people) = await delivered(
        place,
        period,
        whose,
        reads.read(f"repositories/{row['id']}/settings"),
        reads.read(
            "metrics",
            interval="YEAR",
            metrics="etv,commits",
            groupBy="DEVELOPER",
            pageSize=MOST_PEOPLE,
            **period.days,
            **whose,
        ),
    )
    commits = address(f"{place.home}/commits", period.query, whose)
    return await place.show(
        "details/repository.html",
        PAGE,
        row["name"],
        period=period,
        row=row,
        earlier=earlier,
        categories=CATEGORIES,
        lede=_lede(period, row, earlier),
        cards=cards(
            period,
            row,
            earlier,
            parts["points"],
            commits,
            address(f"{place.home}/ai", period.query, work="COMMIT") + "#work",
            with_ai=parts["with_ai"],
            spend_label="AI spend of commits",
        ),
        managed=settings.body if settings.is_there else None,
        doubts=_doubts(row),
        misdated=_link_of_misdated(place, row),
        people=people,
        developers=_developers(people),
        **parts,
    )


def _lede(period: Period, row: dict[str, Any], earlier: dict[str, Any]) -> str:
    if row["etv"] is None:
        return f"The figures of {row['name']} are not shown: the group of people is too small."
    commits = row["commits"]
    by = f" by {commits:,} {'commit' if commits == 1 else 'commits'}" if commits else ""
    told = f"{row['name']} has {etv(row['etv'])} ETV {period.words}"
    return f"{told}{by}{compared(period, row['etv'], earlier.get('etv'))}."


def _developers(people: Answer) -> list[dict[str, Any]]:
    """The developers of the range, most ETV first: the sums of their years, as far as the answer has them."""
    return [
        {
            "id": line["key"],
            "name": line["name"],
            "etv": _sum(line["points"], "etv"),
            "commits": _sum(line["points"], "commits"),
        }
        for line in people.rows("series")
    ]


def _sum(points: list[dict[str, Any]], metric: str) -> Any:
    values = [point[metric] for point in points]
    return None if None in values else sum(values)


def _doubts(row: dict[str, Any]) -> str:
    """What the analysis could not see, as a sentence."""
    found = []
    if row["isShallow"]:
        found.append("its clone is shallow, so that earlier history is missing")
    if row["isPartial"]:
        found.append("its clone is partial, so that contents can be missing")
    if row["skippedObjects"]:
        found.append(f"{row['skippedObjects']:,} objects could not be read")
    if row["misdatedDeliveries"]:
        found.append(_misdated(row["misdatedDeliveries"]))
    return joined(found)


def _link_of_misdated(place: Place, row: dict[str, Any]) -> str:
    """The address of the deliveries with an impossible time, of all days; empty where there are none."""
    if not row["misdatedDeliveries"] or not row["firstDeliveredAt"]:
        return ""
    # The day in the zone of the organization may be the one before.
    first = date.fromisoformat(row["firstDeliveredAt"][:10]) - timedelta(days=1)
    days = {"startDate": first.isoformat(), "endDate": place.today.isoformat()}
    return address(f"{place.home}/commits", days, {"repository": row["id"]}, misdated="true")


def _misdated(number: int) -> str:
    return (
        "1 delivery has an impossible time"
        if number == 1
        else f"{number:,} deliveries have an impossible time"
    )
