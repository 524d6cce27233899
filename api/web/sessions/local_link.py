"""`/local`: a link that signs in on the machine itself, once.

Keep out: who signs in, and for how long a link works (control/accounts/local_owners.py).
"""

import ipaddress

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import AnybodyAtAll
from api.control.accounts.local_owners import use_local_link
from api.control.errors import NotPossible
from api.errors import PermissionDenied
from api.operator.settings import is_loopback
from api.services import Services, services
from api.web.drawing.forms import fields_of
from api.web.frame import root_of
from api.web.sessions.cookies import refuse_forged
from api.web.sessions.entry import replace_session, shown

router = APIRouter(include_in_schema=False)

ELSEWHERE = "this link works on the machine that runs the service alone; sign in with your account"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


@router.get("/local")
async def show_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form, which a script fills with the part of the address after `#`. Raises PermissionDenied elsewhere."""
    app = services(request)
    _refuse_elsewhere(app, request)
    return _form(request)


@router.post("/local")
async def sign_in(_: AnybodyAtAll, request: Request) -> Response:
    """Begin the session of the owner of this machine. Raises PermissionDenied elsewhere and for a forged form."""
    app = services(request)
    _refuse_elsewhere(app, request)
    sent = await fields_of(request)
    refuse_forged(app, request, "", sent.get("token", ""))
    try:
        begun = await run_sync(use_local_link, app.store, sent.get("link", ""))
    except NotPossible:
        return _form(request, "this link was used, or is older than an hour; start `make serve` again", 400)
    response = RedirectResponse(f"{root_of(app)}/", 303, headers={"Cache-Control": "no-store"})
    await replace_session(request, response, begun.token, begun.session.expires_at)
    return response


def _form(request: Request, problem: str = "", status: int = 200) -> Response:
    return shown(request, "local_link", "Open the dashboard", problem=problem, status=status)


def _refuse_elsewhere(app: Services, request: Request) -> None:
    """Raises PermissionDenied unless a browser on this machine asks for an address of this machine, without a proxy."""
    try:
        is_near = request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        is_near = False
    # Another name for this machine would be one that somebody else gave it (DNS rebinding).
    named = is_loopback(f"http://{request.headers.get('host', 'elsewhere.invalid')}")
    if not (is_near and named and is_loopback(app.app_url)) or any(
        one in request.headers for one in FORWARDED
    ):
        raise PermissionDenied(ELSEWHERE)
