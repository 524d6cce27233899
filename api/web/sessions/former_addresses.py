"""Addresses that mails and bookmarks from before the dashboard have. Browsers keep what follows the `#`.

Keep out: the pages.
"""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.callers.dependencies import AnybodyAtAll
from api.services import services
from api.web.frame import root_of

router = APIRouter(include_in_schema=False, prefix="/auth")


@router.get("/signIn")
@router.get("/signUp")
@router.get("/requestPasswordReset")
@router.get("/resetPassword")
@router.get("/verifyEmail")
@router.get("/invitation")
async def lead_on(_: AnybodyAtAll, request: Request) -> Response:
    """The way to the page of the same name."""
    query = f"?{request.url.query}" if request.url.query else ""
    name = request.url.path.rpartition("/")[2]
    return RedirectResponse(f"{root_of(services(request))}/{name}{query}", 301)
