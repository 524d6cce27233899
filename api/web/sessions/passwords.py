"""`/requestPasswordReset` and `/resetPassword`: asking for a link by mail, and choosing a new password with it.

The secret of the link stands after the `#`, which a browser sends to nobody: a script puts it into the form, and
without scripts a person pastes the link. Keep out: rules and limits (`/auth`).
"""

from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.auth.allowances import LINKS_FROM_HERE
from api.callers.dependencies import AnybodyAtAll
from api.control.accounts import throttles
from api.control.accounts.links import Purpose
from api.control.accounts.throttles import Try
from api.control.accounts.verification import of_link
from api.control.errors import NotPossible, TooMany
from api.http.client_networks import client_network
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.frame import root_of
from api.web.reading import answered
from api.web.sessions.cookies import refuse_forged
from api.web.sessions.entry import NO_PASSWORDS, SIGN_IN, Refused, ask, on_to, secret_of, shown

router = APIRouter(include_in_schema=False)

REQUEST, RESET = "/requestPasswordReset", "/resetPassword"
FORGOTTEN, NEW = "Forgot your password?", "Choose a new password"
SENT = (
    "If an account has this address, a mail with a link is on its way. The link works once, within an hour; look into "
    "the folder for spam too"
)


async def rules_of(request: Request, password: str = "", email: str = "") -> list[dict[str, Any]]:
    """The rules for passwords, and which of them this one meets; none before there is one."""
    answer = answered(await ask(request, "/auth/checkPassword", {"password": password, "email": email}))
    if not answer.is_there:
        answer = answered(await ask(request, "/auth/checkPassword", {"password": ""}))
    return [rule | {"isMet": rule["isMet"] and bool(password)} for rule in answer.rows("rules")]


async def account_of_link(request: Request, purpose: Purpose, secret: str) -> dict[str, str]:
    """Id and address of the account of a mailed link, which stays valid. Raises NotPossible, and TooMany for somebody
    who tries many.
    """
    store = services(request).store
    await run_sync(throttles.take, store, Try(LINKS_FROM_HERE, client_network(request)))
    found = await run_sync(of_link, store, purpose, secret)
    return {"id": found.id, "email": found.email}


@router.get(REQUEST)
async def show_request(_: AnybodyAtAll, request: Request) -> Response:
    """The form for the address."""
    if not services(request).offers_passwords:
        return shown(request, "told", FORGOTTEN, message=NO_PASSWORDS)
    return shown(request, "request_reset", FORGOTTEN)


@router.post(REQUEST)
async def request_reset(_: AnybodyAtAll, request: Request) -> Response:
    """Mail a link. The answer is the same for registered and unknown addresses."""
    sent = await fields_of(request)
    refuse_forged(services(request), request, "", sent.get("token", ""))
    answer = answered(await ask(request, "/auth/requestPasswordReset", {"email": sent.get("email", "")}))
    if not answer.is_there:
        return shown(request, "request_reset", FORGOTTEN, refused=Refused.of("request", sent, answer))
    return shown(request, "told", "Look into your mails", message=SENT)


@router.get(RESET)
async def show_link_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form that takes the link."""
    if not services(request).offers_passwords:
        return shown(request, "told", NEW, message=NO_PASSWORDS)
    return shown(request, "link", NEW, path=RESET, problem="", again=REQUEST)


@router.post(RESET)
async def reset(_: AnybodyAtAll, request: Request) -> Response:
    """Ask for the new password of a link, and then set it."""
    sent = await fields_of(request)
    refuse_forged(services(request), request, "", sent.get("token", ""))
    secret = secret_of(sent.get("link", ""))
    try:
        account = await account_of_link(request, Purpose.PASSWORD_RESET, secret)
    except (NotPossible, TooMany) as refused:
        return shown(request, "link", NEW, path=RESET, problem=str(refused), again=REQUEST, status=400)
    failed = None
    if sent.get("act") == "reset":
        body = {"token": secret, "password": sent.get("password", "")}
        answer = answered(await ask(request, "/auth/resetPassword", body))
        if answer.is_there:
            app = services(request)
            return on_to(app, f"{root_of(app)}{SIGN_IN}?done=passwordReset")
        failed = Refused.of("reset", sent, answer)
    typed = sent.get("password", "") if failed else ""
    rules = await rules_of(request, typed, account["email"])
    return shown(request, "reset", NEW, refused=failed, account=account, link=secret, rules=rules)
