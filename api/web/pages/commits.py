"""The list of commits, and the explanation of one of them: classes of lines, files, and the way to its objective."""

from collections import defaultdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import etv
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed

router = APIRouter(include_in_schema=False)

MICRO = 1_000_000
MAX_FILES = 50
POINTS_OF_AN_HOUR = 58
"""As the metric `effort` of the interface defines it."""
NARROWED = (
    "repository",
    "developer",
    "category",
    "counted",
    "aiAssisted",
    "aligned",
    "issue",
    "objective",
    "team",
)


@router.get("/organizations/{organization}/commits")
async def commits(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The commits of an organization, for the period of the address."""
    return await framed(request, organization, _list)


@router.get("/organizations/{organization}/commits/{commit}")
async def commit(_: AnybodyAtAll, request: Request, organization: str, commit: str) -> Response:
    """A commit and the reasons of its value."""

    async def content(place: Place) -> Response:
        return await _commit(place, commit)

    return await framed(request, organization, content)


async def _list(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc", *NARROWED)
    found = await place.reads.read("commits", **period.days, **listed.kept, **listed.asked)
    if not found.is_there:
        return await place.refuse("commits", "Commits", found)
    size = found.body["totalSize"]
    return await place.show(
        "commits.html",
        "commits",
        "Commits",
        period=period,
        listed=listed,
        page=found.body,
        lede=f"{size:,} {'commit was' if size == 1 else 'commits were'} delivered {period.words}.",
    )


async def _commit(place: Place, commit: str) -> Response:
    found = await place.reads.read(f"commits/{commit}")
    if not found.is_there:
        return await place.refuse("commits", "Commit", found)
    row = found.body
    files = sorted(row["files"], key=lambda file: (-file["etvMicros"], file["path"]))
    return await place.show(
        "commit.html",
        "commits",
        row["subject"] or row["sha"][:10],
        commit=row,
        classes=_classes(files),
        files=files[:MAX_FILES],
        more=files[MAX_FILES:],
        more_etv=etv(sum(file["etv"] for file in files[MAX_FILES:])),
        points_of_an_hour=POINTS_OF_AN_HOUR,
    )


def _classes(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines and points of each class over all files, most points first."""
    lines: dict[str, int] = defaultdict(int)
    points: dict[str, int] = defaultdict(int)
    for file in files:
        for one in file["lineClasses"]:
            lines[one["class"]] += one["lines"]
            points[one["class"]] += one["pointsMicros"]
    return [
        {"name": name, "lines": lines[name], "points": points[name] / MICRO}
        for name in sorted(lines, key=lambda name: (-points[name], -lines[name], name))
    ]
