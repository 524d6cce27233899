"""Rows of an answer as records."""

from datetime import UTC, datetime
from typing import Any

from ingest.connections.parsing import slice_of
from ingest.connections.records import Item

AT = datetime(2026, 1, 1, tzinfo=UTC)


def parse(row: Any) -> Item:
    return Item(
        str(row["id"]),
        "issue",
        None,
        row["title"].strip(),
        None,
        "todo",
        AT,
        AT,
        payload=row,
        number=int(row["n"]),
    )


def test_a_malformed_row_is_named_and_the_others_are_kept() -> None:
    rows = [{"id": 1, "title": "a", "n": 1}, {"id": 2, "n": 1}, {"id": 3, "title": None, "n": 1}, "text", None,
            {"id": 4, "title": "d", "n": "secret"}, {"id": 5, "title": "e", "n": 5}]  # fmt: skip
    found = slice_of(rows, parse, lambda row: str(row["id"]), "next")
    assert [row.provider_id for row in found.rows] == ["1", "5"]
    assert found.cursor == "next"
    assert found.failures == {
        "2": "The row cannot be read (without 'title').",
        "3": "The row cannot be read (AttributeError).",
        "row 4 without an id": "The row cannot be read (TypeError).",
        "row 5 without an id": "The row cannot be read (TypeError).",
        "4": "The row cannot be read (ValueError).",
    }
