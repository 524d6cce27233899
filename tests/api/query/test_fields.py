"""Columns from the fields of a response shape: the defaults from names and types, and the annotations."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from api.query.columns import Column, Kind
from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored, columns_of, reordered
from api.shapes import Shape


class Part(Shape):
    """A row within a row."""

    lines: int


class Listed(Shape):
    """One field of every kind."""

    id: Annotated[Id, Stored("thing_id")] = Field(examples=["a"])
    name: str
    team_id: Id | None
    category: Literal["FIXES"] | None
    zero_reason: EnumName | None = Field(description="Why.")
    commit_count: int
    share: float = Field(ge=0)
    etv: Micro
    value: Annotated[Micro, Stored("worth_micro")] | None
    points_micros: int
    is_bot: bool
    seen_at: datetime | None
    joining_date: Annotated[date, Stored("joined_on")] | None
    tools: list[str]
    parts: Annotated[list[Part], Kind.LIST]
    class_: str = Field(alias="class")
    path: Annotated[str, NOT_STORED]
    others: Annotated[list[Part], NOT_STORED]


EXPECTED = [
    Column("id", Kind.ID, "thing_id"),
    Column("name", Kind.TEXT, "name"),
    Column("team_id", Kind.ID, "team_id", nullable=True),
    Column("category", Kind.ENUM, "category", nullable=True),
    Column("zero_reason", Kind.ENUM, "zero_reason", nullable=True),
    Column("commit_count", Kind.INTEGER, "commit_count"),
    Column("share", Kind.NUMBER, "share"),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("value", Kind.MICRO, "worth_micro", nullable=True),
    Column("points_micros", Kind.INTEGER, "points_micro"),
    Column("is_bot", Kind.FLAG, "is_bot"),
    Column("seen_at", Kind.INSTANT, "seen_at", nullable=True),
    Column("joining_date", Kind.DATE, "joined_on", nullable=True),
    Column("tools", Kind.LIST, "tools", sortable=False),
    Column("parts", Kind.LIST, "parts", sortable=False),
    Column("class", Kind.TEXT, "class"),
]


def test_names_types_and_annotations_tell_the_columns() -> None:
    assert list(columns_of(Listed).values()) == EXPECTED


def test_columns_are_found_by_the_names_of_the_answer() -> None:
    aliases = [field.alias for name, field in Listed.model_fields.items() if name not in ("path", "others")]
    assert list(columns_of(Listed)) == aliases


def test_annotations_about_storage_leave_the_document_alone() -> None:
    class Plain(Shape):
        etv: float
        team_id: str | None

    class Marked(Shape):
        etv: Micro
        team_id: Id | None

    assert (
        Marked.model_json_schema()["properties"]
        == Plain.model_json_schema()["properties"]
        == {
            "etv": {"title": "Etv", "type": "number"},
            "teamId": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Teamid"},
        }
    )


@pytest.mark.parametrize("kind", [Part, list[Part], dict[str, Any], int | str, Any])
def test_a_field_of_no_known_kind_fails_with_its_name_and_the_remedy(kind: Any) -> None:
    class Odd(Shape):
        name: str
        detail: kind

    with pytest.raises(TypeError, match=r"^Odd\.detail: .*Kind.*NOT_STORED"):
        columns_of(Odd)


def test_columns_move_before_another_one() -> None:
    known = {column.field: column for column in EXPECTED[:5]}
    moved = reordered(known, ["category", "zeroReason"], before="name")
    assert list(moved) == ["id", "category", "zeroReason", "name", "teamId"]
    assert moved == known
