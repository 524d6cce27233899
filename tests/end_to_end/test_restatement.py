"""Another release restates the same history and records the totals of both snapshots."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from api.control.list_pages import ListQuery
from api.control.operations import restatements
from api.control.store import open_store
from orchestration.build import dbt_build, parsed_project
from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")


def summed(eas: Eas) -> dict[str, object]:
    """Totals of the current snapshot, summed row by row."""
    etv: Counter[str] = Counter()
    people: set[str] = set()
    commits = 0
    for category, micro, counted, who in eas.rows(
        "select category, etv_micro, commits, developer_id from daily where not is_bot and not is_sandbox"
    ):
        etv[category] += micro
        commits += counted
        people.add(who)
    zero: Counter[str] = Counter()
    for reason, delivered in eas.rows("select zero_reason, delivered_on from commits_by_time"):
        if reason is not None and delivered is not None:
            zero[reason] += 1
    return {
        "etv": sum(etv.values()), "categories": {name: etv[name] for name in CATEGORIES}, "commits": commits,
        "developers": len(people), "zero": dict(zero),
    }  # fmt: skip


def comparable(totals: restatements.Totals | None) -> dict[str, object]:
    assert totals is not None
    return {
        "etv": totals.etv_micro, "categories": totals.category_etv_micro, "commits": totals.commits,
        "developers": totals.developers, "zero": totals.zero_commits,
    }  # fmt: skip


def test_another_version_records_the_snapshot_that_it_replaces(
    small_eas: Eas, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.py": "value = compute(1) + 1\n"})
    assert small_eas.run_here("analyze", repository.path).returncode == 0
    totals, build = summed(small_eas), small_eas.pointer()["build_id"]
    monkeypatch.setattr(Deployment, "calculation_version", "9.9.9")
    shown = small_eas.run_here("analyze", repository.path)
    assert shown.returncode == 0, shown.stdout
    [one] = restatements.list_restatements(
        open_store(small_eas.data), LOCAL_ORGANIZATION, ListQuery(10)
    ).items
    assert (one.replaced_build_id, one.build_id) == (build, small_eas.pointer()["build_id"])
    assert (one.version_after, one.causes) == ("9.9.9", ("version",))
    [whole] = [period for period in one.periods if period.period == restatements.WHOLE_HISTORY]
    assert comparable(whole.before) == comparable(whole.after) == totals
    assert f"Restated: calculation version {one.version_before} → 9.9.9" in shown.stdout


# Two builds of one history, for rows that tests/dbt compares on a small lake.
@pytest.mark.release
def test_another_release_records_the_totals_of_both_snapshots(
    fresh_eas: Eas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = varied(GitRepository(tmp_path / "house"))
    shown = fresh_eas.run_here("analyze", house.path)
    assert shown.returncode == 0, shown.stdout
    assert "Restated" not in shown.stdout
    before, build = summed(fresh_eas), fresh_eas.pointer()["build_id"]

    changed = tmp_path / "other_release"
    shutil.copytree(DBT_PROJECT, changed, ignore=shutil.ignore_patterns("target", "logs", "training"))
    constants = changed / "dbt_project.yml"
    text = constants.read_text()
    assert "points_per_effort: 58" in text
    constants.write_text(text.replace("points_per_effort: 58", "points_per_effort: 29"))
    for module in (dbt_build, fingerprints, parsed_project):
        monkeypatch.setattr(module, "DBT_PROJECT", changed)
    fingerprints.build_code.cache_clear()
    monkeypatch.setattr(Deployment, "calculation_version", "9.9.9")
    shown = fresh_eas.run_here("analyze", house.path)
    assert shown.returncode == 0, shown.stdout
    after = summed(fresh_eas)
    assert after["etv"] != before["etv"]

    store = open_store(fresh_eas.data)
    [one] = restatements.list_restatements(store, LOCAL_ORGANIZATION, ListQuery(10)).items
    assert (one.replaced_build_id, one.build_id) == (build, fresh_eas.pointer()["build_id"])
    assert (one.version_after, one.causes) == ("9.9.9", ("version", "code"))
    [whole] = [period for period in one.periods if period.period == restatements.WHOLE_HISTORY]
    assert comparable(whole.before) == before
    assert comparable(whole.after) == after
    assert f"Restated: calculation version {one.version_before} → 9.9.9" in shown.stdout
