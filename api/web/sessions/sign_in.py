"""`/signIn` and `/signOut` for a browser: a form, and the cookie that holds the session.

Passwords, limits and messages are those of `/auth/signIn`, which the form is handed to. Keep out: the pages of identity
providers and mailed links (auth/).
"""

from datetime import datetime
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import AnybodyAtAll
from api.http.inner_requests import inner_client
from api.services import Services, services
from api.web.drawing.forms import fields_of
from api.web.drawing.rendering import page
from api.web.frame import root_of
from api.web.sessions.cookies import drop_session, form_token, keep_session, refuse_forged, session_of

router = APIRouter(include_in_schema=False)


@router.get("/signIn")
async def show_form(_: AnybodyAtAll, request: Request) -> Response:
    """The form, which leads to the page of `next`."""
    return await _form(request, next_page=request.query_params.get("next", ""))


@router.post("/signIn")
async def sign_in(_: AnybodyAtAll, request: Request) -> Response:
    """Begin a session and keep it in the cookie; otherwise the form with the reason."""
    app = services(request)
    sent = await fields_of(request)
    refuse_forged(app, request, "", sent.get("token", ""))
    body = {"email": sent.get("email", ""), "password": sent.get("password", "")}
    async with inner_client(request, "") as client:
        device = {"User-Agent": request.headers.get("user-agent", "")}
        answer = await client.post("/auth/signIn", json=body, headers=device)
    if answer.is_error:
        return await _form(
            request, answer.status_code, sent.get("next", ""), body["email"], _reason(answer), _again(answer)
        )
    begun = answer.json()
    response = RedirectResponse(
        _inside(app, sent.get("next", "")), 303, headers={"Cache-Control": "no-store"}
    )
    keep_session(app, response, begun["token"], datetime.fromisoformat(begun["expiresAt"]))
    return response


@router.post("/signOut")
async def sign_out(_: AnybodyAtAll, request: Request) -> Response:
    """End the session and let the browser forget it."""
    app = services(request)
    session = session_of(app, request)
    refuse_forged(app, request, session, (await fields_of(request)).get("token", ""))
    if session:
        async with inner_client(request, f"Bearer {session}") as client:
            await client.post("/auth/signOut", json={})
    response = RedirectResponse(f"{root_of(app)}/signIn", 303, headers={"Cache-Control": "no-store"})
    drop_session(app, response)
    return response


async def _form(
    request: Request,
    status: int = 200,
    next_page: str = "",
    email: str = "",
    problem: str = "",
    headers: dict[str, str] | None = None,
) -> Response:
    app = services(request)
    async with inner_client(request, "") as client:
        options = (await client.get("/auth/options")).json()
    made = page(
        "sign_in.html",
        status,
        title="Sign in",
        root=root_of(app),
        next=next_page,
        email=email,
        problem=problem,
        with_password=options["password"]["isOffered"],
        providers=", ".join(one["name"] for one in options.get("identityProviders") or []),
        form_token=form_token(app, ""),
    )
    made.headers.update(headers or {})
    return made


def _inside(app: Services, address: str) -> str:
    """A page of this service; the first one for an address that leads elsewhere."""
    root = root_of(app)
    is_inside = (
        address.startswith(f"{root}/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    return address if is_inside and "\\" not in address else f"{root}/"


def _reason(answer: httpx.Response) -> str:
    found: dict[str, Any] = answer.json()
    return str(found["message"])


def _again(answer: httpx.Response) -> dict[str, str]:
    later = answer.headers.get("retry-after")
    return {"Retry-After": later} if later else {}
