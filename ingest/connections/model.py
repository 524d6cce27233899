"""A provider as the rest of `ingest` knows it: a connection to check, and streams of rows to read.

Add: facts that every provider has. Keep out: requests and paging (`ingest.http`), batches and positions (`sync`), one
category (`git_hosts`, `trackers`), one provider (`ingest.providers`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol

from ingest.connections.news import News
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.rate_limits import RateLimits
from ingest.schemas.category import Category


class Record(Protocol):
    """A row of a raw table as an object: a dataclass with its columns but for those of the source (`rows`)."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def provider_id(self) -> str:
        """The id of the entity at the provider."""

    @property
    def updated_at(self) -> datetime | None:
        """The last change that the provider names."""


@dataclass(frozen=True)
class Connection:
    """A connection with its secret. `address` has no trailing slash; `user` is an email address or login, or empty.

    `options` are what the kind needs beyond that, such as `workspace` or `projects`.
    """

    id: str
    organization_id: str
    kind: str
    address: str
    secret: str = field(repr=False)
    user: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WantedRepository:
    """A repository of the organization, which pull requests and issues of this connection may belong to.

    `origin` is the normalized remote URL (`host/owner/name`). `provider_id` is known after the first match.
    """

    repository_id: str
    origin: str
    provider_id: str | None = None


@dataclass(frozen=True)
class Checked:
    """The answer to a check of a connection.

    `account` is the login or name behind the token. `expires_at` is None if the token has no end or hides it.
    `warnings` are sentences for the user, such as a token that ends soon or a part that the plan lacks.
    """

    account: str
    expires_at: datetime | None = None
    warnings: tuple[str, ...] = ()


def other_system(title: str, address: str) -> ProviderRefused:
    """The refusal of an answer that names nobody: another system answers at the address."""
    return ProviderRefused(
        Refusal.BAD_ADDRESS,
        f"{address} answers, but not as {title} does: enter the address that you open in the browser.",
    )


@dataclass(frozen=True)
class Deferred:
    """A row that is read on demand: `read` parses it, or asks the provider for its details first.

    A row that cannot be read is counted and shown, and does not stop the others. `version` is whatever changes with
    the row in a listing: the row is not read if the lake has it in this version (None: it is always read).
    `provider_id` is None where a provider hides which row is missing.
    """

    provider_id: str | None
    read: Callable[[], Record]
    version: Any = None
    updated_at: datetime | None = None


@dataclass(frozen=True)
class Slice:
    """Rows of one page or more, and the cursor to continue after them; None after the last one.

    A cursor is text of the provider's module and outlives the process. `failures` are messages about rows that could
    not be read, by provider id: they are counted, and what the lake has of them stays. `notes` are sentences by
    subject about parts that the provider's plan lacks; they are shown, and the pass is complete without them.
    `deleted` are ids of rows that the provider itself names as deleted; it may name rows that nobody knows.
    `reached` is the time of changes up to which the pass has read, where rows alone do not tell it. `periods` are those
    that end with this slice: a row of theirs which no slice had since the last such one is gone.
    """

    rows: Sequence[Record | Deferred]
    cursor: str | None
    failures: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    deleted: Sequence[str] = ()
    reached: datetime | None = None
    periods: Sequence[str] = ()


@dataclass(frozen=True)
class Stream:
    """Rows of one table that have one watermark, such as the pull requests of one repository.

    `read(since, cursor)` yields slices: of rows changed at or after `since` (None: all), from the start or after
    `cursor`. Each row appears once in a pass or more often; the last one counts. `list_ids` yields the ids of all
    rows that exist, for a sweep; None if a pass with `since=None` is the sweep. `version` is whatever changes with
    each change of a row, if the provider tells it for many streams at once: a pass is left out while it stays. `newest`
    is the time of the newest change that it tells of, without which no pass is complete. `news` is a question for the
    changes in many streams: a pass is left out while the answer lacks this one. `forgets_old` says that the provider
    lists the last months alone, so that what it no longer lists stays. `period_of` names the period of an id, such as
    its day, for slices with `periods`.
    """

    name: str
    table: str
    read: Callable[[datetime | None, str | None], Iterator[Slice]]
    list_ids: Callable[[], Iterator[str]] | None = None
    is_incremental: bool = True
    overlap: timedelta = timedelta(minutes=5)
    version: Any = None
    newest: datetime | None = None
    news: News | None = None
    forgets_old: bool = False
    period_of: Callable[[str], str | None] | None = None


class Provider(ABC):
    """One kind of system. A module has one subclass, which `ingest.providers.registry` lists."""

    kind: ClassVar[str]
    """In upper case, as the API has it: GITHUB."""
    title: ClassVar[str]
    """As people write it: GitHub."""
    category: ClassVar[Category]
    default_address: ClassVar[str | None] = None
    """The address of the cloud service; None if every customer has an address of their own."""
    is_single_service: ClassVar[bool] = False
    """True if no customer runs a server of their own, so that the default address is the only one."""
    needs_user: ClassVar[bool] = False
    """True if a token is used with an email address or login."""
    needs_secret: ClassVar[bool] = True
    """False if servers exist that ask nobody for a key."""
    options: ClassVar[Mapping[str, str]] = {}
    """Names of options and their descriptions."""
    rate_limits: ClassVar[RateLimits] = RateLimits()
    """Headers in which the provider states its limits."""
    levels: ClassVar[Mapping[str, str]] = {}
    """The level of each kind of item: objective, sub_objective, issue or ignored. Other kinds are issues."""
    levels_are_editable: ClassVar[bool] = False

    @abstractmethod
    def login(self, connection: Connection) -> Login:
        """The address and headers of requests of this connection."""

    @abstractmethod
    def check(self, client: Client, connection: Connection) -> Checked:
        """Try the token. Raises ProviderRefused with a sentence for the dialog in which the user adds the token,
        RateLimited and Transient.
        """

    @abstractmethod
    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        """The streams of this connection, in the order in which they are read.

        A stream may depend on rows of an earlier one: it is asked for after that one was read. Repositories that this
        host does not have are left out.
        """
