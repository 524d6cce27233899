"""Pages made of templates, with the headers that keep a browser from running anything but the scripts of assets.py.

Templates escape everything that is not marked as HTML here or by a macro. Keep out: what a page says.
"""

from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.operator.release import release
from api.web.drawing import share_bars, sums
from api.web.drawing.addresses import address, merged
from api.web.drawing.assets import HTMX, PLOTS, SCRIPT, STYLE
from api.web.drawing.bars import leading
from api.web.drawing.figures import FILTERS
from api.web.drawing.health import is_failing

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
    "Vary": "Cookie",
    "X-Content-Type-Options": "nosniff",
}


def page(template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """The page of a template."""
    text = templates().get_template(template).render(content)
    return HTMLResponse(text, status, headers=HEADERS)


def to_sign_in(request: Request, root: str) -> Response:
    """The way to the sign-in page, which comes back to the address of the request."""
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(
        f"{root}/signIn?{urlencode({'next': back})}", 303, headers={"Cache-Control": "no-store"}
    )


@cache
def templates() -> Environment:
    """The templates of the service with their filters."""
    made = Environment(
        loader=PackageLoader("api.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # A page extends and imports five templates; each would be looked at for a change.
        auto_reload=False,
    )
    made.filters.update(FILTERS | sums.FILTERS | share_bars.FILTERS)
    made.filters["merged"] = merged
    made.filters["leading"] = leading
    made.filters["pair"] = _pair
    made.tests["failing"] = is_failing
    made.globals.update(
        style=STYLE.address,
        scripts=(HTMX.address, SCRIPT.address),
        plots=PLOTS,
        release=release(),
        address=address,
    )
    return made


def _pair(row: dict[str, Any], value: str, label: str) -> tuple[Any, Any]:
    """An option of a choice: two fields of a row."""
    return row[value], row[label]
