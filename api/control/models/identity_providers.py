"""Identity providers of organizations, the identities of accounts at providers, and sign-ins that are under way."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, OrganizationId, Owned


class IdentityProvider(Owned):
    """A provider of an organization with its encrypted secret. Those of the deployment are in the environment."""

    __tablename__ = "identity_providers"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[OrganizationId] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(32))
    name: Mapped[str] = mapped_column(String(255))
    issuer: Mapped[str] = mapped_column(String(2048))
    client_id: Mapped[str] = mapped_column(String(255))
    # Nonce and ciphertext, and the id of the key (secrets.py).
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    secret_key_id: Mapped[str] = mapped_column(String(16))
    # Domains of the addresses that it may vouch for; none: any.
    domains: Mapped[list[str]] = mapped_column(JSON)
    # Whether an owner vouches for issuer and client. An admin's provider must not begin the session of an owner.
    signs_in_owners: Mapped[bool]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(254))


class AccountIdentity(Base):
    """An account as a provider knows it. After the first sign-in the subject identifies it, not the address."""

    __tablename__ = "account_identities"
    __table_args__ = (UniqueConstraint("scope", "issuer", "subject", name="uq_account_identities_subject"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    # `deployment`, or the id of an organization's provider: neither vouches for identities of the other.
    scope: Mapped[str] = mapped_column(String(36))
    organization_id: Mapped[str | None] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    issuer: Mapped[str] = mapped_column(String(512))
    subject: Mapped[str] = mapped_column(String(255))
    created_at: Mapped[datetime]


class SignInFlow(Base):
    """A browser on its way to a provider and back. The row is deleted at its return; its secrets are not stored."""

    __tablename__ = "sign_in_flows"

    state_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    browser_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    provider: Mapped[str] = mapped_column(String(64))
    invitation_id: Mapped[str | None] = mapped_column(String(36))
    # A refreshed invitation has another link.
    invitation_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    device: Mapped[str] = mapped_column(String(255))
    expires_at: Mapped[datetime] = mapped_column(index=True)


class SignInCode(Base):
    """A recognized account whose browser has not fetched its session yet. The row is deleted when it does."""

    __tablename__ = "sign_in_codes"

    code_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    browser_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    provider: Mapped[str] = mapped_column(String(64))
    identity_id: Mapped[str] = mapped_column(String(36))
    invitation_id: Mapped[str | None] = mapped_column(String(36))
    invitation_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    device: Mapped[str] = mapped_column(String(255))
    expires_at: Mapped[datetime] = mapped_column(index=True)
