"""The main job on a generated repository: its output, files, published tables and records, and a second run.

Tests share the first run. Tests that change its output work on copies.
"""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from fastapi.routing import iter_route_contexts

from api.app import create_app
from api.settings import ApiSettings
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")


def test_without_any_network_it_succeeds_and_prints_the_report(
    first_run: subprocess.CompletedProcess[str],
) -> None:
    assert first_run.returncode == 0, first_run.stdout
    # Checks of tables without rows pass, or Dagster names each.
    assert "asset check" not in first_run.stdout
    for part in (
        "Weeks",
        "Months",
        "Developers",
        "Repositories",
        "Most valuable commits",
        "Timings",
        *CATEGORIES,
    ):
        assert part in first_run.stdout
    for person in ("Ada Lovelace", "Grace Hopper"):
        assert person in first_run.stdout
    assert "\x1b" not in first_run.stdout


def test_the_printed_paths_exist(first_run: subprocess.CompletedProcess[str]) -> None:
    for label in ("CapEx CSV", "Warehouse", "Snapshot"):
        [line] = [line for line in first_run.stdout.splitlines() if line.startswith(f"{label}:")]
        assert Path(line.partition(":")[2].strip()).is_file()


def test_the_addresses_at_the_end_are_those_of_the_application(
    first_run: subprocess.CompletedProcess[str],
) -> None:
    named = set(re.findall(r"http://127\.0\.0\.1:8000(/[\w/]*)", first_run.stdout))
    assert named == {"/docs", f"/organizations/{LOCAL_SLUG}/overview"}
    served = {route.path for route in iter_route_contexts(create_app(ApiSettings()).routes)}
    assert {path.replace(f"/{LOCAL_SLUG}/", "/{organization}/") for path in named} <= served


