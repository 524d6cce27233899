"""The page that ends a subscription to summaries, by the link of a mail and without a sign-in.

Mail programs send the same POST when somebody clicks there (RFC 8058), from no page and without a redirect, so the form
needs no token of a session: the one in the address is proof. Scanners of mails only GET. The page names no
organization, because a mail may be forwarded. Keep out: links (control/summaries/unsubscribe_links.py).
"""

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Anybody
from api.control.errors import NotFound
from api.control.summaries.unsubscribe_links import end_subscription, is_made_here
from api.services import services
from api.web.sessions.entry import shown

router = APIRouter(include_in_schema=False, prefix="/auth")

TITLE = "Mails of summaries"
ASK = "Do you want no more mails of this subscription"
ENDED = "You get no more mails of this subscription. Your other subscriptions stay"
UNKNOWN = "This link ends no subscription. Open the whole address of the newest mail"


@router.get("/unsubscribe")
async def unsubscribe_page(_: Anybody, request: Request) -> Response:
    """A page with a button."""
    known = await run_sync(is_made_here, services(request).store, _token(request))
    return _page(request, ASK, asks=True) if known else _page(request, UNKNOWN, 404)


@router.post("/unsubscribe")
async def unsubscribe(_: Anybody, request: Request) -> Response:
    """End the subscription; a second time changes nothing."""
    try:
        await run_sync(end_subscription, services(request).store, _token(request))
    except NotFound:
        return _page(request, UNKNOWN, 404)
    return _page(request, ENDED)


def _page(request: Request, message: str, status: int = 200, *, asks: bool = False) -> Response:
    made = shown(request, "unsubscribe", TITLE, message=message, asks=asks, status=status)
    # The address is the key.
    made.headers["Referrer-Policy"] = "no-referrer"
    return made


def _token(request: Request) -> str:
    return request.query_params.get("token", "")
