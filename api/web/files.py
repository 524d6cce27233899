"""Lists as files, for the link beside a table: what `/api/v1` answers the person whose session the browser holds.

Lists that the interface offers as files come from it (v1/files.py); the rows of other lists are written here. Keep out:
which columns a list has.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, write_csv
from api.http.inner_requests import InnerAnswer, InnerClient, inner_client
from api.http.media_types import JSON
from api.query.parameters import Format
from api.services import services
from api.web.drawing.rendering import to_sign_in
from api.web.frame import root_of
from api.web.reading import Reader
from api.web.sessions.cookies import session_of

router = APIRouter(include_in_schema=False)

KEPT_HEADERS = ("content-type", "content-disposition", "retry-after")
ROWS_ONLY = (
    "commits",
    "developers",
    "repositories",
    "teams",
    "pullRequests",
    "objectives",
    "checkOccurrences",
)
"""Lists that the interface pages and does not write as files."""
PAGE_SIZE, MAX_ROWS = 1_000, 20_000


@router.get("/organizations/{organization}/files/{path:path}")
async def file(_: AnybodyAtAll, request: Request, organization: str, path: str) -> Response:
    """The list at `path` below the organization as a file; its query is that of the list, with `format`."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    asked = dict(request.query_params)
    kind = asked.get("format", "")
    if kind not in {one.value for one in MEDIA_TYPES}:
        raise InvalidArgument("format", f"must be one of {', '.join(MEDIA_TYPES)}")
    client = inner_client(request, f"Bearer {session}")
    address = Reader(client).of(organization).address(path)
    if path in ROWS_ONLY:
        if kind != Format.CSV:
            raise InvalidArgument("format", f"must be {Format.CSV}: this list has no other file")
        return await _rows(client, address, path, asked)
    return _passed_on(await client.get(address, params=list(request.query_params.multi_items())))


async def _rows(client: InnerClient, address: str, name: str, asked: Mapping[str, str]) -> Response:
    """All rows of a list as CSV: its columns in their order, without what is no text, number or list of texts.

    Raises InvalidArgument for more than MAX_ROWS.
    """
    rows: list[dict[str, Any]] = []
    query = {key: value for key, value in asked.items() if key not in ("format", "pageToken")}
    token = ""
    while True:
        answer = await client.get(address, params=query | {"pageSize": PAGE_SIZE, "pageToken": token})
        if answer.is_error:
            return _passed_on(answer)
        page = answer.json()
        if page["totalSize"] > MAX_ROWS:
            problem = (
                f"{page['totalSize']:,} rows are too many for a file of {MAX_ROWS:,}; choose a shorter range"
            )
            raise InvalidArgument("startDate", problem)
        rows += page[name]
        token = page["nextPageToken"]
        if not token:
            break
    columns = [key for key in (rows[0] if rows else {}) if all(_is_cell(row[key]) for row in rows)]
    cells = [[_cell(row[key]) for key in columns] for row in rows]
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return _kept_from_caches(b"".join(write_csv(columns, [cells])), 200, headers, MEDIA_TYPES[Format.CSV])


def _is_cell(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return not isinstance(value, dict)


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value


def _passed_on(answer: InnerAnswer) -> Response:
    headers = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
    return _kept_from_caches(
        answer.content, answer.status_code, headers, answer.headers.get("content-type", JSON)
    )


def _kept_from_caches(content: bytes, status: int, headers: dict[str, str], media_type: str) -> Response:
    guarded = headers | {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(content, status, headers=guarded, media_type=media_type)
