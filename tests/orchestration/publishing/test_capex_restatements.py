"""Changes of a build to closed months, while people close further months."""

from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from api.control.capex import locks as capex_locks
from api.control.capex import restatements as capex_restatements
from api.control.list_pages import ListQuery
from api.control.principals import OPERATOR
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import capex_restatements as restatements
from orchestration.publishing.snapshot import Published

AUGUST, SEPTEMBER = date(2026, 8, 1), date(2026, 9, 1)


def row(month: date, hours: float) -> dict[str, Any]:
    return {
        "month": month, "developer_id": "d1", "hours": hours, "capex_hours": 1.0, "is_draft": False,
        "effort_micro": 5, "commits": 1, "policy_version": "default-1",
    }  # fmt: skip


@pytest.fixture
def done(tmp_path: Path) -> Published:
    """A build whose hours differ from the closed ones in August and equal them in September."""
    rows = [row(AUGUST, 9.0), row(SEPTEMBER, 8.0)]
    file = tmp_path / "build.duckdb"
    with duckdb.connect(str(file)) as build:
        build.execute(
            "create table capex (month date, developer_id varchar, hours double, capex_hours double, is_draft "
            "boolean, effort_micro bigint, commits bigint, policy_version varchar)"
        )
        build.executemany(
            "insert into capex values (?, ?, ?, ?, ?, ?, ?, ?)", [list(one.values()) for one in rows]
        )
    return Published("b2", file, {"capex": len(rows)})


def test_a_build_does_not_restate_a_month_closed_from_the_same_build(
    deployment: Deployment, done: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deployment.control() as control:
        capex_locks.lock_month(control, OPERATOR, LOCAL_ORGANIZATION, AUGUST, [row(AUGUST, 8.0)], "b1")

    def meanwhile(*_: object) -> list[str]:
        with deployment.control() as control:
            capex_locks.lock_month(
                control, OPERATOR, LOCAL_ORGANIZATION, SEPTEMBER, [row(SEPTEMBER, 8.0)], "b2"
            )
        return ["teams.update: Web"]

    monkeypatch.setattr(capex_restatements, "reasons_of", meanwhile)
    build_record: dict[str, Any] = {"watermark": None, "inputs": {}}
    assert restatements.record_restatements(deployment, LOCAL_ORGANIZATION, done, build_record) == 1
    with deployment.control() as control:
        found = capex_restatements.list_restatements(control, LOCAL_ORGANIZATION, ListQuery(10)).items
    assert [(one.month, one.after and one.after["hours"], one.reasons) for one in found] == [
        (AUGUST, 9.0, ["teams.update: Web"])
    ]
