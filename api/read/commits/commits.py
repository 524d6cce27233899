"""Lists of commits and the facts of one commit."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind
from api.query.conditions import TRUE, Condition, days, flagged, named, one_of
from api.query.fields import columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position
from api.query.parameters import AuthoredQuery, Category, Day, Filter, Id, OrderBy
from api.query.periods import refuse_backwards
from api.read.alignment.issues import linked, visible_issue
from api.read.alignment.objectives import visible_objective
from api.read.commits.shapes import Commit
from api.read.ids import selected_entities
from api.read.lists import Listing
from api.snapshot.build import Build, Row

# Place in the order "newest delivery first, undelivered last, then id" of the copy that is read.
POSITION = Column("delivered_at", Kind.INTEGER, "position", is_row_number=True)

COLUMNS = columns_of(Commit)
COMMITS = Listing(COLUMNS, "deliveredAt desc", (COLUMNS["id"],))
_AS_COPIED = [("delivered_at", True), ("id", False)]
# A delivery counts at the time of its commit or later, unless that time is impossible (ingest/git/mainline_clock.py).
_MISDATED = (
    "coalesce(commit_sha = delivery_sha and (committed_at > delivered_at "
    "or committed_at < timestamptz '1980-01-01 00:00:00+00'), false)"
)


class CommitQuery(AuthoredQuery):
    """Parameters of the list of commits."""

    category: list[Category] = Field(
        [], max_length=5, description="Main categories. Repeat the parameter for several."
    )
    start_date: Day | None = Field(
        None, description="First day of delivery, in the organization's time zone."
    )
    end_date: Day | None = Field(None, description="Last day of delivery, included.")
    ai_assisted: bool | None = Field(
        None, description="true: only commits with evidence of AI assistance; false: only commits without."
    )
    counted: bool | None = Field(
        None,
        description="true: only counted commits; false: only commits that do not count (see `zeroReason`).",
    )
    aligned: bool | None = Field(
        None,
        description="true: only commits that belong to an issue of a tracker; false: only unaligned ones (see "
        "`alignmentReason`).",
    )
    reaches_objective: bool | None = Field(
        None,
        description="true: only commits of which an issue reaches an objective; false: only others. With "
        "`aligned=true`, false selects the commits whose issues have no objective above them.",
    )
    misdated: bool | None = Field(
        None,
        description="true: only deliveries whose clock was wrong, which count at the time of the commits beside; "
        "false: only other commits.",
    )
    issue: Id | None = Field(None, description="Id of an issue: only its commits.")
    objective: Id | None = Field(
        None, description="Id of an objective or sub-objective: only commits that reach it or one below it."
    )
    search: str = Field(
        "", max_length=200, description="Part of the subject (case-insensitive), or start of the SHA."
    )
    filter: Filter = ""
    order_by: OrderBy = ""


def list_commits(build: Build, access: RowAccess, query: CommitQuery, position: Position | None) -> Page:
    """A page of the selected commits. Default order: newest delivery first, undelivered commits last.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    refuse_backwards(query.start_date, query.end_date)
    access.refuse_closed("commits_by_time")
    terms = _order(access, query)
    return COMMITS.page(
        build,
        query,
        position,
        access.table(build, _copy(query)),
        selected_entities(build, access, query),
        named("category", query.category),
        days("delivered_on", query.start_date, query.end_date),
        flagged("is_ai_assisted", query.ai_assisted),
        flagged("is_counted", query.counted),
        flagged("is_aligned", query.aligned),
        flagged("reaches_objective", query.reaches_objective),
        flagged(_MISDATED, query.misdated),
        *_linked(build, access, query),
        _searched(query.search),
        terms=terms,
    )


def _order(access: RowAccess, query: CommitQuery) -> list[Term]:
    """The order of a query; the sort orders of the copies use row numbers.

    A row number counts all commits, and page tokens are readable. A caller with restricted rows therefore pages by
    columns.
    """
    terms = COMMITS.terms(query)
    in_copy = [(term.column.name, term.descending) for term in terms] == _AS_COPIED
    return [Term(POSITION, False)] if in_copy and access.is_whole else terms


def _copy(query: CommitQuery) -> str:
    """The copy in which the selected rows are adjacent.

    A person has fewer commits than a repository. For several repositories or people, only the copy by time is in
    order. Issues and objectives know the places of their commits in it.
    """
    if query.issue is not None or query.objective is not None:
        return "commits_by_time"
    if len(query.developer) == 1:
        return "commits_by_developer"
    if len(query.repository) == 1:
        return "commits_by_repository"
    return "commits_by_time"


def _linked(build: Build, access: RowAccess, query: CommitQuery) -> Iterator[Condition]:
    """The conditions of an issue and of an objective. Raises the error of `RowAccess.unknown`."""
    if query.issue is not None:
        yield linked(build, access, visible_issue(build, access, query.issue), and_parts=False)
    if query.objective is not None:
        yield linked(build, access, visible_objective(build, access, query.objective), and_parts=True)


def _searched(search: str) -> Condition:
    if not search:
        return TRUE
    return Condition("contains(lower(subject), lower(?)) or starts_with(commit_sha, lower(?))", (search,) * 2)


def named_commits(build: Build, access: RowAccess, wanted: Sequence[str]) -> dict[str, Row]:
    """The known commits among these, by id, with their name, repository and zero reason."""
    row_numbers = build.rows(
        f"select position from {access.table(build, 'commit_numbers')} where {one_of('commit_id', wanted).sql}"
    )
    if not row_numbers:
        return {}
    positions = ", ".join(str(int(row["position"])) for row in row_numbers)
    rows = build.rows(
        "select commit_id, commit_sha, repository_id, subject, zero_reason "
        f"from {access.table(build, 'commits_by_time')} where position in ({positions})"
    )
    return {row["commit_id"]: row for row in rows}
