"""`/` and `/api/v1`: where a person or a program goes on. A browser with a session goes to the overview of its
organization, another one gets a page at `/`, and everybody else JSON.

Public: every address that is named here is, too. Keep out: what the addresses answer.
"""

from html import escape

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import Anybody
from api.http.inner_requests import inner_client
from api.http.parameters import NoQuery
from api.http.responses import private
from api.http.web_pages import wants_page, web_page
from api.operator.release import release
from api.services import services
from api.web.frame import root_of
from api.web.reading import Reader
from api.web.sessions.cookies import session_of

router = APIRouter(include_in_schema=False)

# Relative addresses: the service may stand below a path prefix of a proxy.
BODY = """<p>Figures about engineering work, from Git histories and issue trackers: delivered value, categories, CapEx.
This is version {release}.</p>
<ul><li><a href="signIn">Sign in</a></li>
<li><a href="docs">Documentation of the interface</a>, which programs find at <code>{base}</code></li>
<li>State of the service: <a href="healthz">liveness</a>, <a href="readyz">readiness</a></li></ul>"""


@router.get("/")
async def index(_: Anybody, request: Request) -> Response:
    """A page for browsers; JSON for programs, with the same links."""
    if not wants_page(request):
        answer = private(_links(request))
    elif (home := await _home(request)) is not None:
        answer = RedirectResponse(home, 303, headers={"Cache-Control": "no-store"})
    else:
        base = f"{services(request).app_url.rstrip('/')}/api/v1"
        answer = web_page(request.app.title, BODY.format(release=escape(release()), base=escape(base)))
    answer.headers["Vary"] = "Accept, Cookie"
    return answer


async def _home(request: Request) -> str | None:
    """The overview of the organization that the session of the browser acts in; None without one."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return None
    async with inner_client(request, f"Bearer {session}") as client:
        sessions, organizations = await Reader(client).both("/auth/sessions", "/api/v1/organizations")
    active = {one["activeOrganizationId"] for one in sessions.rows("sessions") if one["isCurrent"]}
    found = organizations.rows("organizations")
    chosen = next((one for one in found if one["id"] in active), found[0] if found else None)
    return f"{root_of(app)}/organizations/{chosen['slug']}/overview" if chosen is not None else None


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
        "signIn": f"{root}/auth/signIn",
        "health": f"{root}/healthz",
        "readiness": f"{root}/readyz",
    }
