"""Summaries of completed periods, their texts, and who wants them by mail."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, ForeignKeyConstraint, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned


class Summary(Owned):
    """The summary of a scope and a completed period."""

    __tablename__ = "summaries"
    __table_args__ = (
        UniqueConstraint(
            "organization_id", "scope_kind", "scope_id", "period", "period_start", name="uq_summaries_period"
        ),
        Index("ix_summaries_start", "organization_id", "period_start", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    # organization, team or repository.
    scope_kind: Mapped[str] = mapped_column(String(16))
    # No foreign key: the analysis finds repositories, and a deleted team keeps what happened.
    scope_id: Mapped[str] = mapped_column(String(36))
    # As it was named when the last revision was written.
    scope_name: Mapped[str] = mapped_column(String(255))
    # week, month or quarter.
    period: Mapped[str] = mapped_column(String(8))
    period_start: Mapped[date]
    # The last day, included.
    period_end: Mapped[date]
    # The number of its newest revision.
    revision_count: Mapped[int]


class SummaryRevision(Owned):
    """A text of a summary, with the facts that it cites. Only the mark of a restatement changes later."""

    __tablename__ = "summary_revisions"
    __table_args__ = (Index("ix_summary_revisions_organization", "organization_id"),)

    summary_id: Mapped[str] = mapped_column(ForeignKey("summaries.id", ondelete="CASCADE"), primary_key=True)
    # From 1.
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    generated_at: Mapped[datetime]
    build_id: Mapped[str] = mapped_column(String(64))
    calculation_version: Mapped[str] = mapped_column(String(64))
    # The version of the company context; 0 without one.
    context_version: Mapped[int]
    facts: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    # A digest of the facts, by which a build finds out what it restates without reading them.
    facts_digest: Mapped[str] = mapped_column(String(64))
    # rules or model.
    written_by: Mapped[str] = mapped_column(String(8))
    model: Mapped[str | None] = mapped_column(String(255))
    prompt_version: Mapped[str | None] = mapped_column(String(32))
    input_hash: Mapped[str | None] = mapped_column(String(64))
    # Why a model's text was not used.
    failure: Mapped[str | None] = mapped_column(Text)
    # The model's own words, from which and the facts the document can be made again, and tokens by the server's names.
    answer: Mapped[str | None] = mapped_column(Text)
    tokens: Mapped[dict[str, int] | None] = mapped_column(JSON)
    # The operation that asked for this revision; null for the first one.
    operation_id: Mapped[str | None] = mapped_column(String(36))
    # Since when a build has other values for cited facts; null while they are the same.
    restated_at: Mapped[datetime | None]
    restated_build_id: Mapped[str | None] = mapped_column(String(64))
    # `{"factId": …, "field": …, "before": …, "after": …}` for each of them.
    restated_facts: Mapped[list[dict[str, Any]]] = mapped_column(JSON)


class SummarySubscription(Owned):
    """A member's wish to get the summaries of a scope by mail. Removing the member removes the row."""

    __tablename__ = "summary_subscriptions"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_summary_subscriptions_member",
            ondelete="CASCADE",
        ),
        UniqueConstraint(
            "organization_id",
            "account_id",
            "scope_kind",
            "scope_id",
            "period",
            name="uq_summary_subscriptions",
        ),
        Index("ix_summary_subscriptions_scope", "organization_id", "scope_id", "period"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(36))
    # Kind, id and period as in summaries.
    scope_kind: Mapped[str] = mapped_column(String(16))
    scope_id: Mapped[str] = mapped_column(String(36))
    period: Mapped[str] = mapped_column(String(8))
    created_at: Mapped[datetime]
    # When the last mail was given to the mail server; null before the first one.
    mailed_at: Mapped[datetime | None]
