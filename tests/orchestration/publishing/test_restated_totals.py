"""Restatements after a change of rules, with snapshots and totals made by hand."""

import io
from collections.abc import Callable
from datetime import date
from typing import Any

import duckdb
import pytest
from rich.console import Console

from api.control.list_pages import ListQuery
from api.control.operations import restatements
from api.control.operations.restatements import RestatementRecord
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import restated_totals
from orchestration.publishing.snapshot import Published
from orchestration.report import restatement
from orchestration.runtime.run_state import BuildEntry

TODAY, MONTH = date(2026, 11, 20), date(2026, 10, 1)
# Day, developer, category, bot, sandbox, ETV, commits.
WORK = [
    (date(2026, 11, 3), "ada", "features", False, False, 5, 1),
    (date(2026, 10, 31), "ada", "fixes", False, False, 7, 2),
    (date(2026, 10, 30), "eve", "fixes", False, False, 11, 1),
    (date(2025, 11, 1), "eve", "tests", False, False, 13, 1),
    (date(2025, 10, 31), "joe", "tests", False, False, 17, 1),
    (date(2026, 10, 2), "bot", "features", True, False, 1000, 1),
    (date(2026, 10, 2), "ada", "features", False, True, 2000, 1),
]
ZERO_SCORES = [
    (date(2026, 10, 5), "IMPORT", 300),
    (date(2020, 1, 1), "IMPORT", 50),
    (date(2026, 11, 1), "BOT", 9),
]
RULES = {"version": "0.1.0", "code": "a", "facts": "f", "settings": "s", "local_date": "d"}
Snapshot = Callable[..., Published]


@pytest.fixture
def snapshot(deployment: Deployment) -> Snapshot:
    """Publish the work above with each ETV times a factor."""
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    folder.mkdir(parents=True)

    def publish(build_id: str, factor: int = 1) -> Published:
        file = folder / f"{build_id}.duckdb"
        with duckdb.connect(str(file)) as build:
            build.execute("create table organizations (local_date date, last_complete_month_start date)")
            build.execute("insert into organizations values (?, ?)", [TODAY, MONTH])
            build.execute(
                "create table daily (delivered_on date, developer_id varchar, category varchar, is_bot boolean, "
                "is_sandbox boolean, etv_micro bigint, effort_micro bigint, commits bigint)"
            )
            for day, who, category, is_bot, is_sandbox, etv, commits in WORK:
                row = [day, who, category, is_bot, is_sandbox, etv * factor, etv, commits]
                build.execute("insert into daily values (?, ?, ?, ?, ?, ?, ?, ?)", row)
            build.execute(
                "create table commits_by_time (delivered_on date, zero_reason varchar, lines_added bigint)"
            )
            build.executemany("insert into commits_by_time values (?, ?, ?)", ZERO_SCORES)
            build.execute(
                "insert into commits_by_time values (null, 'NOT_DELIVERED', 1), ('2026-11-03', null, 5)"
            )
        return Published(build_id, file, {})

    return publish


@pytest.fixture
def first(deployment: Deployment, snapshot: Snapshot) -> Published:
    """The build in the run state."""
    done = snapshot("b1")
    deployment.run_state.record(LOCAL_ORGANIZATION, BuildEntry(RULES, "b1", "2026-11-20T06:00:00Z", 1.0))
    return done


def recorded(deployment: Deployment) -> list[RestatementRecord]:
    with deployment.control() as control:
        return list(restatements.list_restatements(control, LOCAL_ORGANIZATION, ListQuery(10)).items)


def record(deployment: Deployment, done: Published, **changed: Any) -> bool:
    return restated_totals.record_restatement(
        deployment, LOCAL_ORGANIZATION, done, {"inputs": RULES | changed}
    )


