"""Rows of an organization, and their columns as the raw schemas name them."""

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import SQLColumnExpression, select
from sqlalchemy.orm import Session

from api.control.models import Owned

Row = TypeVar("Row", bound=Owned)


def owned(
    session: Session, table: type[Row], organization_id: str, *order: SQLColumnExpression[Any]
) -> Sequence[Row]:
    """The rows of an organization in a table, in this order."""
    own = select(table).where(table.organization_id == organization_id)
    return session.scalars(own.order_by(*order)).all()


def columns(row: object, *names: str) -> dict[str, Any]:
    """The columns of these names."""
    return {name: getattr(row, name) for name in names}
