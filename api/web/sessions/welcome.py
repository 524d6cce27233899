"""`/welcome`: what somebody does who is signed in and a member of no organization yet.

Keep out: rules for organizations and addresses (`/api/v1/organizations`, `/auth`).
"""

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.drawing.rendering import to_sign_in
from api.web.frame import root_of
from api.web.reading import answered
from api.web.sessions.cookies import refuse_forged, session_of
from api.web.sessions.entry import Refused, account_of, ask, on_to, shown

router = APIRouter(include_in_schema=False)

WELCOME = "/welcome"
MAILED = "Another mail is on its way."


@router.get(WELCOME)
async def show_welcome(_: AnybodyAtAll, request: Request) -> Response:
    """The next steps."""
    return await _page(request)


@router.post(WELCOME)
async def go_on(_: AnybodyAtAll, request: Request) -> Response:
    """Mail another link for the address, or make an organization and open it."""
    app = services(request)
    session = session_of(app, request)
    sent = await fields_of(request)
    refuse_forged(app, request, session, sent.get("token", ""))
    if sent.get("act") == "verification":
        answer = answered(await ask(request, "/auth/requestEmailVerification", {}, session))
        if answer.is_there:
            return await _page(request, notice=MAILED)
        return await _page(request, refused=Refused.of("verification", sent, answer))
    body = {"name": sent.get("name", "")}
    answer = answered(await ask(request, "/api/v1/organizations", body, session))
    if not answer.is_there:
        return await _page(request, refused=Refused.of("organization", sent, answer))
    slug = quote(answer.body["slug"], safe="")
    return on_to(app, f"{root_of(app)}/organizations/{slug}/overview")


async def _page(request: Request, **content: Any) -> Response:
    account = await account_of(request)
    if account is None:
        return to_sign_in(request, root_of(services(request)))
    session = session_of(services(request), request)
    return shown(request, "welcome", "Welcome", session=session, account=account, **{"notice": "", **content})
