"""Prices that an organization agreed with vendors of models, and the developers behind actors of AI tools."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class AiPrice(Owned):
    """What tokens of some models cost the organization. It never changes; a withdrawal ends its use.

    Prices are in 10⁻¹² US dollars a token. Without them, the price table counts, less the discount.
    """

    __tablename__ = "ai_prices"
    __table_args__ = (Index("ix_ai_prices_organization", "organization_id", "id"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    # In lower case. A `*` at the end stands for any rest.
    model: Mapped[str] = mapped_column(String(200))
    valid_from: Mapped[date]
    # The last day. None: no end.
    valid_until: Mapped[date | None]
    # Name of a model in the price table. None: the model's own.
    priced_as: Mapped[str | None] = mapped_column(String(200))
    discount_hundredths: Mapped[int | None]
    input_pico: Mapped[int | None] = mapped_column(BigInteger)
    cache_read_pico: Mapped[int | None] = mapped_column(BigInteger)
    cache_write_5m_pico: Mapped[int | None] = mapped_column(BigInteger)
    cache_write_1h_pico: Mapped[int | None] = mapped_column(BigInteger)
    output_pico: Mapped[int | None] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(String(1000))
    # A copy: the price outlives accounts and keys.
    created_by: Mapped[str] = mapped_column(String(254))
    created_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]


class AiActor(OwnedByKey):
    """The developer behind an address, a login or a key of AI tools. Without a row, its own name decides."""

    __tablename__ = "ai_actors"

    # In lower case, as usage names it.
    actor: Mapped[str] = mapped_column(String(255), primary_key=True)
    id: Mapped[str] = mapped_column(String(36), unique=True)
    # None: several people share it.
    developer_id: Mapped[str | None] = mapped_column(String(36))
    # As it was called at that time.
    developer_name: Mapped[str | None] = mapped_column(String(255))
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime]