def test_every_commit_is_published_and_commits_of_the_default_branch_are_delivered(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    assert {sha for (sha,) in eas.rows("select commit_sha from commits_by_time")} == set(
        house.git("rev-list", "--all").split()
    )
    delivered = eas.rows("select commit_sha from commits_by_time where delivered_at is not null")
    assert {sha for (sha,) in delivered} == set(house.git("rev-list", "main").split())


def test_authors_and_subjects_equal_those_of_git(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    expected = set(house.git("log", "--all", "--encoding=UTF-8", "--format=%H%x00%an").splitlines())
    found = eas.rows(
        "select commit_sha, author_name from commits_by_time where author_email <> 'jose@example.org'"
    )
    assert {f"{sha}\0{name}" for sha, name in found} < expected
    assert eas.rows("select count(*) from commits_by_time where author_email = 'jose@example.org'") == [(1,)]


def test_counted_lines_and_reasons_add_up_to_the_lines_and_commits_of_git(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    numbers = house.git("log", "--no-merges", "--numstat", "-M", "--format=", "main").split("\n")
    added = [int(line.split("\t")[0]) for line in numbers if line and not line.startswith("-")]
    merges = set(house.git("rev-list", "--merges", "main").split())
    by_reason = {
        reason: (commits, lines)
        for reason, commits, lines in eas.rows(
            "select zero_reason, sum(commits)::int, sum(lines_added)::int from zero_reason_days group by all"
        )
    }
    own = f"select count(*) from zero_reason_commits where list_contains({sorted(merges)}, commit_sha)"
    assert eas.rows(own) == [(0,)]
    assert sum(lines for _, lines in by_reason.values()) == sum(added)
    assert sum(commits for commits, _ in by_reason.values()) == len(house.git("rev-list", "main").split())
    assert by_reason["MERGE"] == (len(merges), 0)
    assert by_reason[None][0] < len(house.git("rev-list", "--no-merges", "main").split())


def test_the_report_lists_reasons_for_zero_scores(first_run: subprocess.CompletedProcess[str]) -> None:
    _, _, section = first_run.stdout.partition("Work without ETV by reason")
    for part in ("Merges", "Binary files", "Counts", "new lines"):
        assert part in section


def test_categories_add_up_to_the_total_and_days_to_the_commits(
    first_run: subprocess.CompletedProcess[str], eas: Eas
) -> None:
    total, parts = eas.rows(
        f"select sum(etv_micro), sum({' + '.join(f'{name}_etv_micro' for name in CATEGORIES)})"
        " from commits_by_time where is_counted"
    )[0]
    assert total > 0
    assert total == parts
    assert eas.rows("select sum(etv_micro) from daily where not is_bot") == [(total,)]


def test_the_assisted_commit_is_flagged_and_no_other(
    first_run: subprocess.CompletedProcess[str], eas: Eas
) -> None:
    assert eas.rows("select subject from commits_by_time where is_ai_assisted") == [("Add shed",)]


def test_the_capex_file_has_a_row_per_developer_and_month_and_no_formula(
    first_run: subprocess.CompletedProcess[str], eas: Eas
) -> None:
    [file] = (eas.data / "exports").glob("*.csv")
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert rows
    assert len({(row["month"], row["developer_id"]) for row in rows}) == len(rows)
    assert {"hours", "capex_percent", "capex_hours", "opex_hours"} <= rows[0].keys()
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@", "\t"))]
    assert any(row["developer_name"] == "'=SUM(A1)" for row in rows)


def test_its_runs_are_in_the_instance_that_the_ui_shows(
    first_run: subprocess.CompletedProcess[str], eas: Eas
) -> None:
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(eas.data / "dagster"))) as instance:
        runs = {run.job_name: run.status for run in instance.get_runs()}
        materialized = instance.get_latest_materialization_event(dg.AssetKey(["raw", "git", "commits"]))
    assert runs == {
        "extract_repository": dg.DagsterRunStatus.SUCCESS,
        "build_organization": dg.DagsterRunStatus.SUCCESS,
    }
    assert materialized
    assert materialized.asset_materialization
    metadata = materialized.asset_materialization.metadata
    assert metadata["dagster/row_count"].value == eas.rows("select count(*) from commits_by_time")[0][0]
    assert {"watermark", "commits_per_second", "skipped_objects", "repository"} <= metadata.keys()


def test_a_second_run_reports_that_nothing_is_new(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    before = eas.pointer()
    started = time.monotonic()
    again = eas.run("analyze", house.path)
    assert time.monotonic() - started < 60, (
        "only a hung run takes so long; the figure is measured by the benches"
    )
    assert again.returncode == 0
    assert "Nothing new" in again.stdout
    assert "Developers" in again.stdout
    assert eas.pointer() == before


def test_a_run_with_nothing_to_do_imports_neither_dagster_nor_dbt(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    program = (
        "import sys; from typer.testing import CliRunner; from orchestration.cli import app;"
        f"answer = CliRunner().invoke(app, ['analyze', {str(house.path)!r}]);"
        "assert 'Nothing new' in answer.output, answer.output;"
        "print([name for name in ('dagster', 'dbt', 'fastapi', 'polars') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=eas.environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_analyze_without_arguments_reads_the_current_folder(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    (house.path / "src").mkdir(exist_ok=True)
    done = eas.run("analyze", cwd=house.path / "src")
    assert done.returncode == 0
    assert "Nothing new" in done.stdout


def test_the_doctor_finds_everything_in_order(first_run: subprocess.CompletedProcess[str], eas: Eas) -> None:
    done = eas.run_here("doctor")
    assert done.returncode == 0, done.stdout
    assert "Repository house: last success" in done.stdout


def test_bad_repositories_are_counted_and_the_good_ones_are_reported(
    small_eas: Eas, house: GitRepository, new_repository: Callable[..., GitRepository]
) -> None:
    broken, damaged = new_repository("broken"), new_repository("damaged")
    for repository in (broken, damaged):
        for number in range(3):
            repository.commit({"a.py": f"value = {number} + offset('{repository.path.name}')\n"})
    overwrite(broken, broken.heads["main"])
    overwrite(damaged, damaged.git("rev-parse", "main~1^{tree}").strip())
    done = small_eas.run_here("analyze", broken.path, house.path, damaged.path, "/no/such/place")
    assert done.returncode == 1
    assert "Failed: /no/such/place" in done.stdout
    assert f"Failed: {broken.path}" in done.stdout
    assert "2 failed, 2 repositories could be opened" in done.stdout
    assert "damaged: 3 new commits" in done.stdout
    assert "2 times an object could not be read" in done.stdout
    assert "Ada Lovelace" in done.stdout
    assert small_eas.rows("select name from repositories order by 1") == [("damaged",), ("house",)]
    examined = small_eas.run_here("doctor")
    assert "Repository damaged" in examined.stdout
    assert "2 times an object could not be read" in examined.stdout


def overwrite(repository: GitRepository, sha: str) -> None:
    """Make an object unreadable."""
    (repository.git_dir / "objects" / sha[:2] / sha[2:]).write_bytes(b"not zlib")


def test_the_next_run_finishes_a_killed_run_with_the_same_result(
    small_eas: Eas, house: GitRepository, tmp_path: Path
) -> None:
    landed = [
        killed_when(small_eas, house, pattern)
        for pattern in (
            f"raw/_state/git/{LOCAL_ORGANIZATION}/*.json",
            f"warehouse/{LOCAL_ORGANIZATION}.duckdb.wal",
            f"published/{LOCAL_ORGANIZATION}/*.writing",
        )
    ]
    assert sum(landed) >= 2, "too few of the kills hit a running process to say anything"
    final = small_eas.run_here("analyze", house.path)
    assert final.returncode == 0, final.stdout
    calm = Eas(tmp_path / "calm", is_small=True)
    assert calm.run_here("analyze", house.path).returncode == 0
    assert small_eas.everything() == calm.everything()
    leftovers = [*small_eas.data.rglob("*.partial"), *small_eas.data.rglob("*.writing*")]
    assert leftovers == []


def killed_when(eas: Eas, house: GitRepository, pattern: str) -> bool:
    """Kill a run and its children when a file appears. Returns whether it was still running."""
    process = eas.start("analyze", house.path)
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(eas.data.glob(pattern)) and time.monotonic() < deadline:
        time.sleep(0.005)
    was_running = process.poll() is None
    if was_running:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return was_running


def test_an_analysis_goes_on_when_nobody_reads_its_output_any_longer(
    house: GitRepository, tmp_path: Path
) -> None:
    """As with `eas analyze | head -1`."""
    eas = Eas(tmp_path / "data", is_small=True)
    process = eas.start("analyze", house.path)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=200) == 0
    assert eas.rows("select count(*) from commits_by_time") == [(len(house.commits),)]


def test_a_failed_build_keeps_the_last_one_published(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    """The next test repeats the build of this one."""
    before = eas.pointer()
    (eas.data / "run_state" / LOCAL_ORGANIZATION / "build.json").unlink()
    done = eas.run_here("analyze", house.path, EAS_WAREHOUSE_MEMORY="1MB")
    assert done.returncode == 1
    assert "Failed: warehouse" in done.stdout
    assert eas.pointer() == before


def test_a_rewritten_branch_gains_new_commits_and_loses_abandoned_ones(
    first_run: subprocess.CompletedProcess[str], eas: Eas, house: GitRepository
) -> None:
    before, left = eas.pointer(), house.heads["main"]
    [parent] = house.commits[left].parents
    house.reset("main", parent)
    added = house.commit({"src/new.py": "new = offset('new') * 3\n"}, "Add something new")
    for name in ("v0.2", "open-work"):
        house.git("update-ref", "-d", f"refs/{'tags' if name.startswith('v') else 'heads'}/{name}")
    done = eas.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    assert "1 new commit in" in done.stdout
    assert eas.pointer() != before
    delivered = {
        sha for (sha,) in eas.rows("select commit_sha from commits_by_time where delivered_at is not null")
    }
    assert delivered == set(house.git("rev-list", "main").split())
    assert added in delivered
    assert left not in delivered
