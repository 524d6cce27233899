"""Lists of commits and the facts of one commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.fields import columns_of
from api.query.ordering import Term, parse_order
from api.query.pages import Page, Position, page
from api.read.commits.shapes import Commit
from api.snapshot.build import Build, Row

# Place in the order "newest delivery first, undelivered last, then id" of the copy that is read.
POSITION = Column("delivered_at", Kind.INTEGER, "position", is_row_number=True)

COLUMNS = columns_of(Commit)
NEWEST_FIRST = (Term(COLUMNS["deliveredAt"], True),)
_AS_COPIED = [("delivered_at", True), ("id", False)]


@dataclass(frozen=True, slots=True)
class CommitSelection:
    """The requested commits; None and empty mean all."""

    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()
    # Teams of the authors on the day of writing. The caller adds the sub-teams.
    teams: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    is_ai_assisted: bool | None = None
    is_counted: bool | None = None
    is_aligned: bool | None = None
    # Conditions on ids of commits, such as those of an issue.
    linked: tuple[Condition, ...] = ()
    search: str = ""


def commit_order(access: RowAccess, text: str) -> list[Term]:
    """The terms of an `orderBy`; the sort orders of the copies use row numbers. Raises InvalidArgument.

    A row number counts all commits, and page tokens are readable. A caller with restricted rows therefore pages by
    columns.
    """
    if not access.is_whole:
        return parse_order(text, COLUMNS, NEWEST_FIRST, COLUMNS["id"])
    terms = parse_order(text, COLUMNS, (), COLUMNS["id"])
    if not text.strip() or [(t.column.name, t.descending) for t in terms] == _AS_COPIED:
        return [Term(POSITION, False)]
    return terms


def _copy(selection: CommitSelection) -> str:
    """The copy in which the selected rows are adjacent.

    A person has fewer commits than a repository. For several repositories or people, only the copy by time is in
    order.
    """
    if len(selection.developers) == 1:
        return "commits_by_developer"
    if len(selection.repositories) == 1:
        return "commits_by_repository"
    return "commits_by_time"


def _condition(selection: CommitSelection) -> Condition:
    conditions = [TRUE]
    if selection.developers:
        conditions.append(one_of("developer_id", selection.developers))
    if selection.repositories:
        conditions.append(one_of("repository_id", selection.repositories))
    if selection.teams:
        conditions.append(one_of("team_id", selection.teams))
    if selection.categories:
        marks = ", ".join("?" for _ in selection.categories)
        conditions.append(
            Condition(f"category in ({marks})", tuple(category.lower() for category in selection.categories))
        )
    conditions.append(days("delivered_on", selection.first_day, selection.last_day))
    if selection.is_ai_assisted is not None:
        conditions.append(Condition("is_ai_assisted = ?", (selection.is_ai_assisted,)))
    if selection.is_counted is not None:
        conditions.append(Condition("is_counted = ?", (selection.is_counted,)))
    if selection.is_aligned is not None:
        conditions.append(Condition("is_aligned = ?", (selection.is_aligned,)))
    conditions += selection.linked
    if selection.search:
        conditions.append(
            Condition(
                "contains(lower(subject), lower(?)) or starts_with(commit_sha, lower(?))",
                (selection.search,) * 2,
            )
        )
    return both(*conditions)


def commit_page(
    build: Build,
    access: RowAccess,
    selection: CommitSelection,
    terms: list[Term],
    extra: Condition,
    limit: int,
    position: Position | None,
) -> Page:
    """One page of the selected commits."""
    return page(
        build,
        source=Condition(access.table(build, _copy(selection))),
        shown=COLUMNS.values(),
        condition=both(_condition(selection), extra),
        terms=terms,
        limit=limit,
        position=position,
    )


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
