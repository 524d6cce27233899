"""A provider of an organization as its settings say, without its secret.

Keep out: changing it (providers.py), its secret (usable.py).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from api.control.accounts.sign_in_rules import DEPLOYMENT
from api.control.identity_providers.kinds import ProviderKind
from api.control.models import IdentityProvider
from api.control.records import copied

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """A provider of an organization, without its secret."""

    id: str
    organization_id: str
    kind: ProviderKind
    name: str
    issuer: str
    client_id: str
    domains: tuple[str, ...]
    signs_in_owners: bool
    created_at: datetime
    created_by: str


def record_of(row: IdentityProvider) -> ProviderRecord:
    """The row as a record."""
    return copied(ProviderRecord, row)


def draft(organization_id: str, kind: ProviderKind, issuer: str) -> ProviderRecord:
    """A provider that is not stored, for the check of its issuer."""
    return ProviderRecord("", organization_id, kind, "", issuer, "", (), False, EPOCH, "")


def deployment_way(kind: ProviderKind) -> str:
    """The name in a session of a provider of the deployment."""
    return f"{DEPLOYMENT}:{kind.lower()}"
