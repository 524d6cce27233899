"""A commit: the way to its objective, the reasons of its value, its files, and the lines of one of them.

The lines of a file that is asked for are read from the clone; of the file that a page begins with, their classes alone,
because a reading takes longer than a page may. Keep out: how rows of the explanation are put together (explanation.py).
"""

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.corrections import ACTS, BY_RULES, CHOICES, REASONS, RECENT, corrections_of
from api.web.details.explanation import (
    bar_of,
    bars_of,
    class_rows,
    in_classes,
    line_rows,
    lines_of,
    single_lines,
)
from api.web.details.hosts import HostPages, pages_of
from api.web.details.linking import TRACKERS, linking_of
from api.web.drawing.figures import etv
from api.web.frame import Content, Place, framed, submitted
from api.web.navigation import NOWHERE
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

FEW_FILES, FILES_OF_A_PAGE, MOST_LINES, MOST_SINGLE_LINES = 10, 100, 60, 500
POINTS_OF_AN_HOUR = 58
"""As the metric `effort` of the interface defines it."""
NO_LINES = {
    "NO_CLONE": "This machine has no clone of the repository, so it shows the lines by class.",
    "ELSEWHERE": "No line of the delivery has this commit as its author: they were squashed or written anew. So the "
    "lines are shown by class.",
    "TOO_LARGE": "The delivery takes too long to read, so its lines are shown by class.",
    "UNREADABLE": "The clone lacks an object of the delivery, so its lines are shown by class.",
}
"""Why no single line is shown."""


@router.get("/organizations/{organization}/commits/{commit}")
async def commit(_: AnybodyAtAll, request: Request, organization: str, commit: str) -> Response:
    """A commit and the reasons of its value."""
    return await framed(request, organization, _one(commit), ACTS)


@router.post("/organizations/{organization}/commits/{commit}")
async def correct_commit(_: AnybodyAtAll, request: Request, organization: str, commit: str) -> Response:
    """Correct the category of a commit, exclude it or count it again, or ask for that."""
    return await submitted(request, organization, ACTS, _one(commit))


def _one(commit: str) -> Content:
    async def content(place: Place) -> Response:
        return await _content(place, commit)

    return content


async def _content(place: Place, commit: str) -> Response:
    query, reads = place.request.query_params, place.reads
    token, shows_all = query.get("pageToken", ""), query.get("files") == "all"
    found = await reads.read(f"commits/{commit}", file=query.get("file"))
    if found.status == HTTPStatus.NOT_FOUND and query.get("file"):
        found = await reads.read(f"commits/{commit}")
    if not found.is_there:
        return await place.refuse("commits", "Commit", found)
    row = found.body
    issue = row["issues"][0] if row["issues"] else None
    listed, pull, objective, settings, reasons, decisions = await reads.all(
        reads.read(f"commits/{row['id']}/files", pageSize=FILES_OF_A_PAGE, pageToken=token)
        if shows_all
        else _nothing(),
        reads.read(f"pullRequests/{row['pullRequestId']}") if row["pullRequestId"] else _nothing(),
        reads.read("objectives", filter=f'id = "{issue["objectiveId"]}"', pageSize=1)
        if issue and issue["objectiveId"]
        else _nothing(),
        reads.read(f"repositories/{row['repositoryId']}/settings"),
        reads.read(
            "zeroReasons",
            repository=row["repositoryId"],
            startDate=row["deliveredOn"],
            endDate=row["deliveredOn"],
        )
        if row["zeroReason"] and row["deliveredOn"]
        else _nothing(),
        reads.read("commitExclusions", pageSize=RECENT) if place.manages else _nothing(),
    )
    if shows_all and not listed.is_there:
        return await place.refuse("commits", "Commit", listed)
    ranked = sorted(row["files"], key=lambda file: (-file["etvMicros"], file["path"]))
    shown = listed.rows("files") if shows_all else ranked[:FEW_FILES]
    host = await _host(place, settings)
    return await place.show(
        "details/commit.html",
        NOWHERE,
        row["subject"] or row["sha"][:10],
        commit=row,
        issue=issue,
        today=place.today.isoformat(),
        pull=pull.body if pull.is_there else None,
        objective=next(iter(objective.rows("objectives")), None),
        linking=linking_of(place, row, pull),
        trackers=TRACKERS,
        zero=_zero(row, reasons),
        corrections=corrections_of(place, row, decisions),
        by_rules=BY_RULES,
        category_choices=CHOICES,
        reasons=REASONS,
        classes=class_rows(row),
        bar=bar_of(row),
        points_of_an_hour=POINTS_OF_AN_HOUR,
        files=[
            file | {"lines": lines_of(file), "bar": bar}
            for file, bar in zip(shown, bars_of(shown), strict=True)
        ],
        shows_all=shows_all,
        page=listed.body if shows_all else None,
        rest=_rest(row, ranked, shown),
        file=_file(query.get("file"), [*shown, *ranked], row, host),
        host_page=host.commit(row["sha"]) if host else "",
    )


