"""Shapes of repositories in administration: added, listed by state, changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    InstanceOf,
    ValidationError,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from api.control.repositories.repositories import RepositoryState
from api.control.repositories.settings import MAX_BRANCH_LENGTH, MAX_TAG_LENGTH, MAX_TAGS
from api.errors import InvalidArgument
from api.http.statuses import invalid_item
from api.http.values import Flag, Instant
from api.query.fields import Stored
from api.query.parameters import ControlQuery, Id, OneOf, Search
from api.shapes import ItemStatus, Page, Shape
from ingest.probe import MAX_ADDRESS_LENGTH

STATES = tuple(RepositoryState)
MAX_ADDED = 500
MAX_NAME_LENGTH = 255
Tag = Annotated[str, Field(max_length=MAX_TAG_LENGTH)]
Start = Annotated[
    Instant | None,
    Field(
        description="Commits delivered earlier get no score. Null: the organization's default applies.",
        examples=[None],
    ),
]
Branch = Annotated[
    str | None,
    Field(
        max_length=MAX_BRANCH_LENGTH,
        description="Short name of the default branch; null: the default branch of the Git host.",
        examples=[None],
    ),
]


class RepositoryToAdd(Shape):
    """A repository to add."""

    address: str | None = Field(
        None,
        max_length=MAX_ADDRESS_LENGTH,
        description="https or ssh, without credentials. Give either an address, or connection and providerId.",
        examples=["https://git.example/acme/web"],
    )
    connection: Id | None = Field(
        None, description="Id of a connection to a Git host; its token reads the repository.", examples=[None]
    )
    provider_id: str | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="Id of a repository that `repositories:available` lists.",
        examples=[None],
    )
    name: str | None = Field(
        None,
        max_length=MAX_NAME_LENGTH,
        description="Default: owner and name from the address, with the host where another repository has them.",
        examples=[None],
    )
    analysis_start_time: Start = None
    default_branch: Branch = None
    tags: list[Tag] = Field(
        [], max_length=MAX_TAGS, description="Words for grouping repositories, each only once."
    )
    is_sandbox: Flag = Field(False, description="true: totals leave out its work.")
    is_excluded: Flag = Field(False, description="true: every metric leaves out its work.")


@dataclass(frozen=True, slots=True)
class Malformed:
    """An item of a selection that is no repository to add, and why."""

    address: str
    refusal: InvalidArgument


def _by_itself(value: Any) -> Any:
    """Validate one item. A malformed object fails alone; anything but an object fails the whole call."""
    if not isinstance(value, dict):
        raise PydanticCustomError("model_type", "must be an object")
    address = value.get("address")
    named = address if isinstance(address, str) else ""
    try:
        wanted = RepositoryToAdd.model_validate(value)
    except ValidationError as error:
        return Malformed(named, invalid_item(error))
    ways = (wanted.address is not None, wanted.connection is not None, wanted.provider_id is not None)
    if ways not in ((True, False, False), (False, True, True)):
        return Malformed(
            named, InvalidArgument("address", "give either address, or connection and providerId")
        )
    return wanted


class Selection(Shape):
    """Repositories to add. Each succeeds or fails on its own."""

    repositories: list[
        Annotated[RepositoryToAdd | SkipJsonSchema[InstanceOf[Malformed]], BeforeValidator(_by_itself)]
    ] = Field(min_length=1, max_length=MAX_ADDED)


class RepositorySettings(Shape):
    """A repository with its settings and sync status."""

    id: str
    name: str = Field(examples=["acme/web"])
    origin: str = Field(
        description="Address without scheme, credentials and `.git`: the identity of the repository.",
        examples=["git.example/acme/web"],
    )
    address: str | None = Field(
        description="The address to fetch from; null: the operator gave it on the command line."
    )
    tags: list[str] = Field(examples=[["backend"]])
    connection_id: str | None = Field(
        description="The connection with the token that reads the repository; null: read without one."
    )
    provider_id: str | None = Field(description="The id of the repository at the connection.")
    analysis_start_time: Annotated[datetime | None, Stored("analysis_start_at")] = Field(
        description="The repository's own; null: it has none."
    )
    applied_analysis_start_time: datetime | None = Field(
        description="The start that applies: the repository's own, else the organization's default; null: all commits."
    )
    default_branch: Annotated[str | None, Stored("chosen_branch")] = Field(
        description="Short name of the chosen default branch; null: the default branch of the Git host."
    )
    is_sandbox: bool = Field(
        description="true: a sandbox. It has a list of its own, and totals leave out its work."
    )
    is_excluded: bool = Field(description="true: every metric leaves out its work.")
    is_disabled: bool = Field(description="true: the service no longer analyses the repository.")
    is_stopped: bool = Field(
        description="true: the service does not analyse the repository until somebody changes its settings."
    )
    health: Literal["PENDING", "HEALTHY", "FAILING"] = Field(
        description="The outcome of the last attempt to fetch and analyse the repository, and FAILING while its "
        "connection fails; PENDING before the first attempt."
    )
    failure: str | None = Field(description="The reason for the failure; null after success.")
    failed_at: datetime | None
    analyzed_at: datetime | None = Field(description="The last successful analysis.")
    commit_total: int | None = Field(
        description="The number of commits that the analysis found, excluded ones included. Null before "
        "the first analysis, and when "
        "the minimum group size hides it from the caller."
    )
    created_at: datetime


class AddedRepository(Shape):
    """The outcome for one repository of a bulk call."""

    address: str | None = Field(
        description="The address from the request; null when it contains a secret or is malformed."
    )
    provider_id: str | None = Field(description="The id from the request; null for an address.")
    status: ItemStatus
    repository: RepositorySettings | None


class AddedRepositories(Shape):
    """The outcome for each repository, in the given order."""

    results: list[AddedRepository]


class StateCounts(Shape):
    """The number of repositories on each list."""

    all: int = Field(description="All repositories except sandboxes.")
    active: int = Field(
        description="Repositories that are not disabled, including unreadable and stopped ones."
    )
    disabled: int = Field(description="Disabled repositories, which the service does not analyse.")
    needs_attention: int = Field(description="The active repositories that are unreadable or stopped.")
    sandbox: int = Field(description="Sandboxes; no other number includes them.")


class ManagedPage(Page):
    """A page of one list."""

    repositories: list[RepositorySettings]
    counts: StateCounts


class ManagedQuery(ControlQuery):
    """The requested list."""

    state: Annotated[
        str,
        OneOf(*STATES),
        Field(
            description="NEEDS_ATTENTION: unreadable or stopped repositories, and those of failing connections. "
            "SANDBOX: all sandboxes; no other state includes a sandbox.",
        ),
    ] = "ALL"
    search: Search = ""


class RepositoryChange(Shape):
    """Changes to a repository."""

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = None
    analysis_start_time: Start = None
    default_branch: Branch = None
    tags: list[Tag] = Field(
        [], max_length=MAX_TAGS, description="Words for grouping repositories, each only once."
    )
    is_sandbox: Flag = Field(False, description="true: totals leave out its work.")
    is_excluded: Flag = Field(False, description="true: every metric leaves out its work.")
    is_disabled: Flag = Field(False, description="true: the service no longer analyses the repository.")
    is_stopped: Flag = Field(
        False,
        description="true: the service does not analyse the repository until somebody changes its settings.",
    )
