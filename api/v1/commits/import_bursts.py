"""`/organizations/{organization}/importBursts`: imported code, and the decision to count it."""

from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CommitManager, ExclusionReader, ReadService
from api.control.commits import import_bursts
from api.control.commits.exclusions import MAX_NOTE_LENGTH, NamedCommit
from api.control.commits.import_bursts import BurstDecision, NamedBurst
from api.http.parameters import NoQuery
from api.http.responses import Continuation, private
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import Filter, Id, OrderBy, PageQuery, enum_name
from api.read.commits.import_bursts import (
    BURSTS,
    NEWEST_FIRST,
    BurstSelection,
    ImportBurst,
    burst_page,
    commits_of_burst,
    one_burst,
)
from api.read.entities import DEVELOPERS, REPOSITORIES
from api.read.ids import visible_ids, with_current_ids
from api.services import services
from api.shapes import Page, Shape
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/importBursts", tags=["commits"])

STATUSES = ("IMPORT", "WAITING_FOR_EVIDENCE", "COUNTED")
BurstPath = Annotated[str, Path(alias="burst", max_length=64, description="Id of the burst.")]
Status = Annotated[
    str, AfterValidator(enum_name(STATUSES)), Field(json_schema_extra={"enum": list(STATUSES)})
]


class ImportBurstPage(Page):
    """A page of bursts."""

    import_bursts: list[ImportBurst]


class ImportBurstQuery(PageQuery):
    """Parameters of the list."""

    status: list[Status] = Field(
        [], max_length=3, description="Only bursts with this status. Repeat the parameter for several."
    )
    repository: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of the repositories with the imported code. Repeat the parameter for several.",
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of developers. Repeat the parameter for several."
    )
    filter: Filter = ""
    order_by: OrderBy = ""


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

    import_burst_id: str
    counted_commit_count: int = Field(
        description="The number of its counted commits: those that a manual decision includes."
    )
    changed_commit_count: int = Field(
        description="The number of commits that this call made counted or excluded."
    )


@router.get(
    "",
    summary="Import bursts",
    operation_id="listImportBursts",
    response_model=ImportBurstPage,
)
async def list_import_bursts(
    reader: ExclusionReader,
    query: Annotated[ImportBurstQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """Groups of commits that brought existing code into a repository, newest first. Such commits have no ETV.

    Each burst is the work of one developer. In an organization that hides individual figures, the answer is therefore
    PERMISSION_DENIED.
    """
    access = RowAccess.of(reader.organization_id, reader.visibility)
    terms = parse_order(query.order_by, BURSTS, NEWEST_FIRST, BURSTS["id"])
    condition = parse_filter(query.filter, BURSTS)
    digest = query.digest("import-bursts", access.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = BurstSelection(
            statuses=tuple(query.status),
            repositories=visible_ids(build, access, REPOSITORIES, query.repository),
            developers=visible_ids(build, access, DEVELOPERS, query.developer),
        )
        named = with_current_ids(build, condition)
        found = burst_page(build, access, selection, terms, named, query.limit, position)
        return {
            "importBursts": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, access, read, Continuation(query.page_token, digest))


@router.get("/{burst}", summary="One import burst", operation_id="getImportBurst", response_model=ImportBurst)
async def get_import_burst(
    reader: ExclusionReader,
    burst_id: BurstPath,
    _: Annotated[NoQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """An import burst with its evidence."""
    access = RowAccess.of(reader.organization_id, reader.visibility)
    return await reads.answer(request, access, lambda build, _position: one_burst(build, access, burst_id))


@router.post(
    "/{burst}:include",
    summary="Count an import burst",
    operation_id="includeImportBurst",
    response_model=ImportBurstDecision,
)
async def include_import_burst(
    manager: CommitManager,
    burst_id: BurstPath,
    body: BurstInclusion,
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """Count all commits of a burst as the developer's own work. The decision covers the commits that the burst has in
    the newest build, but no commits of later builds.

    Manually excluded commits stay excluded.
    """
    store, organization = services(request).store, manager.organization_id
    burst = await _named(request, organization, burst_id)
    made = await run_sync(
        import_bursts.include_burst, store, manager.principal, organization, burst, body.reason
    )
    return private(_shown(made))


@router.post(
    "/{burst}:undo",
    summary="Undo the decision about an import burst",
    operation_id="undoImportBurst",
    response_model=ImportBurstDecision,
)
async def undo_import_burst(
    manager: CommitManager, burst_id: BurstPath, _: Annotated[NoQuery, Query()], request: Request
) -> Response:
    """Undo the decision about a burst. The rules apply to its commits again; a manual decision about a single commit
    stays.
    """
    store, organization = services(request).store, manager.organization_id
    burst = await _named(request, organization, burst_id)
    made = await run_sync(import_bursts.undo_burst, store, manager.principal, organization, burst)
    return private(_shown(made))


async def _named(request: Request, organization_id: str, burst_id: str) -> NamedBurst:
    """The burst in the newest build. Callers who decide about commits see all of them."""
    access = RowAccess(organization_id)
    rows = await services(request).reads.value(
        access, lambda build: commits_of_burst(build, access, burst_id)
    )
    commits = [
        NamedCommit(
            row["commit_id"], row["commit_sha"], row["repository_id"], row["subject"], row["zero_reason"]
        )
        for row in rows
    ]
    return NamedBurst(burst_id.lower(), commits)


def _shown(one: BurstDecision) -> dict[str, Any]:
    return {
        "importBurstId": one.burst_id,
        "countedCommitCount": one.counted_commits,
        "changedCommitCount": one.changed_commits,
    }
