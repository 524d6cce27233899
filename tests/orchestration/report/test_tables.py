"""Printed tables of a snapshot, and the sentences when there is nothing to print."""

from datetime import timedelta
from pathlib import Path

import pytest

from orchestration.report import snapshot
from orchestration.report.snapshot import NothingPublished
from tests.orchestration.report.snapshot_rows import (
    MICRO,
    MONDAY,
    ORGANIZATION,
    Insert,
    day,
    read,
    reason,
    shown,
)


def test_ai_shares_are_lower_bounds_and_a_dash_without_evidence(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0, ai=1.0)
    day(insert, MONDAY, 4.0, who="d2")
    lines = shown(read(root, ["r1"])).splitlines()
    assert "≥ 25 %" in next(line for line in lines if line.strip().startswith("Ada"))
    assert "%" not in next(line for line in lines if line.strip().startswith("Grace"))


def test_a_share_of_ai_assisted_commits_of_others_has_an_ai_share(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    insert(
        "daily", delivered_on=MONDAY, repository_id="r1", developer_id="d1", category="features", etv_micro=4 * MICRO,
        ai_etv_micro=MICRO,
    )  # fmt: skip
    assert "≥ 25 %" in next(
        line for line in shown(read(root, ["r1"])).splitlines() if line.strip().startswith("Ada")
    )


def test_sums_name_the_complete_weeks_beside_a_running_one(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0)
    assert "Developers over these weeks" in shown(read(root, ["r1"]))
    day(insert, MONDAY + timedelta(weeks=1), 4.0)
    assert "Developers over the complete weeks" in shown(read(root, ["r1"]))


def test_text_of_a_repository_cannot_control_the_terminal(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    hostile = "\x1b[2J[bold]x[/nothing]\x07"
    insert("developers", developer_id="d4", name=hostile)
    day(insert, MONDAY, 4.0, who="d4")
    insert(
        "commits_by_time",
        commit_id="c",
        commit_sha="a" * 40,
        repository_id="r1",
        repository_name=hostile,
        developer_name=hostile,
        delivered_on=MONDAY,
        etv_micro=MICRO,
        is_counted=True,
        subject=hostile,
        category="features",
        category_label="feature, mostly tests",
        explanation=hostile,
    )
    text = shown(read(root, ["r1"]))
    assert "\x1b[2J" not in text
    assert "\x07" not in text
    assert "feature, mostly tests: " in text
    assert text.count("[bold]x[/nothing]") >= 3


def test_an_organization_without_a_build_gives_an_error(tmp_path: Path) -> None:
    with pytest.raises(NothingPublished), snapshot.opened(tmp_path, ORGANIZATION):
        pass


def test_the_report_names_a_history_without_deliveries(published: tuple[Path, Insert]) -> None:
    root, insert = published
    insert("organizations", organization_id=ORGANIZATION, name="Local", time_zone="UTC")
    insert("repositories", repository_id="r1", name="owner/r1")
    assert "Nothing has been delivered yet" in shown(read(root, ["r1"]))


def test_the_report_opens_with_what_all_commits_wait_for(published: tuple[Path, Insert]) -> None:
    root, insert = published
    insert("organizations", organization_id=ORGANIZATION, name="Local", time_zone="UTC")
    insert("repositories", repository_id="r1", name="owner/r1")
    reason(insert, "WAITING", commits=1202, lines=10)
    insert(
        "zero_reasons",
        zero_reason="WAITING",
        position=1,
        title="Waiting for the license",
        description="Set one.",
    )
    text = shown(read(root, ["r1"]))
    assert "Nothing counts yet: 1,202 commits are waiting for the license. Set one." in text
    assert "Nothing has been delivered yet" not in text
