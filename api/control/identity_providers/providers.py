"""Identity providers of an organization: adding, changing, removing and listing.

Keep out: the check of an issuer at its address (the caller), providers with their secrets (usable.py), those of the
deployment (deployment.py).
"""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.accounts.sign_in_rules import OfferedWays, locks_out
from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.audit import Target, record
from api.control.changes import UNCHANGED, Unchanged
from api.control.errors import AlreadyExists, InvalidSetting, NotPossible
from api.control.identity_providers.endings import forget_all, forget_outside
from api.control.identity_providers.kinds import ProviderKind, checked_domains, checked_secret
from api.control.identity_providers.records import ProviderRecord, record_of
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import (
    IdentityProvider,
    Organization,
)
from api.control.names import checked_literal, checked_name
from api.control.permissions import Permission, Role
from api.control.principals import Principal
from api.control.records import existing, owned
from api.control.rights import present_role, refuse_lasting
from api.control.sealed_rows import NOUNS
from api.control.store import ControlStore

KEYS = {
    "name": Key(func.lower(IdentityProvider.name)),
    "kind": Key(IdentityProvider.kind),
    "createdAt": Key(IdentityProvider.created_at),
    "id": Key(IdentityProvider.id),
}
MAX_NAME_LENGTH = 255
MAX_CLIENT_ID_LENGTH = 255
MAX_PROVIDERS = 10
"""Of one organization. Each can make the service send requests."""
MAX_DOMAINS = 100


@dataclass(frozen=True, slots=True)
class NewProvider:
    """A provider to add. `issuer` was checked at its address."""

    kind: ProviderKind
    name: str
    issuer: str
    client_id: str
    secret: str = field(repr=False)
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderChange:
    """New values of some settings."""

    name: str | Unchanged = UNCHANGED
    issuer: str | Unchanged = UNCHANGED
    client_id: str | Unchanged = UNCHANGED
    secret: str | Unchanged = field(default=UNCHANGED, repr=False)
    domains: tuple[str, ...] | Unchanged = UNCHANGED


def add_provider(
    store: ControlStore, actor: Principal, organization_id: str, wanted: NewProvider
) -> ProviderRecord:
    """Add a provider. Raises InvalidSetting, BadSecretKey, AlreadyExists for its name, NotPossible beyond
    MAX_PROVIDERS and for an account with an unverified address.
    """
    provider_id = new_id()
    secret = checked_secret(wanted.secret)
    sealed = store.keyring.encrypt(secret, organization_id, provider_id, noun=NOUNS[IdentityProvider])
    row = IdentityProvider(
        id=provider_id,
        organization_id=organization_id,
        kind=wanted.kind,
        name=_checked_name(wanted.name),
        issuer=wanted.issuer,
        client_id=_checked_client(wanted.client_id),
        secret=sealed.ciphertext,
        secret_key_id=sealed.key_id,
        domains=_checked_domains(wanted.domains),
        created_at=store.now(),
        created_by=actor.actor[2],
    )
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITY_PROVIDERS) as session:
        refuse_lasting(actor, "add an identity provider")
        refuse_leaving_behind(session, actor, "add an identity provider", within=organization_id)
        count = session.scalar(
            select(func.count()).where(IdentityProvider.organization_id == organization_id)
        )
        if (count or 0) >= MAX_PROVIDERS:
            raise NotPossible(
                f"an organization has at most {MAX_PROVIDERS} identity providers; remove one first"
            )
        _refuse_same_name(session, row)
        row.signs_in_owners = _is_owner(session, actor, organization_id)
        session.add(row)
        session.flush()
        record(session, "identityProviders.create", _target(row), after=_state(row))
        return record_of(row)


