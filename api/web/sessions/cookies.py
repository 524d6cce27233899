"""The session of a browser: a cookie out of reach of scripts, and the token that its forms send back. A second cookie
keeps the invitation of somebody who has to confirm an address first.

The cookie holds the token of a session of `/auth/signIn`, or of a root login. Keep out: beginning and ending sessions
(auth/sessions.py).
"""

import hashlib
import hmac
from datetime import datetime
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import Response

from api.auth.browser import is_secure, named
from api.control.accounts.links import LIFETIMES, Purpose
from api.control.accounts.root_logins import PREFIX as ROOT_PREFIX
from api.control.accounts.sessions import PREFIX
from api.control.accounts.tokens import signing_key
from api.errors import PermissionDenied
from api.services import Services

NAME = "eas_session"
SECURE_NAME = f"__Host-{NAME}"
INVITATION_NAME, INVITATION_PATH = "eas_invitation", "/verifyEmail"
MAX_LENGTH = 200
KEY = "forms"
FORGED = "this form did not come from a page of this service, or its session has ended; open the page again"


def session_of(app: Services, request: Request) -> str:
    """The token of the browser's session; empty without one."""
    found = request.cookies.get(named(app, NAME), "")
    is_one = found.startswith((PREFIX, ROOT_PREFIX)) and len(found) <= MAX_LENGTH and found.isascii()
    return found if is_one else ""


def is_root(session: str) -> bool:
    """Whether it is the token of a root login."""
    return session.startswith(ROOT_PREFIX)


def keep_session(app: Services, response: Response, token: str, expires_at: datetime) -> None:
    """Let the browser send the session with every request that begins at this service, until it expires."""
    response.set_cookie(
        named(app, NAME),
        token,
        expires=expires_at,
        path="/",
        secure=is_secure(app),
        httponly=True,
        samesite="lax",
    )


def drop_session(app: Services, response: Response) -> None:
    """Let the browser forget the session."""
    response.delete_cookie(named(app, NAME), path="/", secure=is_secure(app), httponly=True, samesite="lax")


def invitation_of(request: Request) -> str:
    """The secret of the invitation that this browser keeps until its address is confirmed; empty without one."""
    found = request.cookies.get(INVITATION_NAME, "")
    return found if len(found) <= MAX_LENGTH and found.isascii() and found.isprintable() else ""


def keep_invitation(app: Services, response: Response, secret: str) -> None:
    """Let the browser send the secret of an invitation to the page that confirms an address, as long as its link works.

    The page alone knows how to go on with it, so it holds no address that could lead elsewhere.
    """
    response.set_cookie(
        INVITATION_NAME,
        secret,
        max_age=int(LIFETIMES[Purpose.VERIFICATION].total_seconds()),
        path=_invitation_path(app),
        secure=is_secure(app),
        httponly=True,
        samesite="lax",
    )


def drop_invitation(app: Services, response: Response) -> None:
    """Let the browser forget the invitation."""
    response.delete_cookie(
        INVITATION_NAME, path=_invitation_path(app), secure=is_secure(app), httponly=True, samesite="lax"
    )


def _invitation_path(app: Services) -> str:
    return f"{urlsplit(app.app_url).path.rstrip('/')}{INVITATION_PATH}"


def form_token(app: Services, session: str) -> str:
    """What forms of a page send back: 64 hexadecimal digits that only this service can make of the session."""
    return hmac.new(signing_key(app.store, KEY), session.encode(), hashlib.sha256).hexdigest()


def refuse_forged(app: Services, request: Request, session: str, sent: str) -> None:
    """Raises PermissionDenied for a form that no page of this service sent (cross-site request forgery).

    Browsers name the origin of a form: the address of the service, or the host that the request itself went to. The
    token guards those that do not.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        own = (_host(app.app_url), (urlsplit(app.app_url).scheme, request.headers.get("host", "").lower()))
        if _host(origin) not in own:
            raise PermissionDenied(FORGED)
    if not hmac.compare_digest(form_token(app, session).encode(), sent.encode(errors="replace")):
        raise PermissionDenied(FORGED)


def _host(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.lower()
