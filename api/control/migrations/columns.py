"""Columns that the migrations share. Frozen like the migrations: a changed one would change released revisions."""

import sqlalchemy as sa


def reference(
    name: str,
    target: str,
    *,
    nullable: bool = False,
    primary_key: bool = False,
    index: bool = False,
    ondelete: str = "CASCADE",
) -> sa.Column[str]:
    """The id of a row of another table (`target` is its table and column), with which the row is deleted."""
    key = sa.ForeignKey(target, ondelete=ondelete)
    return sa.Column(name, sa.String(36), key, nullable=nullable, primary_key=primary_key, index=index)