def change_provider(
    store: ControlStore, actor: Principal, organization_id: str, provider_id: str, change: ProviderChange
) -> ProviderRecord:
    """Change settings. Another issuer or client ends the sessions of the provider and forgets its identities; domains
    that it may no longer vouch for end those of their addresses. From then on the provider signs in owners if an owner
    names issuer and client, and no longer if an admin changes issuer, client or domains.

    Raises NotFound, BadSecretKey, AlreadyExists, InvalidSetting, also for another issuer without a secret.
    """
    sealed = None
    if not isinstance(change.secret, Unchanged):
        secret = checked_secret(change.secret)
        sealed = store.keyring.encrypt(secret, organization_id, provider_id, noun=NOUNS[IdentityProvider])
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITY_PROVIDERS) as session:
        refuse_lasting(actor, "change an identity provider")
        refuse_leaving_behind(session, actor, "change an identity provider", within=organization_id)
        row = existing_provider(session, organization_id, provider_id)
        before = _state(row)
        if not isinstance(change.name, Unchanged):
            row.name = _checked_name(change.name)
            _refuse_same_name(session, row)
        if not isinstance(change.issuer, Unchanged):
            # The next sign-in sends the secret to the issuer. An admin who changes it may not know the secret.
            if change.issuer != row.issuer and sealed is None:
                raise InvalidSetting(
                    "clientSecret",
                    "give the secret that the new issuer knows; the stored one is for the old issuer",
                )
            row.issuer = change.issuer
        if not isinstance(change.client_id, Unchanged):
            row.client_id = _checked_client(change.client_id)
        if not isinstance(change.domains, Unchanged):
            row.domains = _checked_domains(change.domains)
        after = _state(row)
        is_another = any(before[key] != after[key] for key in ("issuer", "clientId"))
        is_narrowed = before["domains"] != after["domains"] and forget_outside(session, store, actor, row)
        if _is_owner(session, actor, organization_id):
            # An owner who leaves one out may not have seen what an admin put there.
            is_named = not isinstance(change.issuer, Unchanged) and not isinstance(
                change.client_id, Unchanged
            )
            row.signs_in_owners = row.signs_in_owners or is_named
        elif is_another or before["domains"] != after["domains"]:
            row.signs_in_owners = False
        after = _state(row)
        restates = is_another and forget_all(session, store, actor, row)
        if after != before:
            restates = restates or is_narrowed
            record(session, "identityProviders.update", _target(row), before, after, restates=restates)
        if sealed is not None:
            row.secret, row.secret_key_id = sealed.ciphertext, sealed.key_id
            record(session, "identityProviders.replaceSecret", _target(row))
        return record_of(row)


def remove_provider(
    store: ControlStore, actor: Principal, organization_id: str, provider_id: str, ways: OfferedWays
) -> None:
    """Remove a provider with its secret, its identities and the sessions that it began.

    Raises NotFound, NotPossible for the last one where members could not sign in without it.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITY_PROVIDERS) as session:
        row = existing_provider(session, organization_id, provider_id)
        organization = session.get_one(Organization, organization_id)
        others = session.scalar(
            select(func.count()).where(
                IdentityProvider.organization_id == organization_id, IdentityProvider.id != provider_id
            )
        )
        if locks_out(organization, ways, has_own_provider=bool(others)):
            loosen = (
                " or accept other ways in …/signInPolicy" if ways.has_passwords or ways.has_providers else ""
            )
            raise NotPossible(
                f"without this provider members could no longer sign in; first add another one{loosen}"
            )
        restates = forget_all(session, store, actor, row)
        record(session, "identityProviders.remove", _target(row), _state(row), restates=restates)
        session.delete(row)


def provider(store: ControlStore, organization_id: str, provider_id: str) -> ProviderRecord:
    """A provider. Raises NotFound."""
    with store.session() as session:
        return record_of(existing_provider(session, organization_id, provider_id))


def list_providers(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[ProviderRecord]:
    """A page of the providers, by name."""
    statement = owned(IdentityProvider, organization_id)
    with store.session() as session:
        return list_page(session, statement, KEYS, asked, record_of, default="name", unique="id")


def existing_provider(session: Session, organization_id: str, provider_id: str) -> IdentityProvider:
    """The row of a provider. Raises NotFound."""
    return existing(
        session, IdentityProvider, organization_id, provider_id, "identity provider", "identityProviders"
    )


def _is_owner(session: Session, actor: Principal, organization_id: str) -> bool:
    role, is_administrator = present_role(session, actor, organization_id)
    return role is Role.OWNER or is_administrator


def _refuse_same_name(session: Session, row: IdentityProvider) -> None:
    same = select(IdentityProvider.id).where(
        IdentityProvider.organization_id == row.organization_id,
        func.lower(IdentityProvider.name) == row.name.lower(),
        IdentityProvider.id != row.id,
    )
    if session.scalar(same.limit(1)) is not None:
        raise AlreadyExists(f"an identity provider is named {row.name!r} already; use another name")


def _checked_name(name: str) -> str:
    return checked_name(name, "name", max_length=MAX_NAME_LENGTH)


def _checked_client(client_id: str) -> str:
    client_id = checked_literal(client_id.strip(), "clientId", max_length=MAX_CLIENT_ID_LENGTH)
    if not client_id.isascii() or not client_id.isprintable():
        raise InvalidSetting("clientId", "use only visible ASCII characters")
    return client_id


def _checked_domains(domains: tuple[str, ...]) -> list[str]:
    if len(domains) > MAX_DOMAINS:
        raise InvalidSetting("domains", f"at most {MAX_DOMAINS}")
    return checked_domains(list(domains), "domains")


def _state(row: IdentityProvider) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "name": row.name,
        "issuer": row.issuer,
        "clientId": row.client_id,
        "domains": list(row.domains),
        "signsInOwners": row.signs_in_owners,
    }


def _target(row: IdentityProvider) -> Target:
    return Target("identityProvider", row.id, row.name)
