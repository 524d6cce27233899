"""`/verifyEmail`: confirming the address of an account with a mailed link, and the account's password or session.

The link alone confirms nothing, because somebody else may have signed up with the address, and scanners of mails open
links. Keep out: rules and limits (`/auth/verifyEmail`).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.control.accounts.links import Purpose
from api.control.errors import NotPossible, TooMany
from api.services import services
from api.web.drawing.forms import Sent, fields_of
from api.web.reading import answered
from api.web.sessions.cookies import drop_invitation, invitation_of, refuse_forged, session_of
from api.web.sessions.entry import Refused, account_of, ask, on_to, secret_of, shown
from api.web.sessions.passwords import account_of_link

router = APIRouter(include_in_schema=False)

VERIFY, TITLE = "/verifyEmail", "Confirm your address"
WRONG = "this is not the password of the account"


@router.get(VERIFY)
async def show_link_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form that takes the link."""
    return shown(request, "link", TITLE, path=VERIFY, problem="", again="")


@router.post(VERIFY)
async def verify(_: AnybodyAtAll, request: Request) -> Response:
    """Confirm the address for somebody who is signed in as the account or gives its password."""
    app = services(request)
    sent = await fields_of(request)
    refuse_forged(app, request, "", sent.get("token", ""))
    secret = secret_of(sent.get("link", ""))
    try:
        account = await account_of_link(request, Purpose.VERIFICATION, secret)
    except (NotPossible, TooMany) as refused:
        return shown(request, "link", TITLE, path=VERIFY, problem=str(refused), again="", status=400)
    present = await account_of(request)
    body, session = {"token": secret}, ""
    if present is not None and present["id"] == account["id"]:
        session = session_of(app, request)
    elif sent.get("act") == "verify":
        body["password"] = sent.get("password", "")
    else:
        return shown(request, "verify", TITLE, account=account, link=secret)
    answer = answered(await ask(request, "/auth/verifyEmail", body, session))
    if answer.is_there:
        return await _verified(request, account, session)
    failed = Refused.of("verify", sent, answer)
    if answer.status == 400:
        failed = Refused(Sent("verify", sent, "", {"password": WRONG}), 400)
    return shown(request, "verify", TITLE, refused=failed, account=account, link=secret)


async def _verified(request: Request, account: dict[str, Any], session: str) -> Response:
    """Join by the invitation that the person signed up with; without a session, or if that is refused, a page with the
    next step.
    """
    app, invitation = services(request), invitation_of(request)
    if invitation and session:
        joined = answered(await ask(request, "/auth/acceptInvitation", {"token": invitation}, session))
        if joined.is_there:
            response = on_to(app, "")
            drop_invitation(app, response)
            return response
    response = shown(
        request,
        "verified",
        "Your address is confirmed",
        session=session_of(app, request),
        account=account,
        signed_in=bool(session),
        invitation=invitation,
    )
    if invitation:
        drop_invitation(app, response)
    return response
