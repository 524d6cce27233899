"""Shapes of identity providers. No answer has a client secret."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from api.control.identity_providers.kinds import MAX_ISSUER_LENGTH, MAX_SECRET_LENGTH
from api.control.identity_providers.providers import (
    MAX_CLIENT_ID_LENGTH,
    MAX_DOMAINS,
    MAX_NAME_LENGTH,
)
from api.control.identity_providers.records import ProviderRecord
from api.http.values import Flag
from api.query.records import shown
from api.shapes import Shape, page_of

Kind = Literal["MICROSOFT", "GOOGLE", "GITLAB", "GITHUB", "OPENID_CONNECT"]
Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Acme single sign-on"])]
Issuer = Annotated[
    str | None,
    Field(
        max_length=MAX_ISSUER_LENGTH,
        description="The issuer by every character, https. For GITHUB the address of the server. Null: that of the "
        "cloud service, which OPENID_CONNECT has none of.",
        examples=["https://login.example.org"],
    ),
]
ClientId = Annotated[
    str,
    Field(max_length=MAX_CLIENT_ID_LENGTH, description="The client's id at the provider.", examples=["eas"]),
]
Secret = Annotated[
    SecretStr,
    Field(
        max_length=MAX_SECRET_LENGTH,
        description="The client's secret at the provider. It is stored encrypted, and no answer contains it.",
        examples=["secret"],
    ),
]
Domains = Annotated[
    list[Annotated[str, StringConstraints(max_length=254)]],
    Field(
        max_length=MAX_DOMAINS,
        description="Domains of the addresses that the provider may vouch for; empty: any.",
        examples=[["example.org"]],
    ),
]


class NewIdentityProvider(Shape):
    """An identity provider to add."""

    kind: Kind = Field(description="OPENID_CONNECT: any issuer that has discovery.")
    name: Name
    issuer: Issuer = None
    client_id: ClientId
    client_secret: Secret
    domains: Domains = Field(default_factory=list)


class IdentityProviderChange(Shape):
    """Changes to an identity provider."""

    name: Name = ""
    issuer: Issuer = None
    client_id: ClientId = ""
    client_secret: Secret | None = None
    domains: Domains = Field(default_factory=list)


class IdentityProvider(Shape):
    """An identity provider of an organization."""

    id: str
    kind: Kind = Field(description="The kind of the provider.")
    name: str = Field(examples=["Acme single sign-on"])
    issuer: str = Field(examples=["https://login.example.org"])
    client_id: str = Field(examples=["eas"])
    domains: list[str]
    signs_in_owners: bool = Field(
        description="true: an owner vouches for issuer and client. false: an admin set or changed issuer, client or "
        "domains, so it signs in no owner until an owner names `issuer` and `clientId` in one change."
    )
    redirect_url: str = Field(
        description="The callback address to register at the provider.",
        examples=["https://eas.example/auth/callback/0199d3b0-0000-7000-8000-000000000001"],
    )
    created_at: datetime
    created_by: str = Field(examples=["ada@example.org"])


IdentityProviderPage = page_of(
    "IdentityProviderPage", "A page of identity providers.", identity_providers=IdentityProvider
)


class SignInPolicy(Shape):
    """How members may sign in. Owners may always use a password, so that nobody locks everybody out."""

    has_password_sign_in: bool = Field(description="true: members may sign in with a password.")
    has_deployment_providers: bool = Field(
        description="true: members may sign in with the providers of the deployment."
    )
    provider_domains: list[str] = Field(
        description="Addresses of these domains need an identity provider.", examples=[["example.org"]]
    )


class SignInPolicyChange(Shape):
    """Changes to how members may sign in."""

    has_password_sign_in: Flag = Field(True, description="true: members may sign in with a password.")
    has_deployment_providers: Flag = Field(
        True, description="true: members may sign in with the providers of the deployment."
    )
    provider_domains: Domains = Field(
        default_factory=list, description="Addresses of these domains need an identity provider."
    )


def shown_provider(record: ProviderRecord, redirect_url: str) -> dict[str, object]:
    """A provider as JSON."""
    return shown(IdentityProvider, record, redirect_url=redirect_url)
