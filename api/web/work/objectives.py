"""The objectives of the trackers: what they are worth, what they cost, and how far they are.

Keep out: figures (read/).
"""

from collections import defaultdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import etv, joined, percent
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

PAGE = "objectives"
MOST_SUB_OBJECTIVES = 500
MOST_COSTS = 1000
CLOSED = ("DONE", "CANCELED")
STATUSES = (
    ("", "All"),
    ("DOING", "Under way"),
    ("TODO", "Not begun"),
    ("DONE", "Done"),
    ("CANCELED", "Cancelled"),
)

FIGURES_OF_WORK = frozenset({"etv", "commits", "aiCost", "aiCostConfidence", "contributorCount"})


@router.get("/organizations/{organization}/objectives")
async def objectives(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The objectives of an organization with their sub-objectives."""
    return await framed(request, organization, _list)


@router.get("/organizations/{organization}/objectives/{objective}")
async def objective(_: AnybodyAtAll, request: Request, organization: str, objective: str) -> Response:
    """An objective or sub-objective: what is below it, who worked on it, and when."""

    async def content(place: Place) -> Response:
        found = await place.reads.read(f"objectives/{objective}")
        if not found.is_there:
            return await place.refuse(PAGE, "Objective", found)
        series = found.body["etvOverTime"]
        spend = await _spend(place, found.body)
        [shown] = of_seen_work(place, [found.body])
        return await place.show(
            "work/objective.html",
            PAGE,
            found.body["title"],
            objective=shown | {"subObjectives": of_seen_work(place, shown["subObjectives"])},
            spend=spend,
            issues=sorted(
                of_seen_work(place, found.body["issues"]),
                key=lambda one: (one["statusCategory"] in CLOSED, -(one["etv"] or 0), one["key"] or ""),
            ),
            points=[one for one in reversed(series["points"]) if one["etv"]][:24] if series else [],
        )

    return await framed(request, organization, content)


def of_seen_work(place: Place, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Objectives or issues; where a lead sees none of their work they have no figures of it, as others can have done
    it: 0 would say that nobody did.
    """
    if not place.sees_part:
        return rows
    return [
        row if row.get("commits") or row["etv"] else row | dict.fromkeys(FIGURES_OF_WORK & row.keys())
        for row in rows
    ]


async def _spend(place: Place, objective: dict[str, Any]) -> dict[str, Any] | None:
    """The part of the AI cost that is certain, and the first day with recorded use if work began
    before it; None without a cost. A sub-objective has the cost of its issues.
    """
    if not objective["aiCost"] or not objective["firstDeliveredOn"]:
        return None
    days = {"startDate": objective["firstDeliveredOn"], "endDate": objective["lastDeliveredOn"]}
    is_whole = objective["level"] == "OBJECTIVE"
    found, weeks = await place.reads.all(
        place.reads.read(
            "aiSpend/work",
            groupBy="OBJECTIVE" if is_whole else "ISSUE",
            orderBy="cost desc",
            pageSize=MOST_COSTS,
            **days,
        ),
        place.reads.read("aiSpend", groupBy="WEEK", pageSize=MOST_COSTS, **days),
    )
    own = {objective["id"]} if is_whole else {one["id"] for one in objective["issues"]}
    rows = [
        one for one in found.rows("work") if one["id"] in own and one["cost"] and one["currency"] == "USD"
    ]
    begins = [one["periodStart"] for one in weeks.rows("aiSpend") if one["cost"] and one["periodStart"]]
    first = max(min(begins), objective["firstDeliveredOn"]) if begins else None
    return {
        "certain_cost": sum(one["certainCost"] or 0 for one in rows),
        "since": first if first and first > objective["firstDeliveredOn"] else None,
    }


async def _list(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc", "statusCategory")
    reads = place.reads
    # A search finds parts, also below objectives that it does not find.
    is_flat = bool(listed.search or listed.kept)
    found, below, overdue, totals, unlinked = await reads.all(
        reads.read("objectives", level="" if is_flat else "OBJECTIVE", **listed.kept, **listed.asked),
        reads.read(
            "objectives",
            level="SUB_OBJECTIVE",
            orderBy="etv desc",
            pageSize=MOST_SUB_OBJECTIVES,
            **listed.kept,
        ),
        reads.read("objectives", overdue=True, pageSize=1),
        reads.read("repositories", pageSize=1, **period.days),
        reads.read("commits", aligned=False, pageSize=1, **period.days),
    )
    if not found.is_there:
        return await place.refuse(PAGE, "Objectives", found)
    children = defaultdict(list)
    for row in [] if is_flat else of_seen_work(place, below.rows("objectives")):
        children[row["parentId"]].append(row)
    return await place.show(
        "work/objectives.html",
        PAGE,
        "Objectives",
        period=period,
        listed=listed,
        page=found.body | {"objectives": of_seen_work(place, found.rows("objectives"))},
        children=children,
        below=below,
        statuses=STATUSES,
        chosen_status=listed.kept.get("statusCategory", ""),
        lede=_lede(found.body, overdue, totals, period.words),
        without=_without(totals, unlinked),
    )


def _without(totals: Answer, unlinked: Answer) -> list[tuple[str, float | None, int | None]]:
    """What of the period reaches no objective: label, ETV, and commits where a row of them is one thing.

    Commits without an issue have a row even if they are worth nothing: they are the difference between the commits of
    a repository and those of its objectives.
    """
    apart = _apart(totals)
    found: list[tuple[str, float | None, int | None]] = []
    if apart and etv(apart) != "0.0":
        found.append(("Issues without an objective", apart, None))
    if totals.is_there and unlinked.is_there and unlinked.body["totalSize"]:
        found.append(("No issue", totals.body["totals"]["unalignedEtv"], unlinked.body["totalSize"]))
    return found


def _apart(totals: Answer) -> float | None:
    """ETV of the period that belongs to issues, none of which reaches an objective."""
    if not totals.is_there or not (figures := totals.body["totals"])["etv"]:
        return None
    # What no issue has and what is on the roadmap leave the rest.
    rest: float = figures["etv"] * (1 - (figures["roadmapAlignment"] or 0)) - (figures["unalignedEtv"] or 0)
    return rest


def _lede(page: dict[str, Any], overdue: Answer, totals: Answer, when: str) -> list[tuple[str, str]]:
    size, late = page["totalSize"], overdue.body["totalSize"] if overdue.is_there else 0
    said = []
    if totals.is_there and (figures := totals.body["totals"])["etv"]:
        said.append(("b", f"{percent(figures['roadmapAlignment'])} of the ETV {when} is on the roadmap."))
        rest = [
            (figures["unalignedEtv"], "to no issue"),
            (_apart(totals), "to issues without an objective"),
        ]
        told = [f"{etv(value)} ETV belong {where}" for value, where in rest if value and etv(value) != "0.0"]
        if told:
            said.append(("", f"{joined(told)}."))
    said.append(("" if said else "b", f"{size:,} {'objective' if size == 1 else 'objectives'}."))
    if late:
        said.append(("warn", f"{late} {'is' if late == 1 else 'are'} past the target date."))
    return said
