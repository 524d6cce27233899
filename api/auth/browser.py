"""The cookies of a browser that signs in: which browser began, and the code of its end.

Keep out: the routes (identity_providers.py), sessions (web/sessions).
"""

import re
from datetime import timedelta
from urllib.parse import quote, unquote

from fastapi import Request
from starlette.responses import Response

from api.control.identity_providers.flows import CODE_LIFETIME, LIFETIME, new_browser
from api.services import Services

# The secret that binds a sign-in to this browser, and the one-time code of its end.
NAME, CODE = "eas_sign_in", "eas_code"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def is_secure(app: Services) -> bool:
    """Whether browsers reach the service by https alone."""
    return app.app_url.startswith("https://")


def named(app: Services, name: str) -> str:
    """The name of a cookie. With https its prefix keeps other hosts of the same domain from setting the cookie
    (RFC 6265bis, section 4.1.3.2).
    """
    return f"__Host-{name}" if is_secure(app) else name


def remember(app: Services, response: Response, name: str, value: str, lifetime: timedelta) -> Response:
    """Let the browser send a short text back until `lifetime` has passed, also when another host redirects to here.

    Scripts cannot read it.
    """
    response.set_cookie(
        named(app, name),
        quote(value, safe=""),
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=is_secure(app),
        httponly=True,
        samesite="lax",
    )
    return response


def remembered(app: Services, request: Request, name: str) -> str:
    """The text that the browser was told to remember; empty without one."""
    return unquote(request.cookies.get(named(app, name), ""))


def forget(app: Services, response: Response, name: str) -> None:
    """Let the browser forget a text."""
    response.delete_cookie(named(app, name), path="/", secure=is_secure(app), httponly=True, samesite="lax")


def known_browser(app: Services, request: Request) -> str:
    """The secret of the browser; empty without its cookie."""
    found = remembered(app, request, NAME)
    return found if SECRET.fullmatch(found) else ""


def browser_of(app: Services, request: Request) -> str:
    """The secret of the browser, which tabs share, or a new one."""
    return known_browser(app, request) or new_browser()


def remember_browser(app: Services, response: Response, browser: str) -> Response:
    """Keep the secret of the browser until a flow ends."""
    return remember(app, response, NAME, browser, LIFETIME)


def hand_over(app: Services, response: Response, code: str) -> Response:
    """Give the browser the one-time code for the page that exchanges it, which sees no part after a `#`."""
    return remember(app, response, CODE, code, CODE_LIFETIME)
