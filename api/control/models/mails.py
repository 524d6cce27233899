"""Queued mails and their links."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base


class Link(Base):
    """A mailed link that works once. The row is deleted when the link is used; the link itself is not stored."""

    __tablename__ = "links"

    key_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16))
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    # The recipient of the link. Using the link proves that the address belongs to the account.
    email_key: Mapped[str] = mapped_column(String(254))
    expires_at: Mapped[datetime] = mapped_column(index=True)


class Mail(Base):
    """A mail to send. It holds no secret, because links are made when it is sent. The row is deleted then."""

    __tablename__ = "mails"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    recipient: Mapped[str] = mapped_column(String(254))
    facts: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]
    due_at: Mapped[datetime] = mapped_column(index=True)
    attempts: Mapped[int]
