"""Bursts of commits that imported code, as the newest build found them.

Keep out: the rules (dbt models `int_exclusions__*`) and decisions about a burst (control/commits/import_bursts.py).
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from api.access.row_access import RowAccess
from api.errors import NotFound
from api.query.columns import select_list
from api.query.conditions import TRUE, Condition, named, one_of, selected
from api.query.fields import Id, Micro, Stored, columns_of
from api.query.pages import Page, Position
from api.query.parameters import Filter, OneOf, OrderBy, PageQuery, several
from api.query.parameters import Id as GivenId
from api.read.entities import DEVELOPERS, REPOSITORIES
from api.read.ids import visible_ids
from api.read.lists import Listing
from api.shapes import Shape
from api.snapshot.build import Build, Row


class ImportBurst(Shape):
    """Commits that brought in existing code, with the evidence. For the commits, use
    `…/commits?filter=importBurstId="{id}"`.
    """

    id: Annotated[Id, Stored("burst_id")]
    rule: Literal["UNRELATED_ROOT", "FIRST_COMMIT", "SUBTREE", "ONE_COMMIT", "HOUR", "DAY", "FORTNIGHT"] = (
        Field(
            description="The rule that found the burst: an imported history (UNRELATED_ROOT), a first commit, one "
            "commit, or much new code within an hour, a day or a fortnight."
        )
    )
    status: Literal["IMPORT", "WAITING_FOR_EVIDENCE", "COUNTED"] = Field(
        description="The status in the newest build. WAITING_FOR_EVIDENCE: rework until `evidenceUntil` can "
        "still show that the code is own work. COUNTED: a manual decision counts all commits of "
        "the burst."
    )
    developer_id: Id = Field(description="The developer who brought in the code.")
    developer_name: str = Field(examples=["Ada Lovelace"])
    repository_ids: list[str] = Field(description="The repositories with the code.")
    first_commit_id: Id
    first_commit_sha: str
    first_subject: str = Field(examples=["Import the parser of 2019"])
    started_at: datetime = Field(description="Author time of the first commit.")
    ended_at: datetime = Field(description="Author time of the last commit.")
    evidence_until: datetime | None = Field(
        description="The end of the wait for evidence; null when no commit waits."
    )
    commit_count: int = Field(description="The number of all commits of the burst, excluded ones included.")
    counted_commit_count: int = Field(
        description="The number of its counted commits: those that a manual decision includes."
    )
    file_count: int = Field(description="The number of files that the commits added.")
    novel_lines: int = Field(
        description="Novel lines of the commits; lines of tests, documents and data count a quarter."
    )
    arrived_lines: int = Field(description="The part of `novelLines` in added files.")
    reworked_share: Micro | None = Field(
        description="The share of `arrivedLines` in files that the same developer reworked: changed by at "
        "least a tenth, between an hour and two weeks later. 0 to 1; null without arrived lines."
    )
    worked_share: Micro | None = Field(
        description="Changes of existing files by the same developer between `startedAt` and `endedAt`, "
        "divided by these changes plus added files. 0 to 1; null for single commits and "
        "histories."
    )
    calculation_version: str


COLUMNS = columns_of(ImportBurst)
BURSTS = Listing(COLUMNS, "startedAt desc", (COLUMNS["id"],))
# Each burst names the person who imported the code.
WHAT = "imported code"


class ImportBurstQuery(PageQuery):
    """Parameters of the list."""

    status: list[Annotated[str, OneOf("IMPORT", "WAITING_FOR_EVIDENCE", "COUNTED")]] = Field(
        [], max_length=3, description="Only bursts with this status. Repeat the parameter for several."
    )
    repository: list[GivenId] = several("Ids of the repositories with the imported code.")
    developer: list[GivenId] = several("Ids of developers.")
    filter: Filter = ""
    order_by: OrderBy = ""


def list_import_bursts(
    build: Build, access: RowAccess, query: ImportBurstQuery, position: Position | None
) -> Page:
    """A page of the selected bursts. Default order: newest first.

    Raises InvalidArgument, NotFound for an unknown id, and PermissionDenied where not all rows are visible.
    """
    access.refuse_unless_whole(WHAT)
    repositories = visible_ids(build, access, REPOSITORIES, query.repository)
    marks = ", ".join("?" for _ in repositories)
    return BURSTS.page(
        build,
        query,
        position,
        access.table(build, "import_bursts"),
        named("lower(status)", query.status),
        Condition(f"list_has_any(repository_ids, [{marks}])", repositories) if repositories else TRUE,
        selected("developer_id", visible_ids(build, access, DEVELOPERS, query.developer)),
    )


def get_import_burst(build: Build, access: RowAccess, burst: str) -> Row:
    """A burst with its evidence. Raises NotFound, and PermissionDenied where not all rows are visible."""
    access.refuse_unless_whole(WHAT)
    table = access.table(build, "import_bursts")
    rows = build.rows(
        f"select {select_list(COLUMNS.values())} from {table} where {one_of('burst_id', [burst]).sql}"
    )
    if not rows:
        raise NotFound(
            f"no import burst {burst!r} in the newest build of this organization; …/importBursts lists them"
        )
    return rows[0]


def commits_of_burst(build: Build, access: RowAccess, burst_id: str) -> list[Row]:
    """The commits of a burst as decisions name them; empty for a burst that the build does not know."""
    return build.rows(
        "select commit_id, commit_sha, repository_id, subject, zero_reason "
        f"from {access.table(build, 'commits_by_time')} where {one_of('import_burst_id', [burst_id]).sql} "
        "order by commit_id"
    )
