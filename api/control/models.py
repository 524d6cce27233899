"""Tables of the control database.

Add: columns of things that people decide. Keep out: anything that can be computed from a repository.
Every change here needs a migration in `migrations/versions`; a test compares the two.
"""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Date,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator


class UtcInstant(TypeDecorator[datetime]):
    """An instant, always UTC: SQLite drops the zone, so it is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; pass an aware datetime")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Declarative base of the control tables."""


class Organization(Base):
    __tablename__ = "organizations"
    __table_args__ = (
        CheckConstraint(
            "work_category_grouping in ('five', 'three', 'two')", name="ck_organizations_grouping"
        ),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    slug: Mapped[str] = mapped_column(String(63), unique=True)
    time_zone: Mapped[str] = mapped_column(String(64))
    work_category_grouping: Mapped[str] = mapped_column(String(8))
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    # For repositories that have no date of their own.
    analysis_start_on: Mapped[date | None] = mapped_column(Date)
    # Of the newest row of company_contexts; 0 before the first.
    context_version: Mapped[int] = mapped_column(server_default="0")
    has_ai_developer_columns: Mapped[bool] = mapped_column(server_default=true())
    has_ai_repository_columns: Mapped[bool] = mapped_column(server_default=true())
    has_ai_team_columns: Mapped[bool] = mapped_column(server_default=true())
    has_individual_figures: Mapped[bool] = mapped_column(server_default=true())
    # People that a figure must be made of; 0 and 1: any.
    minimum_group_size: Mapped[int] = mapped_column(server_default="0")
    # ISO numbers of the days that are worked on, ascending; 1 is Monday.
    working_weekdays: Mapped[str] = mapped_column(String(7), server_default="12345", default="12345")
    hours_per_day_hundredths: Mapped[int] = mapped_column(server_default="800", default=800)
    # Days without work: `{"date": "2026-12-25", "name": "Christmas"}`, by date.
    holidays: Mapped[list[dict[str, str]]] = mapped_column(JSON, server_default="[]", default=list)
    # Whether schedules read its repositories, or only people do.
    analysis_mode: Mapped[str] = mapped_column(String(16), server_default="automatic", default="automatic")
    # trial, paid or unlimited.
    plan: Mapped[str] = mapped_column(String(16), server_default="unlimited", default="unlimited")
    # Commits that may be analysed; none: any number.
    commit_limit: Mapped[int | None]
    trial_ends_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    trial_warned_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    # When billable developers are counted next.
    renews_on: Mapped[date | None] = mapped_column(Date)


class CompanyContext(Base):
    """What an organization says about itself, one row per change: a summary names the version it was written with."""

    __tablename__ = "company_contexts"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcInstant)


class Repository(Base):
    __tablename__ = "repositories"
    __table_args__ = (
        Index("ix_repositories_name", "organization_id", text("lower(name)"), "id"),
        Index(
            "ix_repositories_state",
            "organization_id",
            "removed_at",
            "is_sandbox",
            "is_disabled",
            "is_stopped",
            "failed_at",
        ),
    )

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    origin: Mapped[str] = mapped_column(String(4096))
    is_sandbox: Mapped[bool]
    is_excluded: Mapped[bool]
    is_disabled: Mapped[bool]
    analysis_start_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    removed_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    # Where it is fetched, without secrets; none: where the command line was told.
    address: Mapped[str | None] = mapped_column(String(4096))
    # None: the one that the host presents.
    chosen_branch: Mapped[str | None] = mapped_column(String(255))
    tags: Mapped[list[str]] = mapped_column(JSON, server_default="[]", default=list)
    # Not read until somebody edits the repository.
    is_stopped: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # How reading it went: the last success, the last failure since, the commits that were found.
    read_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    failed_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    failure: Mapped[str | None] = mapped_column(Text)
    commit_total: Mapped[int | None]


class CommitExclusion(Base):
    """What people decided about a commit: left out of all figures, or counted although a rule leaves it out.

    Of the two the exclusion holds. Taking it back leaves what was decided before.
    """

    __tablename__ = "commit_exclusions"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    # Commits are found by the analysis, not kept here.
    commit_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    is_excluded: Mapped[bool] = mapped_column(primary_key=True)
    commit_sha: Mapped[str] = mapped_column(String(64))
    repository_id: Mapped[str] = mapped_column(String(36))
    subject: Mapped[str] = mapped_column(String(255))
    reason: Mapped[str | None] = mapped_column(String(16))
    note: Mapped[str | None] = mapped_column(String(1000))
    # A copy: the list outlives accounts and keys.
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime] = mapped_column(UtcInstant)


