"""A fact: one number, date or name that a summary may tell. The table `summary_facts` has the same columns.

Keep out: where facts come from, and how they read (values.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any

DATES = ("period_start", "period_end", "on_date")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a scope and a period. Values are in millionths of the unit; a DATE is in `on_date` instead."""

    scope_kind: str
    scope_id: str
    period: str
    period_start: date
    period_end: date
    is_draft: bool
    fact_id: str
    kind: str
    position: int | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    subject_title: str | None = None
    subject_reference: str | None = None
    url: str | None = None
    unit: str | None = None
    value_micro: int | None = None
    on_date: date | None = None
    previous_micro: int | None = None
    low_micro: int | None = None
    high_micro: int | None = None
    basis: int | None = None
    note: str | None = None
    people: int | None = None
    usual_people: int | None = None
    calculation_version: str | None = None

    @property
    def family(self) -> str:
        """The part of the id before the first dot, which facts of one list share."""
        return self.fact_id.partition(".")[0]

    @property
    def key(self) -> str:
        """The part of the id after the first dot; empty without one."""
        return self.fact_id.partition(".")[2]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Fact:
        """The fact of a row by names of columns; columns that a fact does not have are ignored."""
        return cls(**{name: row[name] for name in COLUMNS if name in row})

    def to_json(self) -> dict[str, Any]:
        """The columns as values of JSON; dates as ISO 8601."""
        return {name: v.isoformat() if isinstance(v, date) else v for name, v in asdict(self).items()}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Fact:
        """The inverse of `to_json`."""
        dates = {name: date.fromisoformat(row[name]) for name in DATES if row.get(name)}
        return cls.from_row({**row, **dates})


COLUMNS = tuple(one.name for one in fields(Fact))


class Facts:
    """The facts of one scope and period, by id and by family."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_id = {fact.fact_id: fact for fact in facts}
        self._families: dict[str, list[Fact]] = defaultdict(list)
        for fact in sorted(self._by_id.values(), key=lambda one: (one.position or 0, one.fact_id)):
            self._families[fact.family].append(fact)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._by_id.values())

    def get(self, fact_id: str) -> Fact | None:
        """The fact with this id, or None."""
        return self._by_id.get(fact_id)

    def known(self, fact_id: str) -> Fact | None:
        """The fact with this id if it has a value or a date."""
        fact = self._by_id.get(fact_id)
        return fact if fact and (fact.value_micro is not None or fact.on_date is not None) else None

    def all(self, family: str) -> list[Fact]:
        """The facts of a family in their order."""
        return list(self._families.get(family, ()))
