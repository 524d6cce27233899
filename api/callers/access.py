"""The caller that a route requires: every route declares exactly one of these in its handler's signature.

Declaration
├── Public        anybody, no credential
├── Known         any caller with a valid credential
├── SignedIn      the session of an account; an API key and a root login are refused
├── InSession     the session of an account or of a root login
├── Sends         an ingest token, which sends telemetry and is refused everywhere else
├── Provisions    a SCIM token, with which a directory provisions members and which is refused everywhere else
├── Assists       an API key; every other credential is refused
└── Requires      a permission in the organization of the path

A test reads the declarations of all routes and tries each with every kind of caller. Keep out: the permissions of
roles (control/permissions.py), the rows that a reader sees (access/row_access.py).
"""

from dataclasses import dataclass
from typing import Annotated

import anyio.to_thread
from fastapi import Path, Request, Security
from fastapi.security import HTTPBearer

from api.control import errors as control_errors
from api.control.permissions import Permission, Role
from api.control.principals import Principal
from api.control.telemetry.ingest_tokens import IngestTokenRecord
from api.control.visibility import Visibility
from api.errors import NotFound, PermissionDenied
from api.http.parameters import refuse_repetition
from api.services import services

# Only for the OpenAPI document. The authenticator reads the header and explains errors.
_documented = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    bearerFormat="service_…, session_… or root_…",
    description=(
        "One of three tokens. `service_…`: an API key, from createToken; it acts for its organization within its "
        "scope. `session_…`: the session of an account, from `/auth/signIn` or `/auth/completeSignIn`. `root_…`: the "
        "session of a root login, from `/impersonate`."
    ),
)

_documented_sender = HTTPBearer(
    auto_error=False,
    scheme_name="ingest",
    bearerFormat="ingest_…",
    description="An ingest token, from createIngestToken. It sends telemetry, and nothing else accepts it.",
)

_documented_directory = HTTPBearer(
    auto_error=False,
    scheme_name="scim",
    bearerFormat="scim_…",
    description="A SCIM token, from createScimToken. It provisions members, and nothing else accepts it.",
)

NO_PERSON = "an API key cannot do this; sign in and send the session's token"
NO_ACCOUNT = (
    "a root login cannot do this: it has no account, and leaves no access behind; sign in with an account"
)
ONE_ORGANIZATION = (
    "an organization's own identity provider began this session, so it cannot change the account; sign in with the "
    "password of the account or with a provider of the deployment"
)

OrganizationPath = Annotated[
    str,
    Path(
        min_length=1,
        max_length=63,
        description="Id or slug of the organization.",
        examples=["local"],
    ),
]


class Declaration:
    """Base of all declarations."""


class Public(Declaration):
    """Anybody may call this."""

    def __init__(self, *, judges_query: bool = False) -> None:
        # The handler itself refuses a query, because an error must not repeat it.
        self._judges_query = judges_query

    async def __call__(self, request: Request) -> None:
        if not self._judges_query:
            refuse_repetition(request)


class Known(Declaration):
    """Any caller with a valid credential."""

    async def __call__(self, request: Request, _: Annotated[object, Security(_documented)]) -> Principal:
        return await _authenticated(request)


class SignedIn(Declaration):
    """A signed-in person. An API key cannot change an account: the change would outlive the key.

    A session that an organization's own identity provider began acts in that organization alone: it may not change
    the account either, unless `of_organization` lets it in.
    """

    def __init__(self, *, of_organization: bool = False) -> None:
        self.of_organization = of_organization

    async def __call__(self, request: Request, _: Annotated[object, Security(_documented)]) -> Principal:
        principal = await _authenticated(request)
        _refuse_without_account(principal)

        if principal.only_organization_id is not None and not self.of_organization:
            raise PermissionDenied(ONE_ORGANIZATION)
        return principal


class InSession(Declaration):
    """A session, which this ends or moves: of an account or of a root login."""

    async def __call__(self, request: Request, _: Annotated[object, Security(_documented)]) -> Principal:
        principal = await _authenticated(request)
        if principal.root is None:
            _refuse_without_account(principal)
        return principal


class Sends(Declaration):
    """An ingest token. Sessions and API keys are refused: a machine that sends needs no right to read."""

    async def __call__(
        self, request: Request, _: Annotated[object, Security(_documented_sender)]
    ) -> IngestTokenRecord:
        return await services(request).authenticator.sender(request.headers.get("authorization"))


