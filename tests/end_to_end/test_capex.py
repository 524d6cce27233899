"""CapEx decisions in the report: previews match, closed months are restated, undoing restores the report."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from api.access.row_access import RowAccess
from api.control.capex import locks as capex_locks
from api.control.capex import policies as capex_policies
from api.control.capex import restatements as capex_restatements
from api.control.capex.policies import Rule
from api.control.list_pages import ListQuery
from api.control.operations.operations import list_operations
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.read.capex.preview import PreviewedMonth, preview
from api.snapshot.warehouse import Warehouse
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.git_repository import ADA, GRACE, GitRepository

MAY, JUNE = date(2026, 5, 1), date(2026, 6, 1)
FIXES = [Rule("fixes"), Rule("fixes", "fixes"), Rule("tests", "fixes")]


def worked(repository: GitRepository) -> GitRepository:
    for number, (author, kind) in enumerate(
        [(ADA, "feat"), (GRACE, "fix"), (ADA, "fix"), (GRACE, "feat")] * 2
    ):
        # Each piece has a different length, so that none is a renamed copy of another.
        more = "".join(f" + b[{n}]" for n in range(number))
        code = "".join(
            f"def {kind}{number}_{n}(a, b):\n    return a.{kind}_{number}_{n}({n}){more}\n\n"
            for n in range(6)
        )
        test = f"def test_{kind}{number}():\n    assert {kind}{number}_1(3) == {number}\n"
        day = datetime(2026, 5, 4, 12, tzinfo=UTC) + timedelta(days=6 * number)
        files = {f"src/{kind}{number}.py": code, f"tests/test_{kind}{number}.py": test}
        repository.commit(files, message=f"{kind}: part {number}", author=author, at=day)
    return repository


def report(eas: Eas) -> dict[tuple[date, str], dict[str, Any]]:
    names = ("month", "developer_id", "hours", "capex_percent", "capex_hours", "opex_hours", "policy_version")
    rows = eas.rows(f"select {', '.join(names)} from capex order by 1, 2")
    return {row[:2]: dict(zip(names, row, strict=True)) for row in rows}


def previewed(eas: Eas) -> list[PreviewedMonth]:
    builds = Warehouse(eas.data / "published", 200).of(LOCAL_ORGANIZATION)
    build = builds.lease_current()
    try:
        return preview(build, RowAccess(LOCAL_ORGANIZATION), FIXES, MAY, None)
    finally:
        builds.release(build)


@pytest.fixture
def store(fresh_eas: Eas) -> ControlStore:
    return open_store(fresh_eas.data)


def test_a_policy_matches_its_preview_and_undoing_it_restores_the_report(
    fresh_eas: Eas, new_repository: Callable[..., GitRepository], store: ControlStore
) -> None:
    repository = worked(new_repository("house"))
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    first = report(fresh_eas)
    assert {month for month, _ in first} == {MAY, JUNE}
    assert any(0 < row["capex_percent"] < 100 for row in first.values())

    columns = "select * from capex where month = ?".replace("?", f"date '{MAY}'")
    names = [row[0] for row in fresh_eas.rows("select name from pragma_table_info('capex')")]
    rows = [dict(zip(names, row, strict=True)) for row in fresh_eas.rows(columns)]
    build = fresh_eas.pointer()["build_id"]
    capex_locks.lock_month(store, OPERATOR, LOCAL_ORGANIZATION, MAY, rows, build)

    promised = previewed(fresh_eas)
    made = capex_policies.create_policy(store, OPERATOR, LOCAL_ORGANIZATION, MAY, FIXES, "A test.")
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    second = report(fresh_eas)
    assert {row["policy_version"] for row in second.values()} == {made.name}
    for month in promised:
        hours = sum(row["capex_hours"] for (of, _), row in second.items() if of == month.month)
        assert float(hours) == pytest.approx(month.proposed_capex_hours / 100)
        assert month.proposed_capex_hours != month.capex_hours
    restated = capex_restatements.list_restatements(store, LOCAL_ORGANIZATION, ListQuery(100)).items
    assert {(one.month, one.developer_id) for one in restated} == {key for key in first if key[0] == MAY}
    assert {tuple(one.reasons) for one in restated} == {("capexPolicies.create: policy-1",)}
    done = list_operations(store, LOCAL_ORGANIZATION, ListQuery(10)).items
    assert [(one.state, one.build_id) for one in done] == [("DONE", fresh_eas.pointer()["build_id"])]

    capex_policies.withdraw_policy(store, OPERATOR, LOCAL_ORGANIZATION, made.id)
    calendar = {
        "working_weekdays": "1234",
        "hours_per_day_hundredths": 725,
        "holidays": [
            {"date": "2026-06-01", "name": "A Monday"},
            {"date": "2026-06-06", "name": "A Saturday"},
        ],
    }
    organizations.change_settings(store, OPERATOR, LOCAL_ORGANIZATION, calendar)
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    third = report(fresh_eas)
    for key, row in third.items():
        days = [key[0] + timedelta(days=n) for n in range(31)]
        working = [day for day in days if day.month == key[0].month and day.weekday() < 4 and day != JUNE]
        assert float(row["hours"]) == pytest.approx(len(working) * 7.25)
        assert row["capex_hours"] + row["opex_hours"] == row["hours"]
        assert (row["capex_percent"], row["policy_version"]) == (first[key]["capex_percent"], "default-1")
    assert third.keys() == first.keys()
    signed = capex_locks.signed_rows(store, LOCAL_ORGANIZATION, None, None)
    assert {row["capex_hours"] for row in signed} == {
        float(row["capex_hours"]) for key, row in first.items() if key[0] == MAY
    }
