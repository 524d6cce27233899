"""`/organizations/{organization}/developers/{developer}`: the attributes of a developer."""

from datetime import date
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import IdentityManager, IdentityReader
from api.control.identities import developer_attributes as attributes
from api.control.identities.developer_attributes import (
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_URL_LENGTH,
    Attribute,
    Value,
)
from api.control.identities.known_developers import KnownDeveloper
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.query.parameters import Day
from api.read.identities import dates_of, known_developers
from api.services import services
from api.shapes import Shape
from api.snapshot.build import Build, Row
from api.v1.paths import DeveloperPath

router = APIRouter(prefix="/organizations/{organization}/developers", tags=["developers"])


class DeveloperAttributes(Shape):
    """The attributes that people entered for a developer; null: not entered. The next build applies them to lists and
    figures.
    """

    id: str
    name: str | None = Field(
        description="Displayed name. Null: lists show the name from most of the commits."
    )
    primary_email: str | None = Field(
        description="Displayed email address. Null: lists show the address from most of the commits."
    )
    role: str | None = Field(examples=["Backend engineer"])
    seniority: str | None = Field(examples=["SENIOR"])
    joining_date: date | None
    probation_end_date: date | None
    leaving_date: date | None
    avatar_url: str | None
    kind: Literal["HUMAN", "BOT"] | None = Field(description="Null: the service detects the kind.")


class AttributeChange(Shape):
    """Attributes of a developer. null clears a field."""

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = None
    primary_email: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = Field(
        None, description="One of the developer's addresses."
    )
    role: Annotated[str, Field(max_length=MAX_TEXT_LENGTH, examples=["Backend engineer"])] | None = None
    seniority: Annotated[str, Field(max_length=MAX_TEXT_LENGTH, examples=["SENIOR"])] | None = Field(
        None, description="JUNIOR, MEDIOR or SENIOR in any case, or a level of your own."
    )
    joining_date: Day | None = Field(None, description="First day of employment.")
    probation_end_date: Day | None = Field(
        None, description="Last day of the probation period; on or after the joining date."
    )
    leaving_date: Day | None = Field(
        None, description="Last day of employment; on or after the other two dates."
    )
    avatar_url: Annotated[str, Field(max_length=MAX_URL_LENGTH)] | None = Field(
        None, description="An https URL. The service never fetches it."
    )
    kind: Literal["HUMAN", "BOT"] | None = Field(
        None, description="Replaces the automatically detected kind. Totals leave out bots."
    )


@router.get(
    "/{developer}/attributes", summary="Attributes of a developer", response_model=DeveloperAttributes
)
async def get_developer_attributes(
    reader: IdentityReader, developer: DeveloperPath, _: NoQuery, request: Request
) -> Response:
    """The attributes that people entered for this developer id. After a merge, every former id keeps its own
    attributes here; lists and figures combine them.
    """
    app, access = services(request), RowAccess(reader.organization_id)
    [known] = await app.reads.value(
        access, lambda build: known_developers(build, access, [developer]), or_empty=True
    )
    found = await run_sync(attributes.attributes, app.store, access.organization_id, known.id)
    return private(_shown(known.id, found))


@router.patch("/{developer}", summary="Change a developer", response_model=DeveloperAttributes)
async def update_developer(
    manager: IdentityManager,
    developer: DeveloperPath,
    body: AttributeChange,
    query: Queried[Mask[AttributeChange]],
    request: Request,
) -> Response:
    """Change attributes of a developer. One invalid field refuses the whole change.

    Performance and the hours of the CapEx report cover the time from the joining date to the leaving date. A change
    of `kind` moves all work of the developer into or out of totals.
    """
    app, access = services(request), RowAccess(manager.organization_id)

    def read(build: Build) -> tuple[KnownDeveloper, Row]:
        [known] = known_developers(build, access, [developer])
        return known, dates_of(build, access, known.id)

    known, dates = await app.reads.value(access, read, or_empty=True)
    changes = {Attribute(name): _value(name, body) for name in sorted(query.chosen(body))}
    after = await run_sync(
        lambda: attributes.change_attributes(
            app.store, manager.principal, access.organization_id, known, changes, dates=dates
        )
    )
    return private(_shown(known.id, after))


def _value(name: str, body: AttributeChange) -> Value:
    value: Value = getattr(body, name)
    return value.lower() if name == Attribute.KIND and isinstance(value, str) else value


def _shown(developer_id: str, found: dict[Attribute, Value]) -> dict[str, Any]:
    kind = found[Attribute.KIND]
    aliases = {name: field.alias or name for name, field in AttributeChange.model_fields.items()}
    shown: dict[str, Any] = {aliases[name.value]: value for name, value in found.items()}
    return {"id": developer_id} | shown | {"kind": kind.upper() if isinstance(kind, str) else None}
