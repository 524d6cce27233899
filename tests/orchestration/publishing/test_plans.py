"""Renewals come on their day, and an excluded repository takes nothing from a plan."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pytest

from api.control.plans import plans
from api.control.plans import renewals as renewals_of_plans
from api.control.plans.grants import Commits
from api.control.principals import OPERATOR
from api.control.repositories.repositories import change_repository
from api.control.repositories.settings import SettingsChange
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import quota, renewals
from orchestration.publishing.snapshot import Published

RENEWAL = date(2026, 11, 20)


def built(file: Path, today: date) -> Published:
    """A published build of a local date, with one billable developer."""
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table organizations (local_date date, renews_on date)")
        connection.execute("insert into organizations values (?, ?)", [today, RENEWAL])
        connection.execute(
            "create table billable_developers as select cast(? as date) as renews_on, 'd1' as developer_id, "
            "'Ada' as name, 'ada@example.org' as primary_email",
            [RENEWAL],
        )
    return Published("b1", file, {})


@pytest.mark.parametrize(
    ("today", "is_recorded"), [(date(2026, 11, 19), False), (RENEWAL, True), (date(2026, 11, 21), True)]
)
def test_a_renewal_is_recorded_from_its_day_on(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, today: date, is_recorded: bool
) -> None:
    recorded: list[tuple[date, str, list[dict[str, str]]]] = []

    def renew(_: object, organization: str, day: date, build: str, people: list[dict[str, str]]) -> bool:
        assert organization == LOCAL_ORGANIZATION
        recorded.append((day, build, people))
        return True

    monkeypatch.setattr(renewals_of_plans, "renew", renew)
    done = built(tmp_path / "b1.duckdb", today)
    assert renewals.record_renewal(deployment, LOCAL_ORGANIZATION, done) is is_recorded
    ada = {"id": "d1", "name": "Ada", "email": "ada@example.org"}
    assert recorded == ([(RENEWAL, "b1", [ada])] if is_recorded else [])


def test_an_excluded_repository_uses_up_no_plan(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted: list[list[Commits]] = []
    monkeypatch.setattr(plans, "grant", lambda _, __, read: granted.append(list(read())))
    with deployment.control() as control:
        for name in ("kept", "left-out"):
            control.upsert_repository(LOCAL_ORGANIZATION, name, name=name, origin=f"example.org/{name}")
        change_repository(control, OPERATOR, LOCAL_ORGANIZATION, "left-out", SettingsChange(is_excluded=True))
    quota.record_analysed(deployment, LOCAL_ORGANIZATION)
    assert granted == [[Commits("kept", ())]]
