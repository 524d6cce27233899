"""The repositories by state, those that can be added, and the settings of a single one; and the page of sandboxes.

Keep out: figures (pages/repositories.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.web.drawing.forms import Act, Fields
from api.web.drawing.lists import Ordered, ordered
from api.web.frame import Content, Place, framed, submitted

router = APIRouter(include_in_schema=False)

MOST = 100
"""Connections to choose from."""
AVAILABLE = "AVAILABLE"
STATES = (
    ("ALL", "All", "all"),
    ("ACTIVE", "Active", "active"),
    ("DISABLED", "Disabled", "disabled"),
    ("NEEDS_ATTENTION", "Needs attention", "needsAttention"),
)
ONE = "repositories/{repository}"


def _added(fields: Fields) -> dict[str, Any]:
    """The selection of a form: ticked repositories of a connection, or addresses, one a line."""
    connection = fields.get("connection", "")
    ticked = [
        {"connection": connection, "providerId": one}
        for one in fields.get("providerId", "").split("\n")
        if one
    ]
    typed = [{"address": line.strip()} for line in fields.get("addresses", "").splitlines() if line.strip()]
    if not ticked and not typed:
        raise InvalidArgument("addresses", "name at least one repository")
    return {"repositories": ticked + typed}


def _settings(fields: Fields) -> dict[str, Any]:
    start = fields.get("analysisStartTime", "").strip()
    return {
        "name": fields.get("name", "").strip(),
        "tags": [word.strip() for word in fields.get("tags", "").split(",") if word.strip()],
        "defaultBranch": fields.get("defaultBranch", "").strip() or None,
        "analysisStartTime": f"{start}T00:00:00Z" if start else None,
        "isSandbox": fields.get("isSandbox") == "true",
        "isExcluded": fields.get("isExcluded") == "true",
    }


def _switch(name: str, value: bool) -> Any:
    return lambda _: {name: value}


SWITCHES = {
    "enable": Act(
        "PATCH", ONE, "The repository is enabled. It is analysed next.", _switch("isDisabled", False)
    ),
    "disable": Act(
        "PATCH", ONE, "The repository is disabled. Its figures stay.", _switch("isDisabled", True)
    ),
    "resume": Act("PATCH", ONE, "The analysis goes on.", _switch("isStopped", False)),
    "stop": Act(
        "PATCH", ONE, "The analysis is stopped until somebody resumes it.", _switch("isStopped", True)
    ),
    "analyze": Act("POST", f"{ONE}:analyze", "The analysis is asked for. A build follows it."),
}
LISTED = SWITCHES | {
    "add": Act("POST", "repositories:batchCreate", "", _added, shows=True),
    "remove": Act("DELETE", ONE, "The repository is removed. The next build leaves it out of every figure."),
}
CHANGING = SWITCHES | {"settings": Act("PATCH", ONE, "The settings are changed.", _settings)}


@router.get("/organizations/{organization}/manage")
async def manage(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The repositories of a state, or those of a connection that can be added."""
    return await framed(request, organization, _list, LISTED)


@router.post("/organizations/{organization}/manage")
async def change_repositories(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Add repositories, or switch or remove one."""
    return await submitted(request, organization, LISTED, _list)


@router.get("/organizations/{organization}/manage/{repository}")
async def managed(_: AnybodyAtAll, request: Request, organization: str, repository: str) -> Response:
    """The settings of a repository."""
    return await framed(request, organization, _one(repository), CHANGING)


@router.post("/organizations/{organization}/manage/{repository}")
async def change_repository(
    _: AnybodyAtAll, request: Request, organization: str, repository: str
) -> Response:
    """Change or switch a repository."""
    return await submitted(request, organization, CHANGING, _one(repository))


@router.get("/organizations/{organization}/sandbox")
async def sandbox(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The sandboxes, which no total has."""
    return await framed(request, organization, _sandbox)


async def _list(place: Place) -> Response:
    query = place.request.query_params
    state, connection = query.get("state", "ALL"), query.get("connection", "")
    if state == AVAILABLE:
        return await _available(place, ordered(query, "owner", "state", "connection"), connection)
    listed = ordered(query, "name", "state")
    found = await place.reads.read("repositories:managed", state=state, **listed.asked)
    if not found.is_there:
        return await place.refuse("manage", "Repositories", found)
    return await place.show(
        "running/manage.html",
        "manage",
        "Repositories",
        listed=listed,
        page=found.body,
        states=_states(found.body["counts"]),
        state=state,
        lede=_lede(found.body["counts"]),
    )


async def _available(place: Place, listed: Ordered, connection: str) -> Response:
    hosts, managed = await place.reads.all(
        place.reads.read("connections", category="GIT_HOST", pageSize=MOST),
        place.reads.read("repositories:managed", pageSize=1),
    )
    if not hosts.is_there or not managed.is_there:
        return await place.refuse("manage", "Repositories", managed if hosts.is_there else hosts)
    rows = hosts.rows("connections")
    connection = connection or (rows[0]["id"] if rows else "")
    found = (
        await place.reads.read("repositories:available", connection=connection, **listed.asked)
        if connection
        else None
    )
    if found is not None and not found.is_there:
        return await place.refuse("manage", "Repositories", found)
    return await place.show(
        "running/available.html",
        "manage",
        "Repositories",
        listed=listed,
        hosts=rows,
        connection=connection,
        page=found.body if found is not None else None,
        states=_states(managed.body["counts"]),
        state=AVAILABLE,
    )


def _one(repository: str) -> Content:
    async def content(place: Place) -> Response:
        found = await place.reads.read(f"repositories/{repository}/settings")
        if not found.is_there:
            return await place.refuse("manage", "Repository", found)
        return await place.show(
            "running/repository.html",
            "manage",
            found.body["name"],
            repository=found.body,
        )

    return content


async def _sandbox(place: Place) -> Response:
    listed = ordered(place.request.query_params, "name")
    found, figures = await place.reads.all(
        place.reads.read("repositories:managed", state="SANDBOX", **listed.asked),
        place.reads.read("repositories", filter="isSandbox = true", pageSize=MOST),
    )
    if not found.is_there:
        return await place.refuse("sandbox", "Sandbox", found)
    return await place.show(
        "running/sandbox.html",
        "sandbox",
        "Sandbox",
        listed=listed,
        page=found.body,
        figures={one["id"]: one for one in figures.rows("repositories")},
    )


def _states(counts: dict[str, int]) -> list[tuple[str, str]]:
    """The lists with the number of repositories in each."""
    return [
        (AVAILABLE, "Available to add"),
        *((name, f"{label} {counts[key]:,}") for name, label, key in STATES),
    ]


def _lede(counts: dict[str, int]) -> str:
    active, broken = counts["active"], counts["needsAttention"]
    told = f"{active:,} {'repository is' if active == 1 else 'repositories are'} analysed"
    if broken:
        told += f", and {broken:,} of them {'needs' if broken == 1 else 'need'} somebody"
    return f"{told}."
