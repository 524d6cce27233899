"""`/organizations/{organization}/repositories:available`: repositories of a connection that can be added."""

from datetime import datetime
from functools import partial
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import RepositoryReader
from api.control.connections import available, connections
from api.control.store import ControlStore
from api.http.parameters import Queried
from api.query.parameters import ControlQuery, Id, Search
from api.query.records import shown
from api.services import services
from api.shapes import Shape, page_of
from api.v1.control_lists import answer_list
from ingest.probe import CATEGORY_OF

router = APIRouter(prefix="/organizations/{organization}/repositories", tags=["repositories"])


class Available(Shape):
    """A repository that can be added."""

    connection: str
    provider_id: str = Field(description="The id to add it with.", examples=["42"])
    owner: str = Field(description="Owner with all groups.", examples=["acme"])
    name: str = Field(examples=["web"])
    address: str = Field(examples=["https://git.example/acme/web.git"])
    url: str | None
    default_branch: str | None
    is_archived: bool = Field(description="true: the host does not accept changes to it.")
    is_empty: bool = Field(description="true: it has no commit yet.")
    is_fork: bool = Field(description="true: it is a fork.")
    is_private: bool = Field(description="true: not everybody can read it on the host.")
    updated_at: datetime | None


AvailablePage = page_of("AvailablePage", "A page of repositories that can be added.", repositories=Available)


class AvailableQuery(ControlQuery):
    """The requested repositories."""

    connection: Annotated[Id, Field(description="Id of a connection to a Git host.")]
    search: Search = ""


@router.get(":available", summary="Repositories to add", response_model=AvailablePage)
async def list_available_repositories(
    reader: RepositoryReader, query: Queried[AvailableQuery], request: Request
) -> Response:
    """The repositories that a connection listed at its last sync and that the organization does not have yet, by owner
    and name. Sortable by owner, name, updatedAt, providerId. Add them with `repositories:batchCreate`. Where the
    connection has listed none, or the organization has all of them, `nextStep` says what to do.
    """
    organization, connection = reader.organization_id, query.connection
    step = await run_sync(_next_step, services(request).store, organization, connection)
    return await answer_list(
        request, organization, query, "repositories",
        partial(available.list_available, connection_id=connection, search=query.search),
        partial(shown, Available, connection=connection),
        bound_to=f"available {organization}", more={"nextStep": step},
    )  # fmt: skip


def _next_step(store: ControlStore, organization: str, connection: str) -> str | None:
    category = CATEGORY_OF[connections.connection(store, organization, connection).category]
    if category.lists_repositories:
        return available.next_step(store, organization, connection)
    return (
        f"This connection is to {category.with_article}, which has no repositories. Choose a connection to a Git host "
        "(…/connections lists them), or make one with POST …/connections."
    )
