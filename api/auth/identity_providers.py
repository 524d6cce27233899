"""`/auth/options` and signing in with an identity provider.

The browser goes to the provider with a state, a nonce and a PKCE challenge, and comes back to `/auth/callback/…` with a
code. The callback redirects to a page with a one-time code: in a cookie for that page, and after the `#` for a program
that watches its browser. Either exchanges it for the session, so no address ever has the token of a session. Keep out:
the protocol (api/identity_providers), accounts (control/identity_providers), the addresses that a browser opens
(web/sessions/callbacks.py).
"""

from typing import Annotated, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from pydantic import Field, SecretStr
from starlette.responses import Response

from api.auth import sign_in_failures
from api.auth.allowances import LINKS_FROM_HERE, PROVIDERS_FROM_HERE
from api.auth.browser import browser_of, known_browser, remember_browser
from api.auth.invitations import InvitationToken
from api.auth.sessions import Device, SignedIn, accept_with, shown_sign_in
from api.auth.sign_in_failures import FAILURES
from api.callers.dependencies import Anybody
from api.control.accounts import invitations, throttles
from api.control.accounts.sessions import printable_device
from api.control.accounts.throttles import Try
from api.control.errors import ControlError
from api.control.identity_providers import flows, joining, policies
from api.control.identity_providers.usable import usable_provider
from api.errors import FailedPrecondition, InvalidArgument, NotFound
from api.http.client_networks import client_network
from api.http.parameters import NoQuery, Queried
from api.http.responses import private
from api.identity_providers.providers import SignInProvider, of_organization
from api.query.parameters import Query as Parameters
from api.services import Services, services
from api.shapes import Shape

router = APIRouter(tags=["sessions"])

Kind = Literal["MICROSOFT", "GOOGLE", "GITLAB", "GITHUB", "OPENID_CONNECT"]
OrganizationName = Annotated[
    str | None, Field(max_length=63, description="Id or slug of an organization.", examples=["acme"])
]
ProviderPath = Annotated[str, Path(max_length=64, description="Id of an identity provider.")]
UNKNOWN = "there is no such identity provider; GET /auth/options lists those that are configured"
MAX_CODE_LENGTH = 4096


class OptionsQuery(Parameters):
    """Parameters of the options."""

    organization: OrganizationName = None


class PasswordOption(Shape):
    """Signing in with a password."""

    is_offered: bool = Field(
        description="true: passwords are accepted, but for addresses of `providerDomains`."
    )
    provider_domains: list[str] = Field(
        description="Domains whose addresses need an identity provider.", examples=[["example.org"]]
    )


class OfferedProvider(Shape):
    """An identity provider."""

    id: str = Field(examples=["google"])
    kind: Kind = Field(description="The kind of the provider.")
    name: str = Field(examples=["Google"])
    host: str = Field(
        description="The host to which the browser goes: that of the authorization endpoint, or of the issuer until "
        "the service asked it. `authorizationUrl` has the final one: show it to the person if it differs.",
        examples=["accounts.google.com"],
    )


class Options(Shape):
    """The ways to sign in."""

    password: PasswordOption
    identity_providers: list[OfferedProvider]


class Start(Shape):
    """A sign-in to begin."""

    provider: str = Field(max_length=64, description="An `id` of `/auth/options`.", examples=["google"])
    organization: OrganizationName = None
    invitation: InvitationToken | None = None
    device: Device = ""


class Started(Shape):
    """A sign-in under way."""

    authorization_url: str = Field(description="The address to open in this browser within ten minutes.")


class Completion(Shape):
    """The end of a sign-in."""

    code: Annotated[
        SecretStr,
        Field(max_length=flows.MAX_SECRET_LENGTH, description="The part after the `#` of `/signedIn`."),
    ]


@router.get("/options", summary="Ways to sign in", response_model=Options)
async def get_sign_in_options(_: Anybody, query: Queried[OptionsQuery], request: Request) -> Response:
    """The configured ways to sign in: those of the deployment, and of an organization as its members have them. The
    deployment accepts nothing else, and nothing else opens the organization, except for its owners.

    An unknown organization has the answer of one without settings of its own.
    """
    app = services(request)
    policy, own = await run_sync(policies.offered, app.store, query.organization)
    deployment = app.sign_in.deployment.values() if policy.has_deployment_providers else ()
    shown = [*((one.id, one.kind, one.name, one.issuer) for one in deployment)]
    shown += [(one.id, one.kind, one.name, one.issuer) for one in own]
    return private(
        {
            "password": {
                "isOffered": app.offers_passwords and policy.has_password_sign_in,
                "providerDomains": list(policy.provider_domains),
            },
            "identityProviders": [
                {"id": id_, "kind": kind.value, "name": name, "host": app.sign_in.issuers.host(id_, issuer)}
                for id_, kind, name, issuer in shown
            ],
        }
    )


