"""Decisions about commits, and corrections of figures."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class CommitExclusion(OwnedByKey):
    """A manual decision about a commit: excluded from all figures, or counted against a rule.

    An exclusion wins over an inclusion. Removing it restores the earlier decision.
    """

    __tablename__ = "commit_exclusions"

    # Not a foreign key: the analysis finds commits, and this database has no table of them.
    commit_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    is_excluded: Mapped[bool] = mapped_column(primary_key=True)
    commit_sha: Mapped[str] = mapped_column(String(64))
    repository_id: Mapped[str] = mapped_column(String(36))
    subject: Mapped[str] = mapped_column(String(255))
    reason: Mapped[str | None] = mapped_column(String(16))
    note: Mapped[str | None] = mapped_column(String(1000))
    # The burst, if one decision covered all its commits; null for a commit that was decided alone.
    import_burst_id: Mapped[str | None] = mapped_column(String(36))
    # A copy: the list outlives accounts and keys.
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime]


class CommitCategory(OwnedByKey):
    """The category of all changes of a commit, decided by hand."""

    __tablename__ = "commit_categories"

    commit_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    commit_sha: Mapped[str] = mapped_column(String(64))
    category: Mapped[str] = mapped_column(String(16))
    # Null in rows of earlier releases.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime]


class CategoryAnswer(OwnedByKey):
    """What a model endpoint answered about the category of a commit, once for each version of the prompt."""

    __tablename__ = "category_answers"

    commit_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    repository_id: Mapped[str] = mapped_column(String(36))
    # Null where the answer could not be used; `failure` says why.
    category: Mapped[str | None] = mapped_column(String(16))
    confidence_micro: Mapped[int | None]
    model: Mapped[str] = mapped_column(String(255))
    prompt_version: Mapped[str] = mapped_column(String(32))
    # A digest of all that was sent.
    input_hash: Mapped[str] = mapped_column(String(64))
    # The model's own words, from which the category can be read again.
    answer: Mapped[str | None] = mapped_column(Text)
    failure: Mapped[str | None] = mapped_column(Text)
    answered_at: Mapped[datetime]


class Correction(Owned):
    """A request of a member to correct their own figures, with its state."""

    __tablename__ = "corrections"
    __table_args__ = (
        CheckConstraint("kind in ('alias', 'exclusion', 'category')", name="ck_corrections_kind"),
        CheckConstraint("state in ('pending', 'accepted', 'rejected')", name="ck_corrections_state"),
        Index("ix_corrections_time", "organization_id", "filed_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16))
    # Copies of an account's id and address, because the correction outlives the account.
    filed_by: Mapped[str] = mapped_column(String(36))
    filed_by_email: Mapped[str] = mapped_column(String(254))
    filed_at: Mapped[datetime]
    developer_id: Mapped[str] = mapped_column(String(36))
    developer_name: Mapped[str] = mapped_column(String(255))
    text: Mapped[str] = mapped_column(String(1000))
    # For an alias: whether the address is claimed or denied.
    email: Mapped[str | None] = mapped_column(String(254))
    is_mine: Mapped[bool | None]
    # For every other kind: the commit.
    commit_id: Mapped[str | None] = mapped_column(String(36))
    commit_sha: Mapped[str | None] = mapped_column(String(64))
    # Also null in rows of earlier releases.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    category: Mapped[str | None] = mapped_column(String(16))
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None] = mapped_column(String(254))
    answer: Mapped[str | None] = mapped_column(String(1000))
