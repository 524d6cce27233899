"""`/root`: a root login at the dashboard. It opens the pages in this browser, lists organizations and enters one.

Keep out: the credential (sessions/root_logins.py), what root may do (control/rights.py).
"""

from datetime import timedelta
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.http.inner_requests import inner_client
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.drawing.rendering import to_sign_in
from api.web.frame import root_of
from api.web.reading import Answer, Reader, answered
from api.web.sessions.cookies import is_root, refuse_forged, session_of
from api.web.sessions.entry import ask, on_to, replace_session, shown

router = APIRouter(include_in_schema=False)

ROOT = "/root"
LIFETIME = timedelta(hours=1)
"""The longest that the browser keeps a root login. The service ends it at its own hour."""
PAGE_SIZE = 50


@router.get(ROOT)
async def show_organizations(_: AnybodyAtAll, request: Request) -> Response:
    """The organizations that root may enter."""
    return await _page(request)


@router.post(ROOT)
async def act_as_root(_: AnybodyAtAll, request: Request) -> Response:
    """Keep a root login in this browser (`open`), or enter an organization or leave it (`enter`, `leave`).

    Raises PermissionDenied for a forged form, and InvalidArgument for an act that the page does not have.
    """
    app, sent = services(request), await fields_of(request)
    session = session_of(app, request)
    if sent.get("act") == "open":
        # The page that showed the token has no session of its own.
        refuse_forged(app, request, "", sent.get("token", ""))
        begun = sent.get("session", "")
        if not is_root(begun) or not (await _organizations(request, begun, "", "")).is_there:
            return await _page(request, session="")
        response = on_to(app, f"{root_of(app)}{ROOT}")
        await replace_session(request, response, begun, app.store.now() + LIFETIME)
        return response
    refuse_forged(app, request, session, sent.get("token", ""))
    if sent.get("act") not in ("enter", "leave"):
        raise InvalidArgument("act", "is none of this page; open the page again")
    if not is_root(session):
        return await _page(request)
    wanted = sent.get("organization", "") if sent.get("act") == "enter" else None
    answer = answered(await ask(request, "/auth/switchOrganization", {"organization": wanted}, session))
    if not answer.is_there:
        return await _page(request, message=answer.message, status=answer.status)
    home = f"/organizations/{quote(wanted, safe='')}/overview" if wanted else ROOT
    return on_to(app, sent.get("next") or f"{root_of(app)}{home}")


async def _page(
    request: Request, session: str | None = None, message: str = "", status: int | None = None
) -> Response:
    app, query = services(request), request.query_params
    session = session_of(app, request) if session is None else session
    found = (
        await _organizations(request, session, query.get("search", ""), query.get("pageToken", ""))
        if is_root(session)
        else None
    )
    if found is None or found.status == 401:
        return to_sign_in(request, root_of(app))
    if not found.is_there and query:
        return RedirectResponse(f"{root_of(app)}{ROOT}", 303, headers={"Cache-Control": "no-store"})
    return shown(
        request,
        "root_organizations",
        "Root login",
        session=session,
        found=found,
        search=query.get("search", ""),
        message=message,
        status=status,
    )


async def _organizations(request: Request, session: str, search: str, page_token: str) -> Answer:
    asked = {"all": True, "pageSize": PAGE_SIZE, "search": search, "pageToken": page_token}
    return await Reader(inner_client(request, f"Bearer {session}")).read("/api/v1/organizations", asked)
