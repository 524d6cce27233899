"""`/organizations/{organization}/importBursts`: imported code, and the decision to count it."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CommitManager, ExclusionReader
from api.control.commits import import_bursts
from api.control.commits.exclusions import MAX_NOTE_LENGTH, NamedCommit
from api.control.commits.import_bursts import NamedBurst
from api.http.parameters import NoQuery, Queried
from api.query.fields import Stored
from api.read.commits import import_bursts as bursts
from api.read.commits.import_bursts import ImportBurst, ImportBurstQuery
from api.services import services
from api.shapes import Shape, page_of
from api.v1.answers import answer_change, answer_item, answer_page
from api.v1.paths import BurstPath

router = APIRouter(prefix="/organizations/{organization}/importBursts", tags=["commits"])


ImportBurstPage = page_of("ImportBurstPage", "A page of bursts.", import_bursts=ImportBurst)


class BurstInclusion(Shape):
    """The reason for counting a burst as the developer's own work."""

    reason: str = Field(
        min_length=1,
        max_length=MAX_NOTE_LENGTH,
        description="The reason in words.",
        examples=["Written in another repository by the same team."],
    )


class ImportBurstDecision(Shape):
    """The effect of a decision about a burst. The next build applies it to the figures."""

    import_burst_id: Annotated[str, Stored("burst_id")]
    counted_commit_count: Annotated[int, Stored("counted_commits")] = Field(
        description="The number of its counted commits: those that a manual decision includes."
    )
    changed_commit_count: Annotated[int, Stored("changed_commits")] = Field(
        description="The number of commits that this call made counted or excluded."
    )


@router.get("", summary="Import bursts", response_model=ImportBurstPage)
async def list_import_bursts(
    reader: ExclusionReader, query: Queried[ImportBurstQuery], request: Request
) -> Response:
    """Groups of commits that brought existing code into a repository, newest first. Such commits have no ETV.

    Each burst is the work of one developer. In an organization that hides individual figures, the answer is therefore
    PERMISSION_DENIED.
    """
    access = RowAccess.of(reader.organization_id, reader.visibility)
    return await answer_page(request, access, query, "importBursts", bursts.list_import_bursts)


@router.get("/{burst}", summary="One import burst", response_model=ImportBurst)
async def get_import_burst(
    reader: ExclusionReader, burst_id: BurstPath, _: NoQuery, request: Request
) -> Response:
    """An import burst with its evidence."""
    access = RowAccess.of(reader.organization_id, reader.visibility)
    return await answer_item(request, access, lambda build: bursts.get_import_burst(build, access, burst_id))


@router.post("/{burst}:include", summary="Count an import burst", response_model=ImportBurstDecision)
async def include_import_burst(
    manager: CommitManager, burst_id: BurstPath, body: BurstInclusion, _: NoQuery, request: Request
) -> Response:
    """Count all commits of a burst as the developer's own work. The decision covers the commits that the burst has in
    the newest build, but no commits of later builds.

    Manually excluded commits stay excluded.
    """
    organization = manager.organization_id
    burst = await _named(request, organization, burst_id)
    return await answer_change(
        request, manager, ImportBurstDecision, import_bursts.include_burst, burst, body.reason
    )


@router.post(
    "/{burst}:undo", summary="Undo the decision about an import burst", response_model=ImportBurstDecision
)
async def undo_import_burst(
    manager: CommitManager, burst_id: BurstPath, _: NoQuery, request: Request
) -> Response:
    """Undo the decision about a burst. The rules apply to its commits again; a manual decision about a single commit
    stays.
    """
    organization = manager.organization_id
    burst = await _named(request, organization, burst_id)
    return await answer_change(request, manager, ImportBurstDecision, import_bursts.undo_burst, burst)


async def _named(request: Request, organization_id: str, burst_id: str) -> NamedBurst:
    """The burst in the newest build. Callers who decide about commits see all of them."""
    access = RowAccess(organization_id)
    rows = await services(request).reads.value(
        access, lambda build: bursts.commits_of_burst(build, access, burst_id)
    )
    commits = [
        NamedCommit(
            row["commit_id"], row["commit_sha"], row["repository_id"], row["subject"], row["zero_reason"]
        )
        for row in rows
    ]
    return NamedBurst(burst_id.lower(), commits)
