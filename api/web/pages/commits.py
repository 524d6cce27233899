"""The list of commits. Keep out: one of them (details/commits.py)."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.linking import linkers_of
from api.web.drawing.figures import words
from api.web.drawing.lists import Ordered, ordered
from api.web.drawing.periods import Period, period_of
from api.web.frame import Place, framed

router = APIRouter(include_in_schema=False)

NARROWED = (
    "repository",
    "developer",
    "category",
    "counted",
    "aiAssisted",
    "aligned",
    "reachesObjective",
    "misdated",
    "issue",
    "objective",
    "team",
)

NAMED = {"repository": "repositories", "developer": "developers", "team": "teams", "objective": "objectives"}
"""What an address names by its id, with the list that has its name."""
SUMMED = frozenset({"repository", "developer", "team"})
SUMS: Mapping[tuple[str, str], tuple[str, Callable[[dict[str, Any]], float | None]]] = {
    ("aligned", "false"): ("unalignedEtv", lambda point: point["unalignedEtv"]),
    ("reachesObjective", "true"): ("etv,roadmapAlignment", lambda point: _part(point, "roadmapAlignment")),
    ("aiAssisted", "true"): ("etv,aiShareAtLeast", lambda point: _part(point, "aiShareAtLeast")),
}
"""What else narrows a list to work of which a series knows the ETV: metrics, and how the ETV of a bucket follows."""
"""What narrows lists of commits and series to the same work. A list has whole commits by their main category, a series
has the file changes of a category."""
YES_OR_NO = {
    "counted": ("that count", "that do not count"),
    "aiAssisted": ("with a sign of AI", "without a sign of AI"),
    "aligned": ("that belong to an issue", "that belong to no issue"),
    "reachesObjective": ("that reach an objective", "that reach no objective"),
    "misdated": ("whose delivery has an impossible time", "whose delivery has a possible time"),
}

OFFERED = (("aligned", "false"), ("reachesObjective", "false"), ("counted", "false"), ("aiAssisted", "true"))
"""What the page offers to narrow its list to: work that people may want to link, to decide or to look at."""

IS_UNALIGNED = {("aligned", "false")}
"""Commits without an issue reach no objective either."""
UNLINKED = IS_UNALIGNED | {("reachesObjective", "false")}
"""What narrows the list to commits that somebody can link."""


@router.get("/organizations/{organization}/commits")
async def commits(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The commits of an organization, for the period of the address."""
    return await framed(request, organization, _list)


async def _list(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc", *NARROWED)
    named = [name for name in NAMED if name in listed.kept]
    found, *owners = await place.reads.all(
        place.reads.read("commits", **period.days, **listed.kept, **listed.asked),
        *(place.reads.read(NAMED[name], filter=_is(listed.kept[name]), pageSize=1) for name in named),
    )
    if not found.is_there:
        return await place.refuse("commits", "Commits", found)
    worth = await _worth(place, period, listed)
    names: dict[str, dict[str, Any]] = {
        name: next(iter(one.rows(NAMED[name])), {}) for name, one in zip(named, owners, strict=True)
    }
    size = found.body["totalSize"]
    others = "" if size or listed.search else await _others(place, period, listed)
    return await place.show(
        "commits.html",
        "commits",
        "Commits",
        period=period,
        listed=listed,
        page=found.body,
        only=[_only(name, value, names.get(name, {})) for name, value in listed.kept.items()],
        narrower=[
            (YES_OR_NO[name][value != "true"], {name: value})
            for name, value in OFFERED
            if name not in listed.kept
            and not (name == "reachesObjective" and listed.kept.items() >= IS_UNALIGNED)
        ],
        linkers=linkers_of(place, found.body["commits"]) if UNLINKED & listed.kept.items() else "",
        worth=worth,
        # Work in a sandbox counts where its repository is named.
        left_out="bots" if "repository" in listed.kept else "bots and sandboxes",
        lede=others or f"{size:,} {'commit was' if size == 1 else 'commits were'} delivered {period.words}.",
        has_others=bool(others),
    )


async def _others(place: Place, period: Period, listed: Ordered) -> str:
    """What the commits of the range are, where none of them is one of the choice; empty where there are none at all."""
    chosen = [name for name in listed.kept if name in YES_OR_NO]
    if not chosen:
        return ""
    rest = {name: value for name, value in listed.kept.items() if name not in chosen}
    found = await place.reads.read("commits", pageSize=1, **period.days, **rest)
    size = found.body["totalSize"] if found.is_there else 0
    if not size:
        return ""
    noun = "The one commit" if size == 1 else f"All {size:,} commits"
    if len(chosen) > 1:
        return f"{noun} delivered {period.words} {'is another one' if size == 1 else 'are other ones'}."
    opposite = YES_OR_NO[chosen[0]][listed.kept[chosen[0]].lower() == "true"]
    return f"{noun} delivered {period.words} {'is one' if size == 1 else 'are ones'} {opposite}."


async def _worth(place: Place, period: Period, listed: Ordered) -> float | None:
    """The ETV of all commits of the list; None where it is narrowed by what no series knows, or buckets are hidden."""
    rest = [(name, value) for name, value in listed.kept.items() if name not in SUMMED]
    if listed.search or len(rest) > 1 or (rest and rest[0] not in SUMS):
        return None
    metrics, etv_of = SUMS[rest[0]] if rest else ("etv", lambda point: point["etv"])
    whose = {name: value for name, value in listed.kept.items() if name in SUMMED}
    found = await place.reads.read(
        "metrics", interval=period.interval, metrics=metrics, **period.days, **whose
    )
    values = [etv_of(point) for line in found.rows("series") for point in line["points"]]
    return sum(filter(None, values)) if values and None not in values else None


def _part(point: dict[str, Any], share: str) -> float | None:
    """The ETV of a bucket that a share of it is; none of it where no share is known."""
    return None if point["etv"] is None else point["etv"] * (point[share] or 0)


def _is(value: str) -> str:
    """The filter of the row with an id."""
    return f"id = {json.dumps(value)}"


def _only(name: str, value: str, named: dict[str, Any]) -> str:
    """What a parameter of the address selects, in words."""
    if name in YES_OR_NO:
        return YES_OR_NO[name][value.lower() != "true"]
    if name in NAMED:
        return f"of the {name} {named.get('name') or named.get('title') or 'of the link'}"
    if name == "category":
        return f"whose main category is {words(value).lower()}"
    return f"of the {name} {value}"
