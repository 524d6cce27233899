"""`/organizations/{organization}/identityProviders` and `…/signInPolicy`."""

from typing import Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import IdentityProviderManager, IdentityProviderReader
from api.control.accounts import throttles
from api.control.accounts.throttles import Try
from api.control.changes import UNCHANGED
from api.control.identity_providers import policies, providers
from api.control.identity_providers.kinds import ProviderKind, checked_issuer, checked_secret
from api.control.identity_providers.records import draft
from api.control.ids import new_id
from api.errors import InvalidArgument
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.http.responses import private
from api.identity_providers.failures import FailureKind, SignInFailed
from api.identity_providers.providers import SignInProvider
from api.services import services
from api.shapes import Empty
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list
from api.v1.identity_providers.limits import CHECKS
from api.v1.identity_providers.shapes import (
    IdentityProvider,
    IdentityProviderChange,
    IdentityProviderPage,
    NewIdentityProvider,
    SignInPolicy,
    SignInPolicyChange,
    shown_provider,
)
from api.v1.paths import ProviderPath
from ingest.probe import AddressRefused, checked_host

router = APIRouter(prefix="/organizations/{organization}", tags=["identityProviders"])


@router.get("/identityProviders", summary="Identity providers", response_model=IdentityProviderPage)
async def list_identity_providers(
    reader: IdentityProviderReader, query: PagedQuery, request: Request
) -> Response:
    """Identity providers that the organization added, by name. Sortable by name, kind, createdAt, id."""
    sign_in = services(request).sign_in
    return await answer_list(
        request, reader.organization_id, query, "identityProviders", providers.list_providers,
        lambda one: shown_provider(one, sign_in.redirect(one.id)),
    )  # fmt: skip


@router.post("/identityProviders", summary="Add an identity provider", response_model=IdentityProvider)
async def create_identity_provider(
    manager: IdentityProviderManager, body: NewIdentityProvider, _: NoQuery, request: Request
) -> Response:
    """Check the issuer at its address and add the provider. Register its `redirectUrl` there.

    It signs in members of this organization and people with an invitation to it, and its sessions reach this
    organization alone. A provider that an admin adds does not sign in owners. One that an owner adds does, and so does
    one whose `issuer` and `clientId` an owner names in one change.
    """
    app = services(request)
    kind = ProviderKind(body.kind)
    issuer = _checked_issuer(kind, body.issuer)
    secret = checked_secret(body.client_secret.get_secret_value())
    await _check(request, manager.organization_id, kind, issuer)
    wanted = providers.NewProvider(kind, body.name, issuer, body.client_id, secret, tuple(body.domains))
    made = await run_sync(
        providers.add_provider, app.store, manager.principal, manager.organization_id, wanted
    )
    return private(shown_provider(made, app.sign_in.redirect(made.id)))


@router.get("/identityProviders/{provider}", summary="One identity provider", response_model=IdentityProvider)
async def get_identity_provider(
    reader: IdentityProviderReader, provider: ProviderPath, _: NoQuery, request: Request
) -> Response:
    """An identity provider, without its secret."""
    app = services(request)
    found = await run_sync(providers.provider, app.store, reader.organization_id, provider)
    return private(shown_provider(found, app.sign_in.redirect(found.id)))


@router.patch(
    "/identityProviders/{provider}", summary="Change an identity provider", response_model=IdentityProvider
)
async def update_identity_provider(
    manager: IdentityProviderManager,
    provider: ProviderPath,
    body: IdentityProviderChange,
    query: Queried[Mask[IdentityProviderChange]],
    request: Request,
) -> Response:
    """Change settings or replace the secret. Another issuer needs `clientSecret` in the same request: the stored secret
    is for the old one. Another issuer or client ends the sessions of the provider, and its people are recognized by
    their addresses again. Fewer `domains` end the sessions of people with other addresses.
    """
    app, organization = services(request), manager.organization_id
    chosen = query.chosen(body)
    found = await run_sync(providers.provider, app.store, organization, provider)
    issuer: Any = UNCHANGED
    if "issuer" in chosen:
        issuer = _checked_issuer(found.kind, body.issuer)
        if issuer != found.issuer:
            await _check(request, organization, found.kind, issuer)
    secret = body.client_secret.get_secret_value() if body.client_secret is not None else ""
    change = providers.ProviderChange(
        name=body.name if "name" in chosen else UNCHANGED,
        issuer=issuer,
        client_id=body.client_id if "client_id" in chosen else UNCHANGED,
        secret=secret if "client_secret" in chosen else UNCHANGED,
        domains=tuple(body.domains) if "domains" in chosen else UNCHANGED,
    )
    changed = await run_sync(
        providers.change_provider, app.store, manager.principal, organization, provider, change
    )
    return private(shown_provider(changed, app.sign_in.redirect(changed.id)))


@router.delete("/identityProviders/{provider}", summary="Remove an identity provider", response_model=Empty)
async def delete_identity_provider(
    manager: IdentityProviderManager, provider: ProviderPath, _: NoQuery, request: Request
) -> Response:
    """Delete an identity provider with its secret, and end the sessions that it began.

    Answers FAILED_PRECONDITION for the last one where members, or those of `providerDomains`, could no longer sign in.
    """
    app = services(request)
    return await answer_change(request, manager, Empty, providers.remove_provider, provider, app.ways)


@router.get("/signInPolicy", summary="How members sign in", response_model=SignInPolicy)
async def get_sign_in_policy(reader: IdentityProviderReader, _: NoQuery, request: Request) -> Response:
    """How members may sign in."""
    return await answer_record(request, reader, SignInPolicy, policies.policy)


@router.patch("/signInPolicy", summary="Change how members sign in", response_model=SignInPolicy)
async def update_sign_in_policy(
    manager: IdentityProviderManager,
    body: SignInPolicyChange,
    query: Queried[Mask[SignInPolicyChange]],
    request: Request,
) -> Response:
    """Change how members may sign in. It applies to the next request of every session: one that the policy does not
    accept gets PERMISSION_DENIED with the reason in this organization, and keeps other organizations. API keys stay
    valid.

    Answers FAILED_PRECONDITION where members would need an identity provider and have none. Whether a provider works is
    not checked: sign in with it before you shut out other ways.
    """
    app = services(request)
    chosen = query.chosen(body)
    changes = {name: getattr(body, name) for name in sorted(chosen)}
    return await answer_change(request, manager, SignInPolicy, policies.change_policy, changes, app.ways)


async def _check(request: Request, organization_id: str, kind: ProviderKind, issuer: str) -> None:
    """Raise InvalidArgument unless the issuer is within reach, answers and describes itself."""
    app = services(request)
    await run_sync(throttles.take, app.store, Try(CHECKS, organization_id))
    tried = SignInProvider(new_id(), kind, "the issuer", issuer, "", "", draft(organization_id, kind, issuer))
    try:
        await app.sign_in.check(tried)
    except SignInFailed as error:
        problem = error.detail or str(error)
        if error.detail and error.kind is not FailureKind.BAD_ANSWER:
            problem = f"the issuer cannot be asked: {problem}"
        raise InvalidArgument("issuer", problem) from None


def _checked_issuer(kind: ProviderKind, given: str | None) -> str:
    """The issuer of a provider. Raises InvalidSetting, InvalidArgument."""
    issuer = checked_issuer(kind, given)
    try:
        checked_host(urlsplit(issuer).hostname or "")
    except AddressRefused as error:
        raise InvalidArgument("issuer", str(error).rstrip(".")) from None
    return issuer
