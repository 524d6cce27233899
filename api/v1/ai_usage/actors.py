"""`/organizations/{organization}/aiActors`: the developers behind addresses, logins and keys of AI tools."""

from datetime import datetime
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import AiUsageManager, AiUsageSettingsReader
from api.control.ai_usage import actors as ai_actors
from api.control.ai_usage.actors import MAX_ACTOR_LENGTH, AiActorRecord
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.query.parameters import Id
from api.query.records import shown
from api.read.identities import known_developers
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import AiActorPath

router = APIRouter(prefix="/organizations/{organization}/aiActors", tags=["aiUsage"])


class NewAiActor(Shape):
    """An actor and its developer."""

    actor: str = Field(
        max_length=MAX_ACTOR_LENGTH,
        description="The address, login, key or id as `actor` in `…/aiSpend` has it, in any case.",
        examples=["ada-laptop"],
    )
    developer_id: Id | None = Field(
        description="Its developer. Null: several people share it, whom a proxy or telemetry names."
    )


class AiActor(Shape):
    """The developer behind an actor of AI tools."""

    id: str
    actor: str = Field(description="The address, login, key or id, in lower case.", examples=["ada-laptop"])
    developer_id: str | None = Field(
        description="Id of the developer at the time of the decision. Null: several people share the actor."
    )
    developer_name: str | None = Field(
        description="Name of the developer at the time of the decision; null for several people.",
        examples=["Ada Lovelace"],
    )
    decided_by: str = Field(description="The account or key that decided.", examples=["ada@example.org"])
    decided_at: datetime = Field(description="The time of the decision.")


AiActorPage = page_of("AiActorPage", "A page of actors.", ai_actors=AiActor)


@router.get("", summary="Developers behind actors of AI tools", response_model=AiActorPage)
async def list_ai_actors(reader: AiUsageSettingsReader, query: PagedQuery, request: Request) -> Response:
    """The actors for which somebody named a developer, by name. Sortable by actor, developerName, decidedAt.

    `…/aiSpend?groupBy=DEVELOPER` shows the actors that belong to nobody.
    """
    return await answer_list(
        request, reader.organization_id, query, "aiActors", ai_actors.list_actors, _shown
    )


@router.post("", summary="Name the developer behind an actor", response_model=AiActor)
async def create_ai_actor(
    manager: AiUsageManager, body: NewAiActor, _: NoQuery, request: Request
) -> Response:
    """Name the developer behind an address, login or key that commits do not have. From the next build on, all its
    usage is theirs, in every period.

    Without a developer, several people share it: its usage counts on days on which neither a proxy nor telemetry
    names people who use the tool with a key. Answers FAILED_PRECONDITION for a bot.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    developer, wanted = None, body.developer_id
    if wanted is not None:
        [developer] = await app.reads.value(access, lambda build: known_developers(build, access, [wanted]))
    return await answer_change(request, manager, _shown, ai_actors.assign_actor, body.actor, developer)


@router.delete("/{aiActor}", summary="Take an actor from its developer", response_model=Empty)
async def delete_ai_actor(
    manager: AiUsageManager, ai_actor: AiActorPath, _: NoQuery, request: Request
) -> Response:
    """Take an actor from its developer. From the next build on, its own address or login decides again."""
    await run_sync(
        ai_actors.release_actor, services(request).store, manager.principal, manager.organization_id, ai_actor
    )
    return private({})


def _shown(row: AiActorRecord) -> dict[str, Any]:
    return shown(AiActor, row)
