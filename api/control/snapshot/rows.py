"""Rows of an organization, and their columns as the raw schemas name them."""

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import SQLColumnExpression
from sqlalchemy.orm import Session

from api.control.models import Owned
from api.control.records import owned

Row = TypeVar("Row", bound=Owned)


def ordered(
    session: Session, table: type[Row], organization_id: str, *order: SQLColumnExpression[Any]
) -> Sequence[Row]:
    """The rows of an organization in a table, in this order."""
    return session.scalars(owned(table, organization_id).order_by(*order)).all()


def columns(row: object, *names: str) -> dict[str, Any]:
    """The columns of these names."""
    return {name: getattr(row, name) for name in names}