@pytest.mark.usefixtures("first")
def test_another_version_is_recorded_with_the_totals_of_both_builds(
    deployment: Deployment, snapshot: Snapshot
) -> None:
    assert record(deployment, snapshot("b2", 2), version="0.2.0", facts="g")
    [one] = recorded(deployment)
    assert (one.replaced_build_id, one.build_id, one.version_before, one.version_after, one.causes) == (
        "b1", "b2", "0.1.0", "0.2.0", ("version", "facts"),
    )  # fmt: skip
    whole, year = one.periods
    assert (whole.period, whole.start_on, whole.end_on) == ("whole_history", None, TODAY)
    assert (year.period, year.start_on, year.end_on) == (
        "last_12_months", date(2025, 11, 1), date(2026, 10, 31),
    )  # fmt: skip
    for period, etv, people, fewest, categories, unpaid, lines in (
        (
            whole, 53, 3, 1, {"features": 5, "fixes": 18, "tests": 30},
            {"BOT": 1, "IMPORT": 2}, {"BOT": 9, "IMPORT": 350},
        ),
        (year, 31, 2, 1, {"fixes": 18, "tests": 13}, {"IMPORT": 1}, {"IMPORT": 300}),
    ):  # fmt: skip
        assert period.before is not None
        for side, factor in ((period.before, 1), (period.after, 2)):
            assert (side.etv_micro, side.effort_micro) == (etv * factor, etv)
            assert (side.developers, side.fewest_developers) == (people, fewest)
            assert {name: micro for name, micro in side.category_etv_micro.items() if micro} == {
                name: micro * factor for name, micro in categories.items()
            }
            assert (side.zero_commits, side.zero_lines_added) == (unpaid, lines)
    assert [whole.after.commits, year.after.commits] == [6, 4]


@pytest.mark.usefixtures("first")
def test_another_constant_is_recorded_if_totals_differ_but_new_commits_are_not(
    deployment: Deployment, snapshot: Snapshot
) -> None:
    assert not record(deployment, snapshot("b2", 2), facts="g", settings="t", local_date="e")
    assert not record(deployment, snapshot("b3"), code="b")
    assert recorded(deployment) == []
    assert record(deployment, snapshot("b4", 3), code="b")
    assert [one.causes for one in recorded(deployment)] == [("code",)]


@pytest.mark.usefixtures("first")
def test_another_version_is_recorded_even_if_no_total_changes(
    deployment: Deployment, snapshot: Snapshot
) -> None:
    assert record(deployment, snapshot("b2"), version="0.2.0")
    [one] = recorded(deployment)
    assert all(period.before == period.after for period in one.periods)


@pytest.mark.usefixtures("first")
def test_an_interrupted_publish_is_recorded_once(deployment: Deployment, snapshot: Snapshot) -> None:
    assert record(deployment, snapshot("b2", 2), version="0.2.0")
    # The run state still names b1, so the next run publishes again.
    assert record(deployment, snapshot("b3", 2), version="0.2.0")
    assert [(one.replaced_build_id, one.build_id) for one in recorded(deployment)] == [("b1", "b3")]


@pytest.mark.parametrize("content", [None, b"", b"no database"])
def test_an_unreadable_build_shows_dashes(
    deployment: Deployment, snapshot: Snapshot, first: Published, content: bytes | None
) -> None:
    first.file.unlink()
    if content is not None:
        first.file.write_bytes(content)
    assert record(deployment, snapshot("b2", 2), version="0.2.0")
    [one] = recorded(deployment)
    assert [(period.before, period.after.developers) for period in one.periods] == [(None, 3), (None, 2)]


def test_the_first_build_restates_nothing(deployment: Deployment, snapshot: Snapshot) -> None:
    assert not record(deployment, snapshot("b1"))


@pytest.mark.usefixtures("first")
def test_the_terminal_shows_before_and_after(deployment: Deployment, snapshot: Snapshot) -> None:
    record(deployment, snapshot("b2", 2_000_000), version="0.2.0", facts="g")
    [one] = recorded(deployment)
    written = io.StringIO()
    restatement.show(Console(file=written, width=140), one)
    shown = {
        line.strip().split("  ")[0]: line.split()[-4:] for line in written.getvalue().splitlines() if line
    }
    assert "0.1.0 → 0.2.0" in written.getvalue()
    assert shown["ETV"] == ["0.0", "106.0", "0.0", "62.0"]
    assert shown["fixes"] == ["0.0", "36.0", "0.0", "36.0"]
    assert shown["commits that count"] == ["6", "6", "4", "4"]
    assert shown["commits at 0: IMPORT"] == ["2", "2", "1", "1"]
    assert "New commits since the previous build are part" in written.getvalue()
