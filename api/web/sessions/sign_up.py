"""`/signUp`: making an account with a password, which signs it in.

Keep out: rules of passwords (`/auth/checkPassword`), the mail that confirms the address (verification.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.reading import answered
from api.web.sessions.cookies import keep_invitation, refuse_forged
from api.web.sessions.entry import (
    NO_PASSWORDS,
    Carried,
    Refused,
    ask,
    asked_by,
    invited_by,
    kept,
    shown,
    signed_in,
)
from api.web.sessions.passwords import rules_of
from api.web.sessions.sign_in import not_joined

router = APIRouter(include_in_schema=False)

SIGN_UP = "/signUp"
TITLE = "Sign up"


@router.get(SIGN_UP)
async def show_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form for a new account."""
    return await _form(request, asked_by(request))


@router.post(SIGN_UP)
async def sign_up(_: AnybodyAtAll, request: Request) -> Response:
    """Make the account and begin its session; otherwise the form with the reason. With an invitation the account joins
    the organization as soon as its address is confirmed.
    """
    sent = await fields_of(request)
    refuse_forged(services(request), request, "", sent.get("token", ""))
    carried = Carried.by(sent)
    if sent.get("act") == "open":
        return await _form(request, carried)
    body: dict[str, Any] = {name: sent.get(name, "") for name in ("email", "password", "name")}
    if carried.organization and not carried.invitation:
        body["organization"] = carried.organization
    answer = answered(await ask(request, "/auth/signUp", body))
    if not answer.is_there:
        return await _form(request, carried, Refused.of("signUp", sent, answer))
    begun = answer.body
    if not carried.invitation:
        return await signed_in(request, begun, carried.next)
    joined = answered(
        await ask(request, "/auth/acceptInvitation", {"token": carried.invitation}, begun["token"])
    )
    if joined.is_there:
        return await signed_in(request, begun, "")
    made = not_joined(request, begun["account"], joined.message, begun["token"], carried)
    if not begun["account"]["isVerified"]:
        keep_invitation(services(request), made, carried.invitation)
    return await kept(request, made, begun)


async def _form(request: Request, carried: Carried, refused: Refused | None = None) -> Response:
    if not services(request).offers_passwords:
        return shown(request, "told", TITLE, carried, message=NO_PASSWORDS)
    sent = refused.sent.fields if refused else {}
    return shown(
        request,
        "sign_up",
        TITLE,
        carried,
        refused=refused,
        invitation=await invited_by(request, carried),
        rules=await rules_of(request, sent.get("password", ""), sent.get("email", "")),
    )
