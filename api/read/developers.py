"""Developers with their figures over a range, and the addresses of each."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Kind, camel
from api.query.fields import Id, Stored, reordered
from api.query.pages import Page, Position
from api.query.parameters import FigureQuery, RangeQuery
from api.read.benchmarks.groups import Reference
from api.read.entities import DEVELOPERS
from api.read.figures.entities import entity_page, one_entity
from api.read.figures.shapes import Figures, entity_columns
from api.shapes import Shape
from api.snapshot.build import Build, Row


class ListedDeveloper(Figures):
    """A developer with figures for the range of days."""

    id: Annotated[Id, Stored("developer_id")] = Field(examples=["0d8c4fa5-6c3e-57c0-9f43-0d5b2f6a7f10"])
    name: str = Field(examples=["Ada Lovelace"])
    primary_email: str | None = Field(examples=["ada@acme.example"])
    is_bot: bool = Field(
        description="true: an automatic account. Lists show its figures; totals leave them out."
    )
    bot_reason: str | None = Field(description="The evidence for a bot; null for humans.")
    kind: Literal["HUMAN", "BOT"] | None = Field(
        description="The manually chosen kind; null: `isBot` is detected automatically."
    )
    role: str | None = Field(examples=["Backend engineer"])
    seniority: str | None = Field(
        description="JUNIOR, MEDIOR, SENIOR, or a level that the organization defines.", examples=["SENIOR"]
    )
    joining_date: Annotated[date, Stored("joined_on")] | None = Field(description="First day of employment.")
    probation_end_date: Annotated[date, Stored("probation_ends_on")] | None
    leaving_date: Annotated[date, Stored("left_on")] | None = Field(description="Last day of employment.")
    avatar_url: str | None = Field(description="URL of a picture. The service never fetches it.")
    team_id: Id | None = Field(description="The team on the day of the build.")
    team_name: Annotated[str, Stored("team")] | None
    commit_count: int | None = Field(
        description="Commits of all time, excluded ones included. In an organization that hides "
        "individual figures, this field and "
        "the next three are null."
    )
    delivered_commit_count: int | None = Field(
        description="Commits of all time that were delivered to the default branch, excluded ones included."
    )
    first_delivered_at: datetime | None
    last_delivered_at: datetime | None
    calculation_version: str


class Address(Shape):
    """An address of the developer."""

    id: str | None = Field(
        description="Names that differ only in case or accents have the same id. Null for a team lead, and in "
        "an organization that hides individual figures."
    )
    name: str
    email: str
    reason: str = Field(
        description="The reason for assigning the address to the developer. FIRST_USED, SAME_ADDRESS, "
        "SAME_LOGIN, MAILMAP, SAME_FULL_NAME, NAME_IS_LOGIN (the display name is the login in "
        "a host's noreply address) and COMMON_ROW (all AI agents are one row) are rules; MERGED and SPLIT are manual "
        "decisions. Anybody can write the data for MAILMAP, SAME_FULL_NAME and NAME_IS_LOGIN into Git, so these rules "
        "never assign an address that a member or a connected host vouches for."
    )
    commits: int | None = Field(
        description="The number of commits of all time with this address, excluded ones included. Null for a team lead."
    )


class MergeCandidate(Shape):
    """Another developer that may be the same person. A suggestion changes no figures."""

    developer_id: str
    reason: str


class Developer(ListedDeveloper):
    """A developer with figures for the range of days, and with all names and email addresses."""

    addresses: Annotated[list[Address], Kind.LIST]
    merge_suggestions: Annotated[list[MergeCandidate], Kind.LIST] = Field(
        description="Other developers that may be the same person. Only owners and admins see them; empty for "
        "other callers."
    )


# Answers have their keys in an earlier order than the OpenAPI document, because clients may rely on it.
COLUMNS = reordered(
    entity_columns(ListedDeveloper),
    ["commitCount", "deliveredCommitCount", "firstDeliveredAt", "lastDeliveredAt"],
    before="kind",
)
WITH_IDENTITY = COLUMNS | entity_columns(Developer)
SEARCHED = ("name", "primary_email")


def list_developers(
    build: Build,
    access: RowAccess,
    query: FigureQuery,
    position: Position | None,
    benchmark: Reference | None = None,
) -> Page:
    """A page of developers with their figures. Raises InvalidArgument."""
    return entity_page(build, access, DEVELOPERS, COLUMNS, SEARCHED, query, position, benchmark)


def get_developer(build: Build, access: RowAccess, query: RangeQuery, developer: str) -> Row:
    """The developer of this id, also a former one, with figures and addresses. Raises InvalidArgument, and the error of
    `RowAccess.unknown`.
    """
    found = one_entity(build, access, DEVELOPERS, WITH_IDENTITY, query, developer)
    found["addresses"] = [
        {"id": entry.get("address_id")} | {key: entry[key] for key in ("name", "email", "reason", "commits")}
        for entry in found["addresses"]
    ]
    found["mergeSuggestions"] = [
        {camel(key): value for key, value in entry.items()} for entry in found["mergeSuggestions"]
    ]
    return found
