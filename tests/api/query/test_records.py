"""Records as answers."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

from api.query.fields import Stored
from api.query.parameters import OneOf
from api.query.records import shown
from api.shapes import Empty, Shape


class State(Enum):
    """A state whose name is answered, not its value."""

    OPEN = "open"


class Part(Shape):
    """A part of an answer."""

    part_name: str


class Answer(Shape):
    """An answer with every kind of field."""

    id: str
    first_on: Annotated[str, Stored("dates.first")]
    state: Literal["OPEN", "CLOSED"]
    kind: Literal["HUMAN", "BOT"] | None
    category: Annotated[str, OneOf("TESTS")]
    target_kind: Literal["developer"]
    parts: list[Part]
    total: int


@dataclass(frozen=True)
class Dates:
    first: str = "2026-11-02"


@dataclass(frozen=True)
class PartRecord:
    part_name: str = "Web"


@dataclass(frozen=True)
class Record:
    id: str = "a"
    dates: Dates = Dates()
    state: State = State.OPEN
    kind: str | None = None
    category: str = "tests"
    target_kind: str = "developer"
    parts: tuple[PartRecord, ...] = (PartRecord(),)


def test_a_record_is_shown_by_the_fields_of_its_shape_in_their_order() -> None:
    answer = shown(Answer, Record(), total=3)
    assert list(answer.items()) == [
        ("id", "a"),
        ("firstOn", "2026-11-02"),
        ("state", "OPEN"),
        ("kind", None),
        ("category", "TESTS"),
        ("targetKind", "developer"),
        ("parts", [{"partName": "Web"}]),
        ("total", 3),
    ]
    Answer.model_validate(answer)


def test_given_values_replace_those_of_the_record() -> None:
    assert shown(Answer, Record(kind="bot"), total=3, id="b")["id"] == "b"
    assert shown(Answer, Record(kind="bot"), total=3)["kind"] == "BOT"


def test_nothing_is_shown_of_an_empty_answer() -> None:
    assert shown(Empty, None) == {}
    assert shown(Part, PartRecord()) == {"partName": "Web"}
