"""The audit log: who changed what, with the values before and after."""

import json
import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.lists import PAGE_SIZE
from api.web.frame import Place, framed

router = APIRouter(include_in_schema=False)

FILTERS = (("actor", "Author"), ("action", "Action"), ("targetKind", "Kind"), ("target", "Id"))
MAX_VALUE = 200
"""Characters of a value on the page; the file has all."""


@router.get("/organizations/{organization}/audit")
async def audit(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The audit log of an organization, newest first."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    kept = {name: query[name] for name, _ in FILTERS if query.get(name)}
    token = query.get("pageToken", "")
    found = await place.reads.read("auditEntries", **kept, pageToken=token, pageSize=PAGE_SIZE)
    if not found.is_there:
        return await place.refuse("audit", "Audit log", found)
    return await place.show(
        "settings/audit.html",
        "audit",
        "Audit log",
        page=found.body,
        rows=[
            entry | {"changes": _changes(entry), "told": _told(entry["action"])}
            for entry in found.rows("auditEntries")
        ],
        filters=FILTERS,
        kept=kept,
        token=token,
    )


def _told(action: str) -> str:
    """An action as words: `checkOccurrences.resolve` as `Check occurrences: resolve`."""
    target, _, done = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", action).lower().partition(".")
    return f"{target.capitalize()}: {done}" if done else target.capitalize()


def _changes(entry: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The fields that differ, with their values before and after."""
    before, after = entry["before"] or {}, entry["after"] or {}
    return [
        (name, _value(before.get(name)), _value(after.get(name)))
        for name in before | after
        if before.get(name) != after.get(name)
    ]


def _value(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
