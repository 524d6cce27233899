"""`/organizations/{organization}/zeroReasons`: work without ETV, by reason."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.figures.shapes import SUPPRESSED
from api.read.zero_reasons import zero_reasons
from api.read.zero_reasons.shapes import Work, ZeroReason, ZeroReasonWarning
from api.read.zero_reasons.zero_reasons import ZeroReasonQuery
from api.shapes import Days, Page
from api.v1.answers import answer_page

router = APIRouter(prefix="/organizations/{organization}/zeroReasons", tags=["zeroReasons"])


class ZeroReasonPage(Page, Days):
    """Work without ETV. `counted` and the reasons add up to `total`."""

    total: Work | None = Field(description="All delivered work; null with a `suppressedReason`.")
    counted: Work | None = Field(
        description="Counted work; null with a `suppressedReason`. It includes lines of classes with a weight "
        "of 0 (see the files of a commit)."
    )
    zero_reasons: list[ZeroReason] = Field(description="The reasons, by new lines, most first.")
    warnings: list[ZeroReasonWarning] = Field(
        description="Reasons that apply to more than a tenth of the commits or new lines of a repository that "
        "the caller can see. Merges and excluded repositories give no warning."
    )
    suppressed_reason: Literal["MINIMUM_GROUP_SIZE"] | None = SUPPRESSED


@router.get("", summary="Work without ETV", response_model=ZeroReasonPage)
async def list_zero_reasons(viewer: Viewer, query: Queried[ZeroReasonQuery], request: Request) -> Response:
    """Delivered work without ETV, by reason: the number of commits, file changes and new lines, their shares, and the
    five largest commits.

    Each commit, file change and new line has one reason: the first that applies. Work in a sandbox is left out,
    unless `repository` names the sandbox. Work of bots is included.

    In an organization with a minimum group size, the answer covers complete months and lists no commits. It is empty,
    with `suppressedReason`, when it would reveal the work of fewer people.
    """
    return await answer_page(request, viewer, query, "zeroReasons", zero_reasons.list_zero_reasons)
