"""`/organizations/{organization}/developers`: the list with figures, and one developer."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.access.group_privacy.groups import shown_range
from api.access.row_access import RowAccess
from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import FigureQuery, RangeQuery
from api.http.responses import Continuation
from api.query.columns import camel
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.periods import Range
from api.read.developers import COLUMNS, IDENTITY, MOST_VALUE_FIRST, SEARCHED
from api.read.figures.entities import EntityQuery, entity_page, one_entity, shown_columns
from api.read.figures.figures import DEVELOPERS
from api.read.organizations import local_date
from api.shapes import Days, Page, Shape
from api.snapshot.builds import Build
from api.v1.figures import Figures, Totals

router = APIRouter(prefix="/organizations/{organization}/developers", tags=["developers"])


class ListedDeveloper(Figures):
    """A developer with figures for the range of days."""

    id: str = Field(examples=["0d8c4fa5-6c3e-57c0-9f43-0d5b2f6a7f10"])
    name: str = Field(examples=["Ada Lovelace"])
    primary_email: str | None = Field(examples=["ada@acme.example"])
    is_bot: bool = Field(description="Bots have figures of their own and do not count in totals.")
    bot_reason: str | None
    kind: Literal["HUMAN", "BOT"] | None = Field(description="The manual kind; null: as detected.")
    role: str | None = Field(examples=["Backend engineer"])
    seniority: str | None = Field(
        description="JUNIOR, MEDIOR, SENIOR, or a level of the organization.", examples=["SENIOR"]
    )
    joining_date: date | None = Field(description="First day of employment.")
    probation_end_date: date | None
    leaving_date: date | None = Field(description="Last day of employment.")
    avatar_url: str | None = Field(description="URL of a picture. The service never fetches it.")
    team_id: str | None = Field(description="The team on the day of the build.")
    team_name: str | None
    commit_count: int | None = Field(
        description="Commits of all time. Null, like the next three fields, without individual figures."
    )
    delivered_commit_count: int | None
    first_delivered_at: datetime | None
    last_delivered_at: datetime | None
    calculation_version: str


class Address(Shape):
    """An address of the developer."""

    id: str | None = Field(
        description="Names that differ only in case or accents share the id. Null for a team lead, "
        "and without individual figures."
    )
    name: str
    email: str
    reason: str = Field(
        description="Why the address belongs to the developer: FIRST_USED, SAME_ADDRESS, SAME_LOGIN, "
        "MAILMAP, SAME_FULL_NAME, NAME_IS_LOGIN (the display name is the login in a "
        "host's noreply address), or by decision MERGED or SPLIT. Anybody can write the "
        "data behind MAILMAP, SAME_FULL_NAME and NAME_IS_LOGIN into Git, so these never "
        "join an address that a member has verified."
    )
    commits: int | None = Field(description="Null for a team lead, who sees only commits of the led teams.")


class MergeCandidate(Shape):
    """Another developer who may be the same person. A suggestion alone does not merge anybody."""

    developer_id: str
    reason: str


class Developer(ListedDeveloper):
    """A developer with the addresses of the identity."""

    addresses: list[Address]
    merge_suggestions: list[MergeCandidate] = Field(description="Only for owners and admins; else empty.")


class DeveloperPage(Page, Days):
    """A page of developers."""

    developers: list[ListedDeveloper]
    totals: Totals


@router.get("", summary="Developers", operation_id="listDevelopers", response_model=DeveloperPage)
async def list_developers(
    viewer: Viewer, query: Annotated[FigureQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Developers with their figures for a range of days. Default order: most ETV first.

    Work in sandboxes does not count. Bots show their own figures and do not count in `totals`.
    """
    columns = shown_columns(viewer, DEVELOPERS, COLUMNS)
    terms = parse_order(query.order_by, columns, MOST_VALUE_FIRST, COLUMNS["id"])
    condition = parse_filter(query.filter, columns)
    digest = query.digest("developers", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        asked = EntityQuery(days, query.search, condition, terms, query.limit)
        found, totals = entity_page(build, viewer, DEVELOPERS, columns, SEARCHED, asked, position)
        return {
            "developers": found.rows,
            "totals": totals,
            "startDate": days.first,
            "endDate": days.last,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


@router.get("/{developer}", summary="One developer", operation_id="getDeveloper", response_model=Developer)
async def get_developer(
    viewer: Viewer,
    developer: Annotated[str, Path(max_length=64, description="Id of the developer.")],
    query: Annotated[RangeQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """A developer with figures for a range of days, and the addresses of the identity."""

    def read(build: Build, _: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        return shown_developer(build, viewer, days, developer)

    return await reads.answer(request, viewer, read)


def shown_developer(build: Build, viewer: RowAccess, days: Range, developer: str) -> dict[str, Any]:
    """A developer as answered. Raises NotFound, PermissionDenied."""
    found = one_entity(build, viewer, DEVELOPERS, COLUMNS | IDENTITY, days, developer)
    if found is None:
        raise viewer.unknown(f"developer {developer!r}")
    found["addresses"] = [
        {"id": entry.get("address_id")} | {key: entry[key] for key in ("name", "email", "reason", "commits")}
        for entry in found["addresses"]
    ]
    found["mergeSuggestions"] = [
        {camel(key): value for key, value in entry.items()} for entry in found["mergeSuggestions"]
    ]
    return found
