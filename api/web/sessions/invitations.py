"""`/invitation`: the page of an invitation's link. Somebody who is signed in with the invited address joins by opening
it; others see the sign-in page with the invitation.

Keep out: who may accept (control/accounts/invitations.py), signing in and up (sign_in.py, sign_up.py).
"""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.reading import answered
from api.web.sessions.cookies import refuse_forged, session_of
from api.web.sessions.entry import Carried, account_of, ask, on_to, secret_of, shown
from api.web.sessions.sign_in import not_joined, sign_in_page

router = APIRouter(include_in_schema=False)

INVITATION, TITLE = "/invitation", "Join an organization"


@router.get(INVITATION)
async def show_link_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form that takes the link."""
    session = session_of(services(request), request)
    return shown(request, "link", TITLE, path=INVITATION, problem="", again="", session=session)


@router.post(INVITATION)
async def open_invitation(_: AnybodyAtAll, request: Request) -> Response:
    """Join with the session of the browser, or show the ways to sign in."""
    app = services(request)
    session = session_of(app, request)
    sent = await fields_of(request)
    refuse_forged(app, request, session, sent.get("token", ""))
    secret = secret_of(sent.get("link", ""))
    found = answered(await ask(request, "/auth/lookUpInvitation", {"token": secret}))
    if not found.is_there:
        problem = f"{found.message}. If you are a member already, sign in"
        return shown(
            request,
            "link",
            TITLE,
            session=session,
            status=found.status,
            path=INVITATION,
            problem=problem,
            again="",
        )
    carried = Carried(invitation=secret)
    account = await account_of(request)
    if account is None:
        return await sign_in_page(request, carried)
    joined = answered(await ask(request, "/auth/acceptInvitation", {"token": secret}, session))
    if joined.is_there:
        return on_to(app, "")
    return not_joined(request, account, joined.message, session, carried)
