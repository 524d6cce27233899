"""Accounts, sessions, members, invitations, tokens, and root logins, used credentials included."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, OrganizationId, Owned, OwnedByKey


class Account(Base):
    """An account. Memberships, not this table, hold its permissions."""

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    email: Mapped[str] = mapped_column(String(254))
    # The comparison key of the address: lower case.
    email_key: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(255))
    password_hash: Mapped[str | None] = mapped_column(String(255))
    is_platform_administrator: Mapped[bool]
    verified_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class SignInSession(Base):
    """A device that is signed in. The row is deleted when the session ends."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    device: Mapped[str] = mapped_column(String(255))
    active_organization_id: Mapped[str | None] = mapped_column(
        ForeignKey("organizations.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    # `password`, `deployment:<kind>`, or the id of an organization's identity provider.
    signed_in_by: Mapped[str] = mapped_column(String(64), server_default="password", default="password")
    # The organization whose own provider began the session, which reaches no other one.
    only_organization_id: Mapped[str | None] = mapped_column(String(36))


class Member(OwnedByKey):
    """An account in an organization."""

    __tablename__ = "members"
    __table_args__ = (
        CheckConstraint(
            "role in ('owner', 'admin', 'member', 'viewer', 'team_lead')", name="ck_members_role"
        ),
    )

    account_id: Mapped[str] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(16))
    joined_at: Mapped[datetime]


class Invitation(Owned):
    """A pending invitation. The row is deleted when it is accepted or cancelled; the audit log keeps both."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("role in ('owner', 'member', 'viewer')", name="ck_invitations_role"),
        UniqueConstraint("organization_id", "email_key", name="uq_invitations_address"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    email: Mapped[str] = mapped_column(String(254))
    email_key: Mapped[str] = mapped_column(String(254))
    role: Mapped[str] = mapped_column(String(16))
    invited_by: Mapped[str] = mapped_column(String(254))
    # Number of refreshes. The link is derived from it, so a refreshed invitation has another link.
    generation: Mapped[int]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class IssuedToken(Owned):
    """A secret that was shown once: its hash, its name, its optional end and its revocation."""

    __abstract__ = True

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[OrganizationId] = mapped_column(index=True)
    name: Mapped[str] = mapped_column(String(100))
    key_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    # Null: the operator made it, or the account is gone. A token that acts for no account works on without its creator.
    created_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class ApiToken(IssuedToken):
    __tablename__ = "api_tokens"
    __table_args__ = (CheckConstraint("scope in ('read', 'write')", name="ck_api_tokens_scope"),)

    scope: Mapped[str] = mapped_column(String(8))
    # Null: the operator made the token at the command line. Deleting an account deletes its tokens, because with null
    # they would count as the operator's.
    created_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    # The organization's own identity provider whose session made the token, which ends with it.
    made_by_provider: Mapped[str | None] = mapped_column(String(36))


class IngestToken(IssuedToken):
    """A key that sends telemetry of AI tools, of the organization or of one developer."""

    __tablename__ = "ingest_tokens"

    # The address of the developer whose tools send with it; null for one that many share.
    developer_email: Mapped[str | None] = mapped_column(String(254))


class ScimToken(IssuedToken):
    """A key with which a directory creates, changes and removes members."""

    __tablename__ = "scim_tokens"


class RootLogin(Base):
    """A root login with its session. The row stays, so that its credential never works again."""

    __tablename__ = "root_logins"
    __table_args__ = (
        CheckConstraint("signer in ('administrator', 'service')", name="ck_root_logins_signer"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    credential_id: Mapped[str] = mapped_column(String(100), unique=True)
    issuer: Mapped[str] = mapped_column(String(100))
    signer: Mapped[str] = mapped_column(String(16))
    # The public key. A session ends when the deployment no longer accepts it.
    key: Mapped[str] = mapped_column(String(43))
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    entered_organization_id: Mapped[str | None] = mapped_column(
        ForeignKey("organizations.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
