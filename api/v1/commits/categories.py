"""`…/commits/{commit}:categorize`: the manual category of all changes of a commit."""

from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CommitManager
from api.control.commits import categories as commit_categories
from api.http.parameters import NoQuery
from api.http.responses import private
from api.query.parameters import Category
from api.read.commits.correction_targets import visible_commit
from api.read.commits.shapes import CategoryName
from api.services import services
from api.shapes import Shape
from api.v1.commits.commits import CommitPath

router = APIRouter(prefix="/organizations/{organization}", tags=["commits"])


class NewCategory(Shape):
    """The category of a commit."""

    category: Category | None = Field(
        description="Null removes the manual category; the rules then decide.", examples=["FIXES"]
    )


class CommitCategory(Shape):
    """The manual category of a commit. The next build applies it to the figures."""

    commit_id: str
    commit_sha: str
    category: CategoryName | None = Field(description="The manual category. Null: the rules decide.")


@router.post(
    "/commits/{commit}:categorize", summary="Set the category of a commit", response_model=CommitCategory
)
async def categorize_commit(
    manager: CommitManager, commit: CommitPath, body: NewCategory, _: NoQuery, request: Request
) -> Response:
    """Set the category of all file changes of a commit. Its ETV and the bugs traced to it stay the same."""
    app, whole = services(request), RowAccess(manager.organization_id)
    found = await app.reads.value(whole, lambda build: visible_commit(build, whole, commit))
    category = body.category.lower() if body.category else None
    actor, organization = manager.principal, whole.organization_id
    await run_sync(commit_categories.categorize, app.store, actor, organization, found, category)
    answer: dict[str, Any] = {"commitId": found.id, "commitSha": found.sha, "category": body.category}
    return private(answer)
