"""Constructors for described Arrow fields, shared by the schema modules."""

import pyarrow as pa

INSTANT = pa.timestamp("us", tz="UTC")


def field(name: str, kind: pa.DataType, description: str, *, nullable: bool = False) -> pa.Field:
    """A field that carries its description as Arrow metadata (key `description`)."""
    return pa.field(name, kind, nullable=nullable, metadata={"description": description})


def text(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, pa.string(), description, nullable=nullable)


def integer(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, pa.int32(), description, nullable=nullable)


def long(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    """A whole number of 64 bits."""
    return field(name, pa.int64(), description, nullable=nullable)


def flag(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, pa.bool_(), description, nullable=nullable)


def instant(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, INSTANT, description, nullable=nullable)


def day(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, pa.date32(), description, nullable=nullable)
