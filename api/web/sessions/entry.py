"""What the pages of signing in share: their frame, what they carry from form to form, and requests to `/auth`.

A page asks `/auth` as a program would, so limits, messages and rights are those of the interface. Keep out: what one
page says and does (its own module).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from api.http.inner_requests import InnerAnswer, inner_client
from api.services import Services, services
from api.web.drawing.forms import Sent
from api.web.drawing.rendering import page
from api.web.frame import root_of
from api.web.reading import Answer, answered
from api.web.sessions.cookies import form_token, is_root, keep_session, session_of

SIGN_IN = "/signIn"
WEAK = "the password needs more"
NO_PASSWORDS = "this deployment takes no passwords; sign in with an identity provider"


@dataclass(frozen=True, slots=True)
class Carried:
    """What a person brings along: the page they wanted, the organization whose ways count, and an invitation."""

    next: str = ""
    organization: str = ""
    invitation: str = ""

    @classmethod
    def by(cls, given: Mapping[str, str]) -> "Carried":
        """Those of a form. Of an address use `asked_by`."""
        return cls(given.get("next", ""), given.get("organization", ""), given.get("invitation", ""))

    @property
    def fields(self) -> dict[str, str]:
        """The hidden fields of a form."""
        found = {"next": self.next, "organization": self.organization, "invitation": self.invitation}
        return {name: value for name, value in found.items() if value}

    @property
    def query(self) -> str:
        """The query of a link. An invitation is a secret, which no address has."""
        return urlencode({name: value for name, value in self.fields.items() if name != "invitation"})


def asked_by(request: Request) -> Carried:
    """What the address of a page carries."""
    given = request.query_params
    return Carried(given.get("next", ""), given.get("organization", ""))


async def ask(
    request: Request,
    path: str,
    body: Mapping[str, Any] | None = None,
    session: str = "",
    params: Mapping[str, str] | None = None,
) -> InnerAnswer:
    """The answer of `/auth` to the browser of the request: of `POST`, or of `GET` with `params` without a body."""
    browser = {name: request.headers[name] for name in ("user-agent", "cookie") if name in request.headers}
    client = inner_client(request, f"Bearer {session}" if session else "")
    if body is None:
        return await client.get(path, params=params or {}, headers=browser)
    return await client.request("POST", path, json=dict(body), headers=browser)


async def account_of(request: Request) -> dict[str, Any] | None:
    """The account whose session the browser holds; None without one."""
    session = session_of(services(request), request)
    if not session:
        return None
    answer = answered(await ask(request, "/auth/account", session=session))
    return answer.body if answer.is_there else None


async def invited_by(request: Request, carried: Carried) -> dict[str, Any] | None:
    """What an invitation says; None without one, or if it is valid no more."""
    if not carried.invitation:
        return None
    answer = answered(await ask(request, "/auth/lookUpInvitation", {"token": carried.invitation}))
    return answer.body if answer.is_there else None


@dataclass(frozen=True, slots=True)
class Refused:
    """A form that the interface refused."""

    sent: Sent
    status: int
    retry_after: str = ""

    @classmethod
    def of(cls, act: str, fields: Mapping[str, str], answer: Answer) -> "Refused":
        """The form `act` with the reason of an answer."""
        problems = dict(answer.problems)
        if WEAK in answer.message and "password" in problems:
            problems["password"] = f"{WEAK}: {problems['password']}"
        sent = Sent(act, fields, answer.message, problems)
        return cls(sent, answer.status, answer.retry_after)


def shown(
    request: Request,
    template: str,
    title: str,
    carried: Carried | None = None,
    /,
    *,
    refused: Refused | None = None,
    status: int | None = None,
    session: str = "",
    **content: Any,
) -> Response:
    """A page of signing in. `refused` is the form that was refused.

    Its forms have the token of `session`: without one, that of a visitor.
    """
    app = services(request)
    made = page(
        f"entry/{template}.html",
        status or (refused.status if refused else 200),
        title=title,
        root=root_of(app),
        form_token=form_token(app, session),
        carried=carried or Carried(),
        sent=refused.sent if refused else None,
        **content,
    )
    # A page may have a link's secret in a hidden field.
    made.headers["Cache-Control"] = "no-store"
    if refused and refused.retry_after:
        made.headers["Retry-After"] = refused.retry_after
    return made


async def signed_in(request: Request, begun: Mapping[str, Any], to: str) -> Response:
    """Keep a session that just began in the cookie, and go on to a page of this service."""
    return await kept(request, on_to(services(request), to), begun)


async def kept(request: Request, response: Response, begun: Mapping[str, Any]) -> Response:
    """The response, which keeps a session that just began in the cookie."""
    expires_at = datetime.fromisoformat(begun["expiresAt"])
    await replace_session(request, response, begun["token"], expires_at)
    return response


async def replace_session(request: Request, response: Response, token: str, expires_at: datetime) -> None:
    """Keep a session in the cookie, and end a root login that the browser had there.

    Nobody could end that login later, and it would stay in the organization that it entered.
    """
    app = services(request)
    before = session_of(app, request)
    if is_root(before) and before != token:
        await ask(request, "/auth/signOut", {}, before)
    keep_session(app, response, token, expires_at)


def on_to(app: Services, address: str) -> Response:
    """The way to a page of this service; to the first one for an address that leads elsewhere."""
    return RedirectResponse(inside(app, address), 303, headers={"Cache-Control": "no-store"})


def inside(app: Services, address: str) -> str:
    """The address if it is that of a page of this service, else the first page."""
    root = root_of(app)
    is_inside = (
        address.startswith(f"{root}/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    return address if is_inside and "\\" not in address else f"{root}/"


def secret_of(link: str) -> str:
    """The secret of a mailed link, which a person may paste as a whole."""
    return link.strip().rpartition("#")[2]
