"""What a published relation is: its name, key and columns, and the copies that reads need of it.

Types are families, not exact types, so that a model may widen an integer without a change here. Keep out: which
relations there are (published_schema.py).
"""

from dataclasses import dataclass

from orchestration.published_copies import Copy

TEXT, INTEGER, FLAG, DATE, INSTANT, NUMBER, LIST = (
    "text",
    "integer",
    "flag",
    "date",
    "instant",
    "number",
    "list",
)

FAMILIES: dict[str, tuple[str, ...]] = {
    TEXT: ("VARCHAR",),
    INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    FLAG: ("BOOLEAN",),
    DATE: ("DATE",),
    INSTANT: ("TIMESTAMP WITH TIME ZONE",),
    NUMBER: ("DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A published relation of the warehouse: its key, the columns reads rely on, and its copies."""

    name: str
    key: tuple[str, ...]
    columns: dict[str, str]
    copies: tuple[Copy, ...]
    not_empty: bool = False


def columns(**families: str) -> dict[str, str]:
    """The family of each column: their names, with spaces, by family."""
    return {name: family for family, names in families.items() for name in names.split()}
