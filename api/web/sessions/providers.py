"""The way of a browser to an identity provider, and its end at `/signedIn`, where the session goes into the cookie.

Keep out: the protocol and its failures (auth/identity_providers.py).
"""

from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.auth.browser import CODE, forget, remember, remembered
from api.callers.dependencies import AnybodyAtAll
from api.control.identity_providers.flows import LIFETIME, NO_CODE
from api.services import services
from api.web.drawing.forms import fields_of
from api.web.reading import answered
from api.web.sessions.cookies import refuse_forged
from api.web.sessions.entry import SIGN_IN, Carried, Refused, ask, shown
from api.web.sessions.sign_in import entered, sign_in_page

router = APIRouter(include_in_schema=False)

# The page to which the way leads back, which a provider does not carry.
NEXT = "eas_next"


@router.post(f"{SIGN_IN}/provider")
async def begin(_: AnybodyAtAll, request: Request) -> Response:
    """A page that leads on to the provider, at once if it is the host that the form named.

    A redirect would not do: browsers hold each address after a form against `form-action`.
    """
    app = services(request)
    sent = await fields_of(request)
    refuse_forged(app, request, "", sent.get("token", ""))
    carried = Carried.by(sent)
    body = {"provider": sent.get("provider", "")}
    body |= {name: carried.fields[name] for name in ("organization", "invitation") if name in carried.fields}
    begun = await ask(request, "/auth/startSignIn", body)
    answer = answered(begun)
    if not answer.is_there:
        return await sign_in_page(request, carried, refused=Refused.of("provider", sent, answer))
    address = answer.body["authorizationUrl"]
    host = urlsplit(address).netloc
    # As browsers write it.
    host = host.removesuffix(":443") if address.startswith("https:") else host
    made = shown(
        request,
        "leaving",
        f"Sign in at {host}",
        address=address,
        host=host,
        named=sent.get("host", ""),
        at_once=host == sent.get("host", ""),
    )
    for cookie in begun.headers.getlist("set-cookie"):
        made.headers.append("Set-Cookie", cookie)
    return remember(app, made, NEXT, carried.next, LIFETIME)


@router.get("/signedIn")
async def end(_: AnybodyAtAll, request: Request) -> Response:
    """Exchange the one-time code, which the browser brings in a cookie, for the session."""
    app = services(request)
    code, wanted = remembered(app, request, CODE), remembered(app, request, NEXT)
    if not code:
        return shown(request, "told", "Signing in failed", message=NO_CODE, status=400)
    answer = answered(await ask(request, "/auth/completeSignIn", {"code": code}))
    if answer.is_there:
        made = await entered(request, answer.body, Carried(wanted))
        if "location" in made.headers:
            # A part of its own after the #, or the browser would keep the code there.
            made.headers["location"] += "#content"
    else:
        made = shown(request, "told", "Signing in failed", message=answer.message, status=answer.status)
    forget(app, made, CODE)
    forget(app, made, NEXT)
    return made
