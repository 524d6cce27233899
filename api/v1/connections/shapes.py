"""Shapes of connections. No answer has a secret."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints

from api.control.connections.connections import MAX_NAME_LENGTH, MAX_SECRET_LENGTH, MAX_USER_LENGTH
from api.control.connections.records import ConnectionRecord
from api.query.fields import Stored
from api.query.parameters import ControlQuery, OneOf
from api.query.records import shown
from api.shapes import Shape, page_of
from ingest.probe import CATEGORIES, CATEGORY_OF, MAX_ADDRESS_LENGTH

MAX_OPTIONS = 20
Category = Annotated[str, Field(json_schema_extra={"enum": [one.name for one in CATEGORIES]})]
HealthName = Literal["PENDING", "HEALTHY", "DEGRADED", "LIMITED", "FAILING"]
HEALTH = (
    "The outcome of the last attempt to read the connection, or to ask the model. PENDING: not tried yet. DEGRADED: "
    "parts could not be read. LIMITED: the service continues at `nextAttemptAt`, because the provider limits requests "
    "(reason RATE_LIMITED) or could not be reached (reason UNAVAILABLE)."
)

Text = Annotated[str, StringConstraints(max_length=1024)]
Options = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=64)], Text | Annotated[list[Text], Field(max_length=1000)]
    ],
    Field(
        max_length=MAX_OPTIONS,
        description="Values by name; `connectionKinds` lists the options of a kind.",
        examples=[{}],
    ),
]
Secret = Annotated[
    SecretStr,
    Field(
        max_length=MAX_SECRET_LENGTH,
        description="The token. It is stored encrypted, and no answer contains it. Kinds without "
        "`needsSecret` may have none.",
        examples=["token"],
    ),
]
Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Acme on GitHub"])]
User = Annotated[
    str,
    Field(
        max_length=MAX_USER_LENGTH,
        description="The email address or login that belongs to the token, for kinds with `needsUser`.",
        examples=[""],
    ),
]


class KindOption(Shape):
    """An option of a kind of connection."""

    name: str
    description: str


class ConnectionKind(Shape):
    """A kind of system that the service can use."""

    kind: str = Field(examples=["GITEA"])
    title: str = Field(examples=["Gitea or Forgejo"])
    category: Category = Field(description=" ".join(f"{one.name}: {one.reads}." for one in CATEGORIES))
    default_address: str | None = Field(
        description="The address of the cloud service; null: every customer has an address of their own."
    )
    needs_user: bool = Field(description="true: the token is used with an email address or login.")
    needs_secret: bool = Field(description="false: a server that asks for no key is added without one.")
    options: list[KindOption]
    item_kinds: list[str] = Field(description="Kinds of items of an issue tracker.")
    are_levels_editable: bool = Field(description="true: the levels of item kinds can be changed.")


class ConnectionKinds(Shape):
    """All kinds of connections."""

    connection_kinds: list[ConnectionKind]


class NewConnection(Shape):
    """A connection to add."""

    kind: str = Field(max_length=32, description="See `connectionKinds`.", examples=["GITEA"])
    address: str | None = Field(
        None,
        max_length=MAX_ADDRESS_LENGTH,
        description="https, without credentials. Null: the address of the cloud service.",
        examples=["https://git.example"],
    )
    name: Name
    user: User = ""
    secret: Secret = SecretStr("")
    options: Options = Field(default_factory=dict)


class ConnectionChange(Shape):
    """Changes to a connection."""

    name: Name = ""
    user: User = ""
    secret: Secret | None = None
    options: Options = Field(default_factory=dict)


class Connection(Shape):
    """A connection to a Git host, issue tracker or model endpoint."""

    id: str
    kind: str = Field(examples=["GITEA"])
    category: Category = Field(
        description=f"Whether it is {' or '.join(one.with_article for one in CATEGORIES)}."
    )
    address: str = Field(examples=["https://git.example"])
    name: str = Field(examples=["Acme on GitHub"])
    user: str
    options: dict[str, Any]
    account: str = Field(description="The account behind the token, as the provider names it.")
    expires_at: datetime | None = Field(description="The end of the token; null: none, or unknown.")
    health: HealthName = Field(description=HEALTH)
    failure: str | None = Field(description="The reason why the last attempt failed, and the remedy.")
    failure_reason: str | None = Field(examples=["EXPIRED"])
    warnings: list[str]
    last_synced_at: datetime | None = Field(description="The last time at which everything was read.")
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None = Field(description="The next attempt for a connection that is LIMITED.")
    changed_rows: Annotated[dict[str, int], Stored("row_counts")] = Field(
        description="Rows by table that the last sync changed."
    )
    created_at: datetime
    created_by: str


ConnectionPage = page_of("ConnectionPage", "A page of connections.", connections=Connection)


class ConnectionQuery(ControlQuery):
    """The requested connections."""

    category: Annotated[
        str | None,
        AfterValidator(lambda value: value and OneOf(*(one.name for one in CATEGORIES)).checked(value)),
        Field(
            json_schema_extra={"enum": [one.name for one in CATEGORIES]},
            description=f"Only {' or '.join(f'{one.title}s' for one in CATEGORIES)}. Default: all.",
        ),
    ] = None


class HealthChange(Shape):
    """A change of the health of a connection."""

    id: str
    at: datetime
    health: HealthName = Field(description=HEALTH)
    reason: str | None = Field(examples=["EXPIRED"])
    message: str | None


HealthHistory = page_of("HealthHistory", "A page of the changes of health.", history=HealthChange)


def shown_connection(one: ConnectionRecord) -> dict[str, Any]:
    """The answer for a connection."""
    return shown(Connection, one, category=CATEGORY_OF[one.category].name)