class CommitCategory(Base):
    """The category of all changes of a commit, decided by hand."""

    __tablename__ = "commit_categories"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    commit_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    commit_sha: Mapped[str] = mapped_column(String(64))
    category: Mapped[str] = mapped_column(String(16))
    # Null in rows of earlier releases.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime] = mapped_column(UtcInstant)


class Correction(Base):
    """What a person says is wrong about their own figures, and what became of it."""

    __tablename__ = "corrections"
    __table_args__ = (
        CheckConstraint("kind in ('alias', 'exclusion', 'category')", name="ck_corrections_kind"),
        CheckConstraint("state in ('pending', 'accepted', 'rejected')", name="ck_corrections_state"),
        Index("ix_corrections_time", "organization_id", "filed_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16))
    # An account, by copies: the correction outlives it.
    filed_by: Mapped[str] = mapped_column(String(36))
    filed_by_email: Mapped[str] = mapped_column(String(254))
    filed_at: Mapped[datetime] = mapped_column(UtcInstant)
    developer_id: Mapped[str] = mapped_column(String(36))
    developer_name: Mapped[str] = mapped_column(String(255))
    text: Mapped[str] = mapped_column(String(1000))
    # Of an alias: whose it is said to be.
    email: Mapped[str | None] = mapped_column(String(254))
    is_mine: Mapped[bool | None]
    # Of the others.
    commit_id: Mapped[str | None] = mapped_column(String(36))
    commit_sha: Mapped[str | None] = mapped_column(String(64))
    # Null too in rows of earlier releases.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    category: Mapped[str | None] = mapped_column(String(16))
    decided_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    decided_by: Mapped[str | None] = mapped_column(String(254))
    answer: Mapped[str | None] = mapped_column(String(1000))


class ApiToken(Base):
    __tablename__ = "api_tokens"
    __table_args__ = (CheckConstraint("scope in ('read', 'write')", name="ck_api_tokens_scope"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(100))
    key_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    scope: Mapped[str] = mapped_column(String(8))
    # None: made by the operator at the command line. With the account goes its token, or it would become one of those.
    created_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    expires_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcInstant)


class Account(Base):
    """A person who can sign in. What the person may do is said by memberships, not here."""

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    email: Mapped[str] = mapped_column(String(254))
    # The address as it is compared: without case.
    email_key: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(255))
    password_hash: Mapped[str | None] = mapped_column(String(255))
    is_platform_administrator: Mapped[bool]
    verified_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    created_at: Mapped[datetime] = mapped_column(UtcInstant)


class Member(Base):
    """An account in an organization."""

    __tablename__ = "members"
    __table_args__ = (
        CheckConstraint(
            "role in ('owner', 'admin', 'member', 'viewer', 'team_lead')", name="ck_members_role"
        ),
    )

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    account_id: Mapped[str] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(16))
    joined_at: Mapped[datetime] = mapped_column(UtcInstant)


class SignInSession(Base):
    """A device that is signed in. The row goes when the session ends."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    device: Mapped[str] = mapped_column(String(255))
    active_organization_id: Mapped[str | None] = mapped_column(
        ForeignKey("organizations.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    last_used_at: Mapped[datetime] = mapped_column(UtcInstant)
    expires_at: Mapped[datetime] = mapped_column(UtcInstant)


class Invitation(Base):
    """A pending invitation. The row goes when it is accepted or cancelled; the audit log remembers it."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("role in ('owner', 'member', 'viewer')", name="ck_invitations_role"),
        UniqueConstraint("organization_id", "email_key", name="uq_invitations_address"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    email: Mapped[str] = mapped_column(String(254))
    email_key: Mapped[str] = mapped_column(String(254))
    role: Mapped[str] = mapped_column(String(16))
    invited_by: Mapped[str] = mapped_column(String(254))
    # Counts refreshings: part of what the link is made of, so a refreshed invitation has another link.
    generation: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    expires_at: Mapped[datetime] = mapped_column(UtcInstant)


class Team(Base):
    """A team; the tree is today's."""

    __tablename__ = "teams"
    __table_args__ = (UniqueConstraint("organization_id", "name_key", name="uq_teams_name"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("teams.id"), index=True)
    name: Mapped[str] = mapped_column(String(255))
    # The name as it is compared: without case.
    name_key: Mapped[str] = mapped_column(String(1024))
    created_at: Mapped[datetime] = mapped_column(UtcInstant)


class TeamLead(Base):
    """A member who leads a team, and with it every team below. The row goes with the member."""

    __tablename__ = "team_leads"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_team_leads_member",
            ondelete="CASCADE",
        ),
        Index("ix_team_leads_member", "organization_id", "account_id"),
    )

    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(String(36))
    created_at: Mapped[datetime] = mapped_column(UtcInstant)


