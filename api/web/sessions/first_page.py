"""`/` and `/api/v1`: where a person or a program goes on. A browser with a session goes to the overview of its
organization or to its next steps, another one gets a page at `/`, and everybody else JSON.

Public: every address that is named here is, too. Keep out: what the addresses answer.
"""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import Anybody
from api.http.inner_requests import inner_client
from api.http.media_types import wants_page
from api.http.parameters import NoQuery
from api.http.responses import private
from api.operator.release import release
from api.services import services
from api.web.frame import root_of
from api.web.reading import Reader
from api.web.running.root import ROOT
from api.web.sessions.cookies import is_root, session_of
from api.web.sessions.entry import shown
from api.web.sessions.welcome import WELCOME

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(_: Anybody, request: Request) -> Response:
    """A page for browsers; JSON for programs, with the same links."""
    if not wants_page(request):
        answer = private(_links(request))
    elif (home := await _home(request)) is not None:
        answer = RedirectResponse(home, 303, headers={"Cache-Control": "no-store"})
    else:
        app = services(request)
        base = f"{app.app_url.rstrip('/')}/api/v1"
        answer = shown(request, "first", request.app.title, base=base, offers_passwords=app.offers_passwords)
    answer.headers["Vary"] = "Accept, Cookie"
    return answer


async def _home(request: Request) -> str | None:
    """The overview of the organization that the session of the browser acts in; the next steps for somebody without an
    organization, and None without a session.
    """
    app = services(request)
    session = session_of(app, request)
    if not session:
        return None
    if is_root(session):
        return f"{root_of(app)}{ROOT}"
    reads = Reader(inner_client(request, f"Bearer {session}"))
    sessions, organizations = await reads.both("/auth/sessions", "/api/v1/organizations")
    active = {one["activeOrganizationId"] for one in sessions.rows("sessions") if one["isCurrent"]}
    found = organizations.rows("organizations")
    chosen = next((one for one in found if one["id"] in active), found[0] if found else None)
    if chosen is None:
        return f"{root_of(app)}{WELCOME}" if organizations.is_there else None
    return f"{root_of(app)}/organizations/{chosen['slug']}/overview"


@router.get("/api/v1")
async def interface(_: Anybody, request: Request, _query: NoQuery) -> Response:
    """The version of the interface, and where its documentation is."""
    return private(_links(request))


def _links(request: Request) -> dict[str, object]:
    root = services(request).app_url.rstrip("/")
    return {
        "name": request.app.title,
        "version": release(),
        "api": f"{root}/api/v1",
        "organizations": f"{root}/api/v1/organizations",
        "documentation": f"{root}/docs",
        "openapi": f"{root}/openapi.json",
        "signIn": f"{root}/signIn",
        "health": f"{root}/healthz",
        "readiness": f"{root}/readyz",
    }