@router.post("/startSignIn", summary="Begin to sign in with a provider", response_model=Started)
async def start_sign_in(_: Anybody, body: Start, request: Request, _query: NoQuery) -> Response:
    """Begin to sign in with an identity provider. The answer sets a cookie, which binds the sign-in to this browser,
    and has the address to open. The invitation waits at the service and is accepted at the end, whatever the policy of
    the organization, as with a password; the policy decides which sessions open it.

    Answers FAILED_PRECONDITION for a provider of the deployment that the named organization does not accept.
    """
    app = services(request)
    provider = None
    try:
        await run_sync(throttles.take, app.store, Try(PROVIDERS_FROM_HERE, client_network(request)))
        provider = await provider_of(app, body.provider)
        invitation = await _invitation(app, request, body, provider)
        device = body.device or request.headers.get("user-agent", "")
        address, browser = await begun(app, request, provider, device, invitation)
    except FAILURES as error:
        raise sign_in_failures.answer(error, "start", provider) from None
    return remember_browser(app, private({"authorizationUrl": address}), browser)


async def _invitation(
    app: Services, request: Request, body: Start, provider: SignInProvider
) -> invitations.InvitationRecord | None:
    """The invitation that the sign-in carries. Raises for one that the provider does not serve."""
    invitation = None
    if body.invitation is not None:
        await run_sync(throttles.take, app.store, Try(LINKS_FROM_HERE, client_network(request)))
        invitation = await run_sync(invitations.look_up, app.store, body.invitation.get_secret_value())
    own = provider.organization
    if own is not None and invitation is not None and invitation.organization_id != own.organization_id:
        raise InvalidArgument(
            "provider", "the invitation is to an organization that has other identity providers"
        )
    if own is None and body.organization is not None:
        policy, _own = await run_sync(policies.offered, app.store, body.organization)
        if not policy.has_deployment_providers:
            raise FailedPrecondition(
                f"organization {body.organization!r} does not accept {provider.name}; GET /auth/options?organization= "
                "lists what it does, and an owner begins without `organization`"
            )
    return invitation


@router.post("/completeSignIn", summary="Finish signing in with a provider", response_model=SignedIn)
async def complete_sign_in(_: Anybody, body: Completion, request: Request, _query: NoQuery) -> Response:
    """Exchange the one-time code of the callback for a session, in the same browser and within a minute.

    A session that an organization's own provider began reaches that organization alone, and cannot change the account.
    """
    app = services(request)
    one = Try(PROVIDERS_FROM_HERE, client_network(request))
    await run_sync(throttles.take, app.store, one)
    code, browser = body.code.get_secret_value(), known_browser(app, request)
    try:
        done = await run_sync(joining.complete_sign_in, app.store, code, browser, app.ways)
    except ControlError as error:
        raise sign_in_failures.answer(error, "complete", None) from None
    # Start, callback and this: a company behind one address is never held up.
    await run_sync(throttles.give_back, app.store, one, one, one)
    made, of, is_restricted = done.session, done.account, done.is_restricted
    if done.invitation is not None:
        token = done.invitation.token
        return private(await accept_with(app, made, of, token, is_restricted=is_restricted))
    problem: dict[str, object] = {"isAccepted": False, "problem": invitations.NO_INVITATION}
    lost = problem if done.had_invitation else None
    return private(shown_sign_in(made, of, lost, is_restricted=is_restricted))


async def begun(
    app: Services,
    request: Request,
    provider: SignInProvider,
    device: str,
    invitation: invitations.InvitationRecord | None,
) -> tuple[str, str]:
    """The address of the provider and the secret of the browser for a new flow."""
    browser = browser_of(app, request)
    secrets = await run_sync(
        flows.begin_flow, app.store, provider.signed_in_by, browser, printable_device(device), invitation
    )
    return await app.sign_in.address(provider, secrets), browser


async def provider_of(app: Services, provider_id: str) -> SignInProvider:
    """A configured provider. Raises NotFound."""
    found = app.sign_in.deployment.get(provider_id)
    if found is not None:
        return found
    usable = await run_sync(usable_provider, app.store, provider_id)
    if usable is None:
        raise NotFound(UNKNOWN)
    return of_organization(usable)
