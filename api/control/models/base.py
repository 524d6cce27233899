"""The declarative base of all tables, the type of instants, and columns that many tables have."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import DateTime, ForeignKey
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

    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: UtcInstant}


OrganizationId = Annotated[str, mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))]


class Owned(Base):
    """A table whose rows belong to organizations, and are deleted with them."""

    __abstract__ = True

    organization_id: Mapped[OrganizationId]


class OwnedByKey(Owned):
    """One whose primary key begins with the organization."""

    __abstract__ = True

    # First in the key, as `Session.get` takes it.
    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True, sort_order=-1)
