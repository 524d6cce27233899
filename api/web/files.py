"""Lists as files, for the link below a table: the answer of `/api/v1` to the person whose session the browser holds.

Keep out: which lists have files, and how they are written (v1/files.py).
"""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES
from api.http.inner_requests import inner_client
from api.services import services
from api.web.drawing.rendering import to_sign_in
from api.web.frame import root_of
from api.web.reading import Reader
from api.web.sessions.cookies import session_of

router = APIRouter(include_in_schema=False)

KEPT_HEADERS = ("content-type", "content-disposition", "retry-after")


@router.get("/organizations/{organization}/files/{path:path}")
async def file(_: AnybodyAtAll, request: Request, organization: str, path: str) -> Response:
    """The list at `path` below the organization as a file; its query is that of the list, with `format`."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    kind = request.query_params.get("format", "")
    if kind not in {one.value for one in MEDIA_TYPES}:
        raise InvalidArgument("format", f"must be one of {', '.join(MEDIA_TYPES)}")
    async with inner_client(request, f"Bearer {session}") as client:
        address = Reader(client).of(organization).address(path)
        answer = await client.get(address, params=list(request.query_params.multi_items()))
    headers = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
    return Response(
        answer.content,
        answer.status_code,
        headers=headers | {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
    )
