"""The page that ends a subscription to summaries, by the link of a mail and without a sign-in.

Mail programs send the same POST when somebody clicks there (RFC 8058), and scanners of mails only GET. The page names
no organization: a mail may be forwarded. Keep out: links (control/summaries/unsubscribe_links.py).
"""

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from api.callers.dependencies import Anybody
from api.control.errors import NotFound
from api.control.summaries.unsubscribe_links import end_subscription, is_made_here
from api.http.web_pages import web_page
from api.services import services

router = APIRouter()

TITLE = "Mails of summaries"
ASK = (
    '<form method="post"><p>Do you want no more mails of this subscription?</p>'
    "<p><button>End these mails</button></p></form>"
)
ENDED = "<p>You get no more mails of this subscription. Your other subscriptions stay.</p>"
UNKNOWN = "<p>This link ends no subscription. Open the whole address of the newest mail.</p>"


@router.get("/unsubscribe", include_in_schema=False)
async def unsubscribe_page(_: Anybody, request: Request) -> HTMLResponse:
    """A page with a button."""
    known = await run_sync(is_made_here, services(request).store, _token(request))
    return web_page(TITLE, ASK, posts=True) if known else web_page(TITLE, UNKNOWN, 404)


@router.post("/unsubscribe", include_in_schema=False)
async def unsubscribe(_: Anybody, request: Request) -> HTMLResponse:
    """End the subscription; a second time changes nothing."""
    try:
        await run_sync(end_subscription, services(request).store, _token(request))
    except NotFound:
        return web_page(TITLE, UNKNOWN, 404)
    return web_page(TITLE, ENDED)


def _token(request: Request) -> str:
    return request.query_params.get("token", "")