class TeamMembership(Base):
    """A developer's days in a team; those of one developer do not overlap."""

    __tablename__ = "team_memberships"
    __table_args__ = (
        UniqueConstraint("organization_id", "developer_id", "start_on", name="uq_team_memberships_start"),
        CheckConstraint("end_on is null or end_on >= start_on", name="ck_team_memberships_order"),
        # With the last day, those that hold on a day are counted without the rows themselves.
        Index("ix_team_memberships_days", "organization_id", "start_on", "id", "end_on"),
        Index("ix_team_memberships_team", "team_id", "organization_id", "start_on", "end_on", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    # Developers are found by the analysis, not kept here.
    developer_id: Mapped[str] = mapped_column(String(36))
    start_on: Mapped[date] = mapped_column(Date)
    # The last day; none while it lasts.
    end_on: Mapped[date | None] = mapped_column(Date)


class IdentityDecision(Base):
    """Who is who, as somebody decided it: a merge, a split, or a suggestion that was dismissed. Never deleted."""

    __tablename__ = "identity_decisions"
    __table_args__ = (
        CheckConstraint("kind in ('merge', 'split', 'dismissal')", name="ck_identity_decisions_kind"),
        Index("ix_identity_decisions_time", "organization_id", "at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime] = mapped_column(UtcInstant)
    decided_by: Mapped[str] = mapped_column(String(254))
    # Of a split: whom the addresses were taken from, and who they are since.
    developer_id: Mapped[str | None] = mapped_column(String(36))
    developer_name: Mapped[str | None] = mapped_column(String(255))
    new_developer_id: Mapped[str | None] = mapped_column(String(36))
    undone_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    undone_by: Mapped[str | None] = mapped_column(String(254))


class IdentityPart(Base):
    """What a decision is about: a developer, or an address of a split, as it was called then."""

    __tablename__ = "identity_parts"

    decision_id: Mapped[str] = mapped_column(
        ForeignKey("identity_decisions.id", ondelete="CASCADE"), primary_key=True
    )
    part_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    email: Mapped[str | None] = mapped_column(String(255))
    # Of a split: whether the address stayed where it was while its mailbox was taken out. Null elsewhere, and in splits
    # of earlier releases, which are of these names alone.
    is_left: Mapped[bool | None]


class DeveloperAttribute(Base):
    """What somebody said about a developer, by the id that they had then. No value: said that there is none."""

    __tablename__ = "developer_attributes"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    developer_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    attribute: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str | None] = mapped_column(String(2048))


class AuditEntry(Base):
    """What somebody changed. Written with the change, never changed itself."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ix_audit_entries_time", "organization_id", "at", "id"),
        # By what the log is filtered.
        Index("ix_audit_entries_action", "organization_id", "action", "at", "id"),
        Index("ix_audit_entries_target", "organization_id", "target_id", "at", "id"),
        Index("ix_audit_entries_actor", "organization_id", "actor_id", "at", "id"),
        Index("ix_audit_entries_name", "organization_id", "actor_name", "at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcInstant)
    # Copies, not references: the log outlives accounts, keys and what was changed.
    actor_kind: Mapped[str] = mapped_column(String(16))
    actor_id: Mapped[str | None] = mapped_column(String(36))
    actor_name: Mapped[str] = mapped_column(String(254))
    action: Mapped[str] = mapped_column(String(64))
    target_kind: Mapped[str] = mapped_column(String(32))
    target_id: Mapped[str] = mapped_column(String(64))
    target_name: Mapped[str] = mapped_column(String(255))
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class CommitGrant(Base):
    """Commits of a repository that a limited organization may have analysed: from one number to another.

    Numbers count the commits of the default branch in the order of their delivery, from 1.
    """

    __tablename__ = "commit_grants"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    # Kept when the repository goes: what was analysed stays counted.
    repository_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    first_number: Mapped[int]
    last_number: Mapped[int]


class Renewal(Base):
    """Who was billable when a period began. Never changed."""

    __tablename__ = "renewals"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    renewed_on: Mapped[date] = mapped_column(Date, primary_key=True)
    counted_at: Mapped[datetime] = mapped_column(UtcInstant)
    build_id: Mapped[str] = mapped_column(String(64))
    # `{"id": …, "name": …, "email": …}`, by name.
    developers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)


class CapexPolicy(Base):
    """A version of what can be capitalized. Never changed; a later version or withdrawing it ends it."""

    __tablename__ = "capex_policies"
    __table_args__ = (UniqueConstraint("organization_id", "version", name="uq_capex_policies_version"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    version: Mapped[int]
    # First day of the first month that it applies to.
    valid_from: Mapped[date] = mapped_column(Date)
    reason: Mapped[str] = mapped_column(String(1000))
    rules: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    # A copy: the policy outlives accounts and keys.
    created_by: Mapped[str] = mapped_column(String(254))
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcInstant)


class CapexLock(Base):
    """A month whose report is closed."""

    __tablename__ = "capex_locks"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    month: Mapped[date] = mapped_column(Date, primary_key=True)
    build_id: Mapped[str] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(String(1000))
    locked_by: Mapped[str] = mapped_column(String(254))
    locked_at: Mapped[datetime] = mapped_column(UtcInstant)


OF_A_LOCK = ["capex_locks.organization_id", "capex_locks.month"]


class CapexLockedRow(Base):
    """A row of the report as it was when its month was closed."""

    __tablename__ = "capex_locked_rows"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "month"], OF_A_LOCK, name="fk_capex_locked_rows_lock", ondelete="CASCADE"
        ),
    )

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    month: Mapped[date] = mapped_column(Date, primary_key=True)
    developer_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    row: Mapped[dict[str, Any]] = mapped_column(JSON)


class CapexRestatement(Base):
    """How a published build changed a row of a closed month, and why."""

    __tablename__ = "capex_restatements"
    __table_args__ = (
        UniqueConstraint(
            "organization_id", "month", "developer_id", "build_id", name="uq_capex_restatements_build"
        ),
        ForeignKeyConstraint(
            ["organization_id", "month"], OF_A_LOCK, name="fk_capex_restatements_lock", ondelete="CASCADE"
        ),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    month: Mapped[date] = mapped_column(Date)
    developer_id: Mapped[str] = mapped_column(String(36))
    at: Mapped[datetime] = mapped_column(UtcInstant)
    build_id: Mapped[str] = mapped_column(String(64))
    # None: the row came, or went.
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    reasons: Mapped[list[str]] = mapped_column(JSON)


class Operation(Base):
    """The outbox: a change that figures follow only after a run. Written with the change."""

    __tablename__ = "operations"
    __table_args__ = (
        UniqueConstraint("organization_id", "position", name="uq_operations_position"),
        Index("ix_operations_build", "organization_id", "build_id", "position"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    # Counts an organization's changes in the order in which they were committed: a build includes all up to one.
    position: Mapped[int]
    at: Mapped[datetime] = mapped_column(UtcInstant)
    # As in the audit log.
    action: Mapped[str] = mapped_column(String(64))
    target_kind: Mapped[str] = mapped_column(String(32))
    target_id: Mapped[str] = mapped_column(String(64))
    target_name: Mapped[str] = mapped_column(String(255))
    # The repository whose facts have to be read anew; none where a build is enough.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    # Of reading the repository: begun, and ended well.
    started_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    read_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    # In a published build, or given up.
    ended_at: Mapped[datetime | None] = mapped_column(UtcInstant)
    build_id: Mapped[str | None] = mapped_column(String(64))
    # Why the last run for it failed; a later one may still include it.
    error: Mapped[str | None] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class Link(Base):
    """A link that was mailed and works once. The row goes when it is used; the link itself is not stored."""

    __tablename__ = "links"

    key_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16))
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    # The address it was sent to, which using it proves to be the account's.
    email_key: Mapped[str] = mapped_column(String(254))
    expires_at: Mapped[datetime] = mapped_column(UtcInstant, index=True)


class Mail(Base):
    """A mail that is due. Holds no secret: links are made when it is sent, and the row goes then."""

    __tablename__ = "mails"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    recipient: Mapped[str] = mapped_column(String(254))
    facts: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    due_at: Mapped[datetime] = mapped_column(UtcInstant, index=True)
    attempts: Mapped[int]


class Throttle(Base):
    """How far ahead of its allowance somebody is; the key is a hash of what is limited."""

    __tablename__ = "throttles"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    # From then on the whole allowance is there again, and the row can go.
    drained_at: Mapped[datetime] = mapped_column(UtcInstant, index=True)


class SigningKey(Base):
    """Key with which this deployment signs what it hands out and takes back, page tokens first."""

    __tablename__ = "signing_keys"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    key: Mapped[bytes] = mapped_column(LargeBinary(32))
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
