"""Records have the values of rows."""

from dataclasses import dataclass
from enum import StrEnum
from types import SimpleNamespace

from api.control.records import copied


class State(StrEnum):
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Record:
    state: State
    domains: tuple[str, ...]
    name: str
    total: int


def test_a_record_has_the_values_of_its_row_in_its_own_types() -> None:
    row = SimpleNamespace(state="open", domains=["a.example"], name="A", unread=1)
    record = copied(Record, row, total=2)
    assert record == Record(State.OPEN, ("a.example",), "A", 2)
    assert isinstance(record.state, State)


def test_given_values_replace_those_of_the_row() -> None:
    row = SimpleNamespace(state="open", domains=[], name="A", total=1)
    assert copied(Record, row, name="B") == Record(State.OPEN, (), "B", 1)
