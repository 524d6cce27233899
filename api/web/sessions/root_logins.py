"""`/impersonate`: signing in as root, with a signed credential in a form.

The credential is a field of a form because addresses end up in logs. Every defect has the same answer after the same
time; the log alone has the reason. Keep out: what a credential is (operator/root_credentials.py), what root may
do (control/rights.py).
"""

import ipaddress
import logging
from datetime import datetime
from typing import Any, Literal
from urllib.parse import parse_qsl

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from api.auth.allowances import ROOT_LOGINS_FROM_HERE
from api.callers.dependencies import AnybodyAtAll
from api.control.accounts import root_logins, throttles
from api.control.accounts.root_logins import NewRootLogin
from api.control.accounts.throttles import Try
from api.errors import Unauthenticated
from api.http.client_networks import client_network
from api.http.media_types import wants_page
from api.http.openapi.texts import Status
from api.http.responses import private
from api.http.statuses import status_response
from api.operator.root_credentials import BadCredential, read_credential
from api.operator.settings import operator_settings
from api.services import Services, services
from api.shapes import Shape
from api.web.sessions.entry import shown

router = APIRouter(tags=["sessions"])
logger = logging.getLogger(__name__)

FIELD = "credential"
INVALID = "this root login is invalid or expired"
MAX_FIELDS = 10
# A refusal takes at least this long: more than a check of all signatures and the search for a used id.
REFUSAL_SECONDS = 0.1
FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {
                            "type": "string",
                            "description": "The credential that `eas root-login` signs.",
                        }
                    },
                }
            }
        },
    }
}
PAGES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {}}},
    401: {"model": Status, "description": "Any defect of the credential.", "content": {"text/html": {}}},
}


class RootSession(Shape):
    """The session of a root login."""

    token: str = Field(
        description="For `Authorization: Bearer …`. Only this answer contains it.", examples=["root_…"]
    )
    login_id: str = Field(description="Id of the login in audit logs, as `actorId`.")
    expires_at: datetime = Field(description="One hour from now. A root login is not renewed.")
    issuer: str = Field(description="The claim `iss` of the credential.", examples=["ada@laptop"])
    credential_id: str = Field(description="The claim `id` of the credential.")
    signer: Literal["ADMINISTRATOR", "SERVICE"] = Field(
        description="Whose key signed: the operator's own one, or the one of the service's support."
    )


@router.post(
    "/impersonate", summary="Sign in as root", response_model=RootSession, responses=PAGES, openapi_extra=FORM
)
async def impersonate(_: AnybodyAtAll, request: Request) -> Response:
    """Sign in as root for one hour with a credential that works once.

    The body is a form with one field `credential`. A browser gets a page with the token, a program JSON. Answers
    UNAUTHENTICATED with the same message for every credential that is malformed, expired, used, or signed for another
    address or by another key, and for a request with a query string.
    """
    app = services(request)
    await run_sync(throttles.take, app.store, Try(ROOT_LOGINS_FROM_HERE, client_network(request)))
    started = anyio.current_time()
    try:
        made = await run_sync(_begin, app, await _credential(request))
    except BadCredential as refused:
        logger.warning("a root login from %s was refused: %s", _client(request), refused)
        await anyio.sleep_until(started + REFUSAL_SECONDS)
        return _refusal(request)
    return _welcome(request, made)


def _begin(app: Services, credential: str) -> NewRootLogin:
    keys = operator_settings().root_keys
    found = read_credential(credential, keys=keys, audience=app.app_url, now=app.store.now())
    made = root_logins.begin(app.store, found)
    logger.warning("root login %s began: %s, %s key", made.login.id, found.issuer, found.signer)
    return made


async def _credential(request: Request) -> str:
    """The field of the form. Raises BadCredential unless there is exactly one."""
    if request.scope["query_string"]:
        raise BadCredential("the request has a query string; send the credential as a field of a form")
    try:
        fields = _urlencoded(request.headers.get("content-type", ""), await request.body())
    except (ValueError, ClientDisconnect) as error:
        raise BadCredential("the body is no form") from error
    found = [value for name, value in fields if name == FIELD]
    if len(found) != 1:
        raise BadCredential(f"the form has {len(found)} fields `{FIELD}`; it has to have one")
    return found[0].strip()


def _urlencoded(kind: str, body: bytes) -> list[tuple[str, str]]:
    if kind.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return []
    return parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS)


def _welcome(request: Request, made: NewRootLogin) -> Response:
    login = made.login
    if wants_page(request):
        # Its form goes to this service, and a browser names the origin of a form only where a page lets it.
        return shown(request, "root", "Signed in as root", login=login, token=made.token)
    return private(
        {
            "token": made.token,
            "loginId": login.id,
            "expiresAt": login.expires_at,
            "issuer": login.issuer,
            "credentialId": login.credential_id,
            "signer": login.signer.upper(),
        }
    )


def _client(request: Request) -> str:
    """The address of the client for the log. A proxy may forward any text as one."""
    host = request.client.host if request.client else ""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return "an unknown address"


def _refusal(request: Request) -> Response:
    error = Unauthenticated(INVALID)
    if wants_page(request):
        refused = shown(request, "root_refused", "No root login", message=INVALID, status=error.status)
        refused.headers.update({"Referrer-Policy": "no-referrer", **(error.headers or {})})
        return refused
    return status_response(error.status, error.code, error.message, headers=error.headers)
