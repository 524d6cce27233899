"""Root logins, used credentials included."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, UtcInstant


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
    created_at: Mapped[datetime] = mapped_column(UtcInstant)
    last_used_at: Mapped[datetime] = mapped_column(UtcInstant)
    expires_at: Mapped[datetime] = mapped_column(UtcInstant)
    ended_at: Mapped[datetime | None] = mapped_column(UtcInstant)
