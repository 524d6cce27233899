"""The cookie that binds a sign-in with an identity provider to one browser, and the pages for its failures.

Keep out: the routes (identity_providers.py), pages with scripts (sign_in_pages.py).
"""

import re
from html import escape
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from api.control.identity_providers.flows import LIFETIME, new_browser
from api.http.web_pages import web_page
from api.services import Services

# With https the prefix keeps other hosts of the same domain from setting the cookie (RFC 6265bis, section 4.1.3.2).
NAME, SECURE_NAME = "eas_sign_in", "__Host-eas_sign_in"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
REFERENCE = (
    "<p><small>If you ask your administrator, name the reference <code>{}</code>: it is in the log of the service."
    "</small></p>"
)


def known_browser(app: Services, request: Request) -> str:
    """The secret of the browser; empty without its cookie."""
    found = request.cookies.get(_name(app), "")
    return found if SECRET.fullmatch(found) else ""


def browser_of(app: Services, request: Request) -> str:
    """The secret of the browser, which tabs share, or a new one."""
    return known_browser(app, request) or new_browser()


def remember_browser(app: Services, response: Response, browser: str) -> Response:
    """Set the cookie: gone after a flow, sent back with the provider's redirect, out of reach of scripts."""
    response.set_cookie(
        _name(app),
        browser,
        max_age=int(LIFETIME.total_seconds()),
        path="/",
        secure=_is_secure(app),
        httponly=True,
        samesite="lax",
    )
    return response


def failure_page(
    app: Services,
    message: str,
    status: int,
    *,
    way_on: str = "Go to the sign-in page",
    organization: str | None = None,
    reference: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """A page with the reason of a failed sign-in, the reference of the line in the log, and a link to the sign-in page,
    of an organization where one is named.
    """
    sentence = message[:1].upper() + message[1:].rstrip(".") + "."
    link = f"{app.sign_in.app_url}/auth/signIn"
    if organization is not None:
        link += f"?{urlencode({'organization': organization})}"
    body = f'<p>{escape(sentence)}</p><p><a href="{escape(link)}">{escape(way_on)}</a></p>'
    if reference:
        body += REFERENCE.format(escape(reference))
    return web_page("Signing in failed", body, status, headers=headers)


def _is_secure(app: Services) -> bool:
    return app.sign_in.app_url.startswith("https://")


def _name(app: Services) -> str:
    return SECURE_NAME if _is_secure(app) else NAME
