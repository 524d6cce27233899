"""`/signIn` and `/signOut` for a browser: the configured ways, and the cookie that holds the session.

Passwords, limits and messages are those of `/auth/signIn`, which the form is handed to. Keep out: the way to an
identity provider (providers.py), the pages of mailed links (passwords.py, verification.py, invitations.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.frame import root_of
from api.web.reading import answered
from api.web.sessions.cookies import drop_session, refuse_forged, session_of
from api.web.sessions.entry import (
    SIGN_IN,
    Carried,
    Refused,
    ask,
    asked_by,
    invited_by,
    kept,
    on_to,
    shown,
    signed_in,
)

router = APIRouter(include_in_schema=False)

# What a page before this one did, by the parameter `done` of its address.
DONE = {
    "passwordReset": "Your password is changed, and every session has ended. Sign in with the new one.",
    "signOut": "You are signed out.",
}


@router.get(SIGN_IN)
async def show_form(_: AnybodyAtAll, request: Request) -> Response:
    """The ways to sign in; `organization` names the one whose ways count, and `next` the page to come back to."""
    return await sign_in_page(
        request, asked_by(request), notice=DONE.get(request.query_params.get("done", ""), "")
    )


@router.post(SIGN_IN)
async def sign_in(_: AnybodyAtAll, request: Request) -> Response:
    """Begin a session and keep it in the cookie; otherwise the form with the reason."""
    sent = await fields_of(request)
    refuse_forged(services(request), request, "", sent.get("token", ""))
    carried = Carried.by(sent)
    if sent.get("act") == "open":
        return await sign_in_page(request, carried)
    body: dict[str, Any] = {"email": sent.get("email", ""), "password": sent.get("password", "")}
    # With an invitation the organization decides later which sessions open it, and not whether this one begins.
    if carried.invitation:
        body["invitation"] = carried.invitation
    elif carried.organization:
        body["organization"] = carried.organization
    answer = answered(await ask(request, "/auth/signIn", body))
    if not answer.is_there:
        return await sign_in_page(request, carried, refused=Refused.of("signIn", sent, answer))
    return await entered(request, answer.body, carried)


async def sign_in_page(request: Request, carried: Carried, **content: Any) -> Response:
    """The page with what is offered, and with the invitation that the person brings."""
    invitation = await invited_by(request, carried)
    organization = carried.organization or (invitation["organizationId"] if invitation else "")
    carried = Carried(carried.next, organization, carried.invitation)
    return shown(
        request,
        "sign_in",
        "Join an organization" if invitation else "Sign in",
        carried,
        invitation=invitation,
        offered=await offered(request, organization),
        offers_passwords=services(request).offers_passwords,
        **{"notice": "", **content},
    )


async def offered(request: Request, organization: str) -> dict[str, Any]:
    """The ways to sign in: those of the deployment for a name that no organization can have."""
    params = {"organization": organization} if organization else {}
    answer = answered(await ask(request, "/auth/options", params=params))
    found = answer if answer.is_there else answered(await ask(request, "/auth/options"))
    ways: dict[str, Any] = found.body
    return ways


async def entered(request: Request, begun: dict[str, Any], carried: Carried) -> Response:
    """Go on with a new session, unless its invitation was not accepted: a page says why."""
    outcome = begun.get("invitation")
    if outcome is None or outcome["isAccepted"]:
        return await signed_in(request, begun, "" if outcome else carried.next)
    made = not_joined(request, begun["account"], outcome["problem"], begun["token"])
    return await kept(request, made, begun)


def not_joined(
    request: Request, account: dict[str, Any], problem: str, session: str, carried: Carried | None = None
) -> Response:
    """The page for somebody who is signed in and whose invitation was not accepted. With an invitation that is carried
    on, they can try again.
    """
    return shown(
        request,
        "not_joined",
        "You did not join yet",
        carried,
        account=account,
        problem=problem,
        session=session,
        status=400 if carried else 200,
    )


@router.post("/signOut")
async def sign_out(_: AnybodyAtAll, request: Request) -> Response:
    """End the session and let the browser forget it."""
    app = services(request)
    session = session_of(app, request)
    refuse_forged(app, request, session, (await fields_of(request)).get("token", ""))
    if session:
        await ask(request, "/auth/signOut", {}, session)
    response = on_to(app, f"{root_of(app)}{SIGN_IN}")
    drop_session(app, response)
    return response