class Provisions(Declaration):
    """A SCIM token. Sessions and API keys are refused: a directory needs no right to read figures."""

    async def __call__(
        self, request: Request, _: Annotated[object, Security(_documented_directory)]
    ) -> Principal:
        return await services(request).authenticator.directory(request.headers.get("authorization"))


class Assists(Declaration):
    """An API key. An assistant keeps its credential in a file, so it is one that can read alone and be revoked."""

    async def __call__(self, request: Request, _: Annotated[object, Security(_documented)]) -> Principal:
        return await services(request).authenticator.assistant(request.headers.get("authorization"))


@dataclass(frozen=True, slots=True)
class Access:
    """A caller with the permission that the route requires in this organization."""

    principal: Principal
    organization_id: str
    role: Role | None

    @property
    def visibility(self) -> Visibility:
        """The visible figures of the caller in this organization; none without a membership."""
        found = self.principal.membership(self.organization_id)
        return found.visibility if found else Visibility(teams=())

    def may(self, permission: Permission) -> bool:
        """Whether the caller also has another permission in this organization."""
        return self.principal.may(permission, self.organization_id)


class Requires(Declaration):
    """A permission in the organization of the path.

    An organization that the caller has nothing to do with is unknown, existing or not; a permission that is missing
    in the caller's own is refused with the reason.
    """

    def __init__(self, permission: Permission, *, in_person: bool = False) -> None:
        self.permission = permission
        # An API key is not enough, with any scope, and neither is a root login.
        self.in_person = in_person

    async def __call__(
        self,
        request: Request,
        organization: OrganizationPath,
        _: Annotated[object, Security(_documented)],
    ) -> Access:
        principal = await _authenticated(request)
        membership, shut = principal.membership(organization), principal.shut_membership(organization)
        if shut is not None and self.permission is Permission.MANAGE_OWN_MEMBERSHIP:
            # The sign-in policy of an organization keeps no member from leaving it.
            return Access(principal, shut.organization_id, None)
        if membership is not None:
            access = Access(principal, membership.organization_id, membership.role)
        elif principal.is_platform_administrator:
            access = Access(principal, await _id_of(request, organization), None)
        elif shut is not None:
            raise PermissionDenied(shut.reason)
        else:
            raise _unknown(organization)
        if not access.may(self.permission):
            raise PermissionDenied(_reason(self.permission, access))
        if self.in_person:
            _refuse_without_account(principal)
        return access


def _refuse_without_account(principal: Principal) -> None:
    if principal.root is not None:
        raise PermissionDenied(NO_ACCOUNT)
    if principal.session_id is None:
        raise PermissionDenied(NO_PERSON)


async def _authenticated(request: Request) -> Principal:
    principal = await services(request).authenticator.caller(request.headers.get("authorization"))
    # After the check of the credential, so parameters stay unknown without one.
    refuse_repetition(request)
    return principal


async def _id_of(request: Request, organization: str) -> str:
    try:
        found = await anyio.to_thread.run_sync(services(request).store.organization, organization)
    except control_errors.NotFound:
        raise _unknown(organization) from None
    return found.id


def _unknown(organization: str) -> NotFound:
    return NotFound(
        f"you are no member of an organization {organization!r}; GET /api/v1/organizations lists yours"
    )


def _reason(permission: Permission, access: Access) -> str:
    principal = access.principal
    if permission.writes and not principal.may_write:
        return (
            f"this API key has the scope READ, so it may not {permission.value}; create one with the scope WRITE "
            "(as operator: `eas token create --write`)"
        )
    if access.role is None and principal.root is not None:
        return (
            f"you may not {permission.value}: a root login manages only members and plans of an organization that it "
            "has not entered; enter it with POST /auth/switchOrganization"
        )
    if access.role is None:
        return (
            f"you may not {permission.value}: without a membership, a platform administrator only manages members "
            "and plans; ask an owner for an invitation"
        )
    if not permission.roles:
        return f"you may not {permission.value}: only platform administrators may; ask one of them"
    whom = "an owner or admin" if Role.ADMIN in permission.roles else "an owner"
    return f"you may not {permission.value}: your role is {access.role.shown}; ask {whom}"
