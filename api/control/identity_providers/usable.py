"""Providers with their secrets, for sign-ins.

Keep out: decryption (control/sealed_rows.py), tokens of connections (connections/usable.py).
"""

from dataclasses import dataclass, field

from sqlalchemy import select

from api.control.errors import BadSecretKey, SecretUnreadable
from api.control.identity_providers.records import ProviderRecord, record_of
from api.control.models import IdentityProvider, Organization
from api.control.sealed_rows import readable_secret, secret_of
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class UsableProvider:
    """A provider with its secret, for a sign-in."""

    record: ProviderRecord
    organization_name: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CheckedProvider:
    """A provider with the slug of its organization. `problem` says why its secret cannot be decrypted."""

    record: ProviderRecord
    organization_slug: str
    problem: str | None


class ClientSecretUnreadable(SecretUnreadable):
    """The client secret of a provider cannot be decrypted. `record` is the provider."""

    def __init__(self, record: ProviderRecord, problem: str) -> None:
        super().__init__(problem)
        self.record = record


def usable_provider(store: ControlStore, provider_id: str) -> UsableProvider | None:
    """A provider of any organization with its secret; None for an unknown id. Raises ClientSecretUnreadable."""
    with store.session() as session:
        row = session.get(IdentityProvider, provider_id) if provider_id.isprintable() else None
        if row is None:
            return None
        name = session.get_one(Organization, row.organization_id).name
        try:
            return UsableProvider(record_of(row), name, secret_of(store, row))
        except (SecretUnreadable, BadSecretKey) as error:
            raise ClientSecretUnreadable(record_of(row), str(error)) from error


def checked_providers(store: ControlStore) -> list[CheckedProvider]:
    """The providers of every organization, and whether their secrets can be decrypted."""
    statement = (
        select(IdentityProvider, Organization.slug)
        .join(Organization, Organization.id == IdentityProvider.organization_id)
        .order_by(Organization.created_at, Organization.id, IdentityProvider.id)
    )
    with store.session() as session:
        return [
            CheckedProvider(record_of(row), slug, readable_secret(store, row)[1])
            for row, slug in session.execute(statement)
        ]
