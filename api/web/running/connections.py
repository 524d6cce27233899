"""The connections with their health, the way to add one, and the page of a single one.

Keep out: the check of a token and its messages (v1/connections/checks.py), which the forms show under their fields.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.forms import Act, Fields
from api.web.drawing.health import is_failing
from api.web.frame import Place, framed, submitted
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

MOST = 100
"""Connections and running operations on the page."""
CATEGORIES = (
    ("", "All"),
    ("GIT_HOST", "Git hosts"),
    ("ISSUE_TRACKER", "Issue trackers"),
    ("AI_TOOL", "AI tools"),
    ("MODEL_ENDPOINT", "Model endpoints"),
)
LATE = timedelta(hours=25)
"""The schedules read all connections each night."""
SYNC = "connections/{connection}:sync"


def _options(fields: Fields) -> dict[str, Any]:
    """The options of a form: fields `options.name`; several lines are a list, and an empty field is none."""
    found = {}
    for name, text in fields.items():
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if name.startswith("options.") and lines:
            found[name.removeprefix("options.")] = lines[0] if len(lines) == 1 else lines
    return found


def _new(fields: Fields) -> dict[str, Any]:
    given = {name: fields[name] for name in ("kind", "name", "user", "secret") if name in fields}
    return given | {"address": fields.get("address", "").strip() or None, "options": _options(fields)}


def _only(*names: str) -> Callable[[Fields], dict[str, Any]]:
    return lambda fields: {name: fields.get(name, "") for name in names}


ADDING = {
    "add": Act("POST", "connections", "The connection is added. Its first sync has begun.", _new),
    "sync": Act("POST", SYNC, "The sync has begun. This page shows when it ends."),
}
CHANGING = {
    "sync": ADDING["sync"],
    # The present user is sent again, so that the stored token is tried at the provider.
    "check": Act(
        "PATCH", "connections/{connection}", "The provider accepts the stored token.", _only("user")
    ),
    "resync": Act(
        "POST",
        "connections/{connection}:resync",
        "Everything is read again. Until it ends, pages have the present data.",
    ),
    "token": Act("PATCH", "connections/{connection}", "The new token works and is stored.", _only("secret")),
    "rename": Act("PATCH", "connections/{connection}", "The name is changed.", _only("name")),
    "user": Act("PATCH", "connections/{connection}", "The token works with this user.", _only("user")),
    "options": Act(
        "PATCH",
        "connections/{connection}",
        "The options are changed.",
        lambda fields: {"options": _options(fields)},
    ),
}
REMOVING = {
    "remove": Act(
        "DELETE",
        "connections/{connection}",
        "The connection and its token are removed. Its repositories stay.",
    )
}


@router.get("/organizations/{organization}/connections")
async def connections(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The connections of an organization; `add` in the address opens the form of a kind."""
    return await framed(request, organization, _list, ADDING | REMOVING)


@router.post("/organizations/{organization}/connections")
async def add_connection(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Add a connection, sync one, or remove one."""
    return await submitted(request, organization, ADDING | REMOVING, _list)


@router.get("/organizations/{organization}/connections/{connection}")
async def connection(_: AnybodyAtAll, request: Request, organization: str, connection: str) -> Response:
    """A connection with its history."""
    return await framed(request, organization, _one(connection), CHANGING)


@router.post("/organizations/{organization}/connections/{connection}")
async def change_connection(
    _: AnybodyAtAll, request: Request, organization: str, connection: str
) -> Response:
    """Check, sync or change a connection."""
    return await submitted(request, organization, CHANGING, _one(connection))


async def _list(place: Place) -> Response:
    query = place.request.query_params
    category = query.get("category", "")
    found, kinds, pending = await place.reads.all(
        place.reads.read(
            "connections", category=category, pageSize=MOST, pageToken=query.get("pageToken", "")
        ),
        place.reads.read("connectionKinds"),
        place.reads.read("operations", state="PENDING", pageSize=MOST),
    )
    if not found.is_there:
        return await place.refuse("connections", "Connections", found)
    known = {one["kind"]: one for one in kinds.rows("connectionKinds")}
    wanted = place.sent.fields.get("kind", "") if place.sent is not None else query.get("add", "")
    rows = found.rows("connections")
    syncing = _syncing(pending)
    return await place.show(
        "running/connections.html",
        "connections",
        "Connections",
        rows=rows,
        page=found.body,
        syncing=syncing,
        reads_again=bool(syncing),
        kinds=known,
        categories=CATEGORIES,
        category=category,
        adding=known.get(wanted),
        broken=[one for one in rows if is_failing(one)],
        lede=_lede(rows),
    )


def _one(connection: str) -> Callable[[Place], Any]:
    async def content(place: Place) -> Response:
        found, kinds, pending, history = await place.reads.all(
            place.reads.read(f"connections/{connection}"),
            place.reads.read("connectionKinds"),
            place.reads.read("operations", state="PENDING", pageSize=MOST),
            place.reads.read(f"connections/{connection}/history", pageSize=10),
        )
        if not found.is_there:
            return await place.refuse("connections", "Connection", found)
        syncing = _syncing(pending).get(connection)
        kind = next(
            (one for one in kinds.rows("connectionKinds") if one["kind"] == found.body["kind"]),
            {"title": found.body["kind"], "options": [], "needsUser": False},
        )
        return await place.show(
            "running/connection.html",
            "connections",
            found.body["name"],
            connection=found.body,
            kind=kind,
            syncing=syncing,
            reads_again=syncing is not None,
            history=history.rows("history"),
            is_overdue=is_overdue(found.body["nextAttemptAt"], datetime.now(UTC)),
        )

    return content


def is_overdue(next_attempt: str | None, now: datetime) -> bool:
    """Whether a night has passed since an attempt was due."""
    return next_attempt is not None and datetime.fromisoformat(next_attempt) < now - LATE


def _syncing(pending: Answer) -> dict[str, dict[str, Any]]:
    """The oldest operation of each connection that no build includes yet."""
    return {one["connectionId"]: one for one in pending.rows("operations") if one["connectionId"] is not None}


def _lede(rows: list[dict[str, Any]]) -> str:
    """How many connections there are, and how many of them work."""
    if not rows:
        return ""
    failing = sum(is_failing(one) for one in rows)
    partial = sum(one["health"] == "DEGRADED" for one in rows)
    waiting = sum(one["health"] == "LIMITED" and not is_failing(one) for one in rows)
    parts = [f"{len(rows)} {'connection' if len(rows) == 1 else 'connections'}"]
    if failing:
        parts.append(f"{failing} {'fails' if failing == 1 else 'fail'}")
    if partial:
        parts.append(f"{partial} {'is' if partial == 1 else 'are'} read in part")
    if waiting:
        parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for the provider")
    if len(parts) == 1:
        parts.append("all of them can be read" if len(rows) > 1 else "it can be read")
    return ", ".join(parts) + "."
