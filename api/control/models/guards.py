"""Rate limits, and the keys with which the service signs."""

from datetime import datetime

from sqlalchemy import LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base


class Throttle(Base):
    """The state of a rate limit (GCRA); the key is a hash of the limited thing."""

    __tablename__ = "throttles"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    # From this time on the whole allowance is available, and the row can be deleted.
    theoretical_arrival_at: Mapped[datetime] = mapped_column(index=True)


class SigningKey(Base):
    """A signing key of this deployment, for example for page tokens."""

    __tablename__ = "signing_keys"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    key: Mapped[bytes] = mapped_column(LargeBinary(32))
    created_at: Mapped[datetime]
