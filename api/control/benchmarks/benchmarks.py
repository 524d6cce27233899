"""Benchmarks of an organization: saved groups of developers or repositories, and how their figures become one.

The members have the ids of the analysis; the caller has checked that they exist. Keep out: figures and the groups that
too few people make (read/benchmarks/), the built-in benchmarks (read/benchmarks/groups.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.changes import UNCHANGED, Unchanged
from api.control.errors import AlreadyExists, InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Benchmark
from api.control.names import checked_name, name_key
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.store import ControlStore

KEYS = {"name": Key(Benchmark.name_key), "createdAt": Key(Benchmark.created_at), "id": Key(Benchmark.id)}
MAX_NAME_LENGTH = 255
# One person is no group.
MIN_MEMBERS = 2
MAX_MEMBERS = 500
MAX_BENCHMARKS = 100
MIN_PERCENTILE, MAX_PERCENTILE = 1, 99


class MemberKind(StrEnum):
    """What the members of a group are."""

    DEVELOPER = "developer"
    REPOSITORY = "repository"


class Aggregation(StrEnum):
    """How the figures of the members become one."""

    AVERAGE = "average"
    MEDIAN = "median"
    PERCENTILE = "percentile"


@dataclass(frozen=True, slots=True)
class BenchmarkRecord:
    """A saved group. `percentile` is None for other aggregations."""

    id: str
    name: str
    member_kind: MemberKind
    member_ids: tuple[str, ...]
    aggregation: Aggregation
    percentile: int | None
    created_by: str
    created_at: datetime


def create_benchmark(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    name: str,
    member_kind: MemberKind,
    member_ids: Sequence[str],
    aggregation: Aggregation,
    percentile: int | None = None,
) -> BenchmarkRecord:
    """Save a group. Raises InvalidSetting, AlreadyExists for a taken name, NotPossible beyond `MAX_BENCHMARKS`."""
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    members = _checked_members(member_ids)
    _check_percentile(aggregation, percentile)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_BENCHMARKS) as session:
        _refuse_duplicate(session, organization_id, name)
        saved = session.scalar(
            select(func.count()).select_from(Benchmark).where(Benchmark.organization_id == organization_id)
        )
        if (saved or 0) >= MAX_BENCHMARKS:
            raise NotPossible(
                f"an organization has at most {MAX_BENCHMARKS} benchmarks; delete one that nobody needs"
            )
        row = Benchmark(
            id=new_id(),
            organization_id=organization_id,
            name=name,
            name_key=name_key(name),
            member_kind=member_kind,
            member_ids=members,
            aggregation=aggregation,
            percentile=percentile,
            created_by=actor.actor[2],
            created_at=store.now(),
        )
        session.add(row)
        record(session, "benchmarks.create", _target(row), None, _state(row))
        return _record(row)


def list_benchmarks(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[BenchmarkRecord]:
    """A page of the saved groups, by name."""
    statement = owned(Benchmark, organization_id)
    with store.session() as session:
        return list_page(session, statement, KEYS, asked, _record, default="name", unique="id")


def every_benchmark(store: ControlStore, organization_id: str) -> list[BenchmarkRecord]:
    """All saved groups, oldest first."""
    with store.session() as session:
        rows = session.scalars(owned(Benchmark, organization_id).order_by(Benchmark.created_at, Benchmark.id))
        return [_record(row) for row in rows]


def benchmark(store: ControlStore, organization_id: str, benchmark_id: str) -> BenchmarkRecord:
    """A saved group. Raises NotFound."""
    with store.session() as session:
        return _record(_existing(session, organization_id, benchmark_id))


def change_benchmark(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    benchmark_id: str,
    *,
    name: str | Unchanged = UNCHANGED,
    member_ids: Sequence[str] | Unchanged = UNCHANGED,
    aggregation: Aggregation | Unchanged = UNCHANGED,
    percentile: int | Unchanged | None = UNCHANGED,
) -> BenchmarkRecord:
    """Change a saved group; either all changes are made or none. Another aggregation than a percentile drops it.

    Raises NotFound, InvalidSetting, AlreadyExists for a taken name.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_BENCHMARKS) as session:
        row = _existing(session, organization_id, benchmark_id)
        before = _state(row)
        if not isinstance(name, Unchanged) and name != row.name:
            name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
            _refuse_duplicate(session, organization_id, name, except_id=row.id)
            row.name, row.name_key = name, name_key(name)
        if not isinstance(member_ids, Unchanged):
            row.member_ids = _checked_members(member_ids)
        if not isinstance(aggregation, Unchanged):
            row.aggregation = aggregation
            if aggregation is not Aggregation.PERCENTILE and isinstance(percentile, Unchanged):
                row.percentile = None
        if not isinstance(percentile, Unchanged):
            row.percentile = percentile
        _check_percentile(Aggregation(row.aggregation), row.percentile)
        after = _state(row)
        if after != before:
            record(session, "benchmarks.update", _target(row), before, after)
        return _record(row)


def delete_benchmark(store: ControlStore, actor: Principal, organization_id: str, benchmark_id: str) -> None:
    """Delete a saved group. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_BENCHMARKS) as session:
        row = _existing(session, organization_id, benchmark_id)
        record(session, "benchmarks.delete", _target(row), _state(row))
        session.delete(row)


def _existing(session: Session, organization_id: str, benchmark_id: str) -> Benchmark:
    return existing(session, Benchmark, organization_id, benchmark_id.lower(), "benchmark", "benchmarks")


def _checked_members(member_ids: Sequence[str]) -> list[str]:
    members = sorted({one.lower() for one in member_ids})
    if not MIN_MEMBERS <= len(members) <= MAX_MEMBERS:
        raise InvalidSetting(
            "memberIds",
            f"a benchmark has {MIN_MEMBERS} to {MAX_MEMBERS} members (the request has {len(members)})",
        )
    return members


def _check_percentile(aggregation: Aggregation, percentile: int | None) -> None:
    is_percentile = aggregation is Aggregation.PERCENTILE
    if is_percentile and (percentile is None or not MIN_PERCENTILE <= percentile <= MAX_PERCENTILE):
        raise InvalidSetting(
            "percentile", f"give a whole number from {MIN_PERCENTILE} to {MAX_PERCENTILE} with PERCENTILE"
        )
    if not is_percentile and percentile is not None:
        raise InvalidSetting("percentile", "give it only with the aggregation PERCENTILE")


def _refuse_duplicate(session: Session, organization_id: str, name: str, except_id: str = "") -> None:
    found = session.scalar(owned(Benchmark, organization_id, Benchmark.name_key == name_key(name)))
    if found is not None and found.id != except_id:
        raise AlreadyExists(
            f"there is already a benchmark {found.name!r} in this organization; choose another name"
        )


def _target(row: Benchmark) -> Target:
    return Target("benchmark", row.id, row.name)


def _state(row: Benchmark) -> dict[str, Any]:
    return {
        "name": row.name,
        "memberKind": row.member_kind,
        "memberIds": list(row.member_ids),
        "aggregation": row.aggregation,
        "percentile": row.percentile,
    }


def _record(row: Benchmark) -> BenchmarkRecord:
    return copied(BenchmarkRecord, row)
