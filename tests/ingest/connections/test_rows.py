"""Values that a column cannot hold are refused row by row, before they stop a batch."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from ingest.connections.git_hosts.records import Event, PullRequest, Repository, SourceCommit
from ingest.connections.model import Record
from ingest.connections.rows import row_of, table_of
from ingest.connections.trackers.records import Change, Item
from ingest.schemas import TABLES
from tests.ingest.connections.invented_tracker import Invented
from tests.ingest.connections.running import connection_to

NOW = datetime(2026, 3, 1, tzinfo=UTC)
REPOSITORY = Repository(
    "r", "acme", "shop", "https://h.example/a/s", None, None, False, False, False, True, NOW, {}
)
PULL = PullRequest(
    "r/1", "r", 1, "Title", None, "open", False, "ann", None, "person", NOW, NOW, None, None, None, "topic", "main",
    False, None, None, 1, None, [], [Event("approved", NOW, "bob")], [SourceCommit("a" * 40)], 1, {}, labels=["label"],
)  # fmt: skip
ITEM = Item("1", "issue", "A-1", "Title", "Open", "todo", NOW, NOW, {}, estimate=3, target_on=date(2026, 3, 31),
            history=[Change("status", NOW, "New", "Open")])  # fmt: skip
RECORDS: list[tuple[str, str, Record]] = [
    ("hosts", "repositories", REPOSITORY), ("hosts", "pull_requests", PULL), ("trackers", "items", ITEM),
]  # fmt: skip


def built(noun: str, table: str, record: Record) -> pa.Table:
    connection = connection_to(Invented([]), "https://t.example")
    return table_of(connection, noun, table, 1, type(record), [row_of(record)])


@pytest.mark.parametrize(("noun", "table", "record"), RECORDS)
@pytest.mark.parametrize("junk", [7, 2**70, "text", True, 1.5, [], [3], {}, {"id": 1}, NOW, date(2026, 1, 1)])
def test_a_row_is_refused_or_fits_its_table(noun: str, table: str, record: Record, junk: Any) -> None:
    for each in fields(record):
        if each.name == "payload":
            continue
        spoilt = replace(record, **{each.name: junk})
        try:
            row_of(spoilt)
        except (TypeError, OverflowError):
            continue
        assert built(noun, table, spoilt).num_rows == 1


@pytest.mark.parametrize(("noun", "table", "record"), RECORDS)
def test_good_rows_are_kept(noun: str, table: str, record: Record) -> None:
    assert built(noun, table, record).schema.names == TABLES[noun, table].names


@pytest.mark.parametrize(
    "field", ["title", "number", "created_at", "labels", "is_draft", "events", "commits"]
)
def test_a_value_of_another_type_is_refused(field: str) -> None:
    junk: dict[str, Any] = {field: {"not": "this"}}
    with pytest.raises(TypeError, match=field):
        row_of(replace(PULL, **junk))


def test_text_in_lists_and_events_is_refused_too() -> None:
    for spoilt in (
        replace(PULL, labels=[3]),  # type: ignore[list-item]
        replace(PULL, events=[Event("approved", NOW, 5)]),  # type: ignore[arg-type]
        replace(PULL, number=2**63),
    ):
        with pytest.raises((TypeError, OverflowError)):
            row_of(spoilt)
