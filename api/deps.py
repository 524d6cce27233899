"""What a handler asks for in its signature: the caller's permission, the organization, the reads."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPBearer

from api.auth.bearer import Authenticator, Caller
from api.control.store import ControlStore
from api.errors import NotFound, PermissionDenied
from api.querystring import refuse_repetition
from api.read.scope import Scope
from api.responses import Reads


@dataclass(frozen=True, slots=True)
class Services:
    """What the process holds open; one per application."""

    store: ControlStore
    authenticator: Authenticator
    reads: Reads


def services(request: Request) -> Services:
    """The services of this application."""
    found = request.app.state.services
    assert isinstance(found, Services)
    return found


# Only for the OpenAPI document: the header is read by the authenticator, which tells what is wrong with it.
_documented = HTTPBearer(auto_error=False, scheme_name="apiKey", bearerFormat="service_…")


async def _caller(request: Request, _: Annotated[object, Security(_documented)]) -> Caller:
    caller = await services(request).authenticator.caller(request.headers.get("authorization"))
    # After the key is checked: without one nobody learns which parameters exist.
    refuse_repetition(request.query_params.multi_items())
    return caller


# Any valid token. Both scopes may read.
Authenticated = Annotated[Caller, Depends(_caller)]

OrganizationPath = Annotated[
    str,
    Path(
        min_length=1,
        max_length=63,
        description="Id or slug of the organization.",
        examples=["local"],
    ),
]


async def _viewer(caller: Authenticated, organization: OrganizationPath) -> Scope:
    # Another organization and one that does not exist give the same answer, or slugs could be probed.
    if organization not in (caller.organization_id, caller.organization_slug):
        raise NotFound(f"no organization {organization!r} that this API key can see")
    return Scope(caller.organization_id)


# May read what the organization in the path publishes.
Viewer = Annotated[Scope, Depends(_viewer)]


async def _editor(caller: Authenticated, viewer: Viewer) -> Scope:
    if not caller.can_write:
        raise PermissionDenied("this API key may only read; create one with `eas token create --write`")
    return viewer


# May change what the organization in the path has decided.
Editor = Annotated[Scope, Depends(_editor)]


async def _reads(request: Request) -> Reads:
    return services(request).reads


ReadService = Annotated[Reads, Depends(_reads)]
