"""The rows of a person in every table: of the published build, the raw facts and the control database.

Every column with text is looked at, so nobody keeps a list of columns, and a new table is found too. Keep out: secrets,
files (folder.py), what marks a text (marks.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb
from sqlalchemy import JSON, LargeBinary, String, Table, Text, cast, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from api.control.models import Base
from api.control.store import ControlStore
from ingest.lake import Lake
from orchestration.people.marks import Marks
from orchestration.people.person import Person
from orchestration.report.snapshot import Snapshot

# Hashes and encrypted secrets say nothing about a person, and could open something.
SECRETS = frozenset({"password_hash", "secret_key_id"})
# The rows of `commits_by_time` in another order.
REPEATED = frozenset({"commits_by_developer", "commits_by_repository"})
WITHOUT_PEOPLE = frozenset({"signing_keys", "throttles"})


class Rows(NamedTuple):
    """Rows of a table, with the names of their columns."""

    table: str
    columns: Sequence[str]
    values: Sequence[Sequence[Any]]


def figures(snapshot: Snapshot, marks: Marks) -> Iterator[Rows]:
    """Their rows of each published table."""
    for (table,) in snapshot.rows("select distinct table_name from information_schema.tables order by 1"):
        if table not in REPEATED:
            yield _found(snapshot.connection, table, f'"{table}"', [], marks)


def facts(lake: Lake, marks: Marks) -> Iterator[Rows]:
    """Their rows of each raw table. Call it within `lake.reading`."""
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        for (noun, table), (_, *files) in lake.files(marks.person.organization_id).items():
            # The first file has no rows. The snapshot of the control database repeats the decisions.
            if files and noun != "control":
                relation = "read_parquet(?, union_by_name = true)"
                yield _found(connection, f"{noun}-{table}", relation, [files], marks)


def decisions(control: ControlStore, marks: Marks) -> Iterator[Rows]:
    """Their rows of each table of the control database, within the organization where a table has one."""
    with control.session() as session:
        for table in Base.metadata.sorted_tables:
            if table.name in WITHOUT_PEOPLE:
                continue
            columns = [
                one
                for one in table.columns
                if not isinstance(one.type, LargeBinary) and one.name not in SECRETS
            ]
            statement = select(*columns).where(_may_be_of(table, marks.person))
            if "organization_id" in table.columns:
                statement = statement.where(table.columns["organization_id"] == marks.person.organization_id)
            names = [one.name for one in columns]
            found = [tuple(row) for row in session.execute(statement)]
            yield Rows(table.name, names, [row for row in found if _is_of(names, row, marks)])


def _found(
    connection: duckdb.DuckDBPyConnection, name: str, relation: str, files: list[Any], marks: Marks
) -> Rows:
    conditions, parameters = [], list[Any](files)
    for column, kind, *_ in connection.execute(f"describe select * from {relation}", files).fetchall():
        if "VARCHAR" in kind or "JSON" in kind:
            # A list or document as JSON has each text in quotation marks.
            text = f'"{column}"' if kind == "VARCHAR" else f'cast(to_json("{column}") as varchar)'
            conditions.append(f"regexp_matches(lower({text}), ?)")
            parameters.append(marks.of_column(column))
    where = " or ".join(conditions) or "false"
    found = connection.execute(f"select * from {relation} where {where}", parameters)
    return Rows(name, [one[0] for one in found.description or ()], found.fetchall())


def _may_be_of(table: Table, person: Person) -> ColumnElement[bool]:
    """A condition that all rows of the person fulfil, and some others: SQLite has no expressions."""
    texts = sorted(person.ids | person.addresses | person.logins)
    conditions: list[ColumnElement[bool]] = []
    for column in table.columns:
        if isinstance(column.type, String | JSON) and column.name not in SECRETS:
            text = func.lower(cast(column, Text))
            conditions += [text.contains(one, autoescape=True) for one in texts]
    return or_(*conditions)


def _is_of(names: Sequence[str], row: Sequence[Any], marks: Marks) -> bool:
    texts = (
        (name, json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value)
        for name, value in zip(names, row, strict=True)
    )
    return any(isinstance(text, str) and marks.are_in(text, name) for name, text in texts)