async def _nothing() -> Answer:
    return Answer(404, None)


async def _host(place: Place, settings: Answer) -> HostPages | None:
    """The pages of the repository at its host. The kind of a connection is asked for where the role may read it."""
    if not settings.is_there:
        return None
    named = pages_of(settings.body["address"], None)
    if named or not settings.body["connectionId"]:
        return named
    connection = await place.reads.read(f"connections/{settings.body['connectionId']}")
    return pages_of(settings.body["address"], connection.body["kind"]) if connection.is_there else None


def _zero(row: dict[str, Any], reasons: Answer) -> tuple[str, str] | None:
    """Why a commit has no value, as a title and a sentence."""
    if not row["zeroReason"]:
        return None
    told = next((one for one in reasons.rows("zeroReasons") if one["zeroReason"] == row["zeroReason"]), None)
    title = told["title"] if told else row["zeroReason"].replace("_", " ").lower().capitalize()
    return title, row["exclusionNote"] or (told["description"] if told else "")


def _rest(row: dict[str, Any], ranked: list[dict[str, Any]], shown: list[dict[str, Any]]) -> dict[str, Any]:
    """What the table of files leaves out: their number, and lines and ETV where the answer has all of them."""
    count = row["fileTotal"] - len(shown)
    if row["fileTotal"] > len(ranked):
        return {"count": count, "lines": None, "etv": None}
    left = ranked[len(shown) :]
    return {"count": count, "lines": sum(map(lines_of, left)), "etv": sum(file["etv"] for file in left)}


def _file(
    wanted: str | None,
    known: list[dict[str, Any]],
    row: dict[str, Any],
    host: HostPages | None,
) -> dict[str, Any] | None:
    """The file whose lines are shown: the wanted one, otherwise the one with the most value."""
    named = [file for file in known if file["path"] == wanted] if wanted else []
    found = next(iter(named or sorted(known, key=lambda file: -file["etvMicros"])), None)
    if found is None:
        return None
    rows = line_rows(found)
    is_gone = found["status"] == "DELETED"
    sha = (row["parentShas"] or [""])[0] if is_gone else row["sha"]
    return (
        found
        | _single(row["lines"], found["path"])
        | {
            "shown": rows[:MOST_LINES],
            "left": sum(one.lines for one in rows[MOST_LINES:]),
            "left_points": etv(sum(one.points for one in rows[MOST_LINES:])),
            "lines": lines_of(found),
            "told": in_classes(found),
            "page": host.file(sha, found["path"]) if host and sha else "",
        }
    )


def _single(lines: dict[str, Any] | None, path: str) -> dict[str, Any]:
    """The single lines of the file at a path, or why there are none; nothing where nobody asked for them."""
    if lines is None or lines["path"] != path:
        return {"single": (), "no_lines": ""}
    shown = single_lines(lines["lines"][:MOST_SINGLE_LINES])
    return {
        "single": shown,
        "hidden": lines["lineTotal"] - len(shown),
        "rest": [one for one in line_rows({"lineClasses": lines["rest"]}) if one.points],
        "has_text": any(one.text is not None for one in shown),
        "no_lines": NO_LINES.get(lines["missingReason"] or "", ""),
    }
