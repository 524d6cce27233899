import io
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from ingest.git import native
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.doctor.examination import examine
from orchestration.runtime.run_state import RepositoryEntry
from tests.api.operator.signing import PUBLIC
from tests.end_to_end.eas import PROGRAM
from tests.git_repository import GitRepository

NOW = "2024-01-01T00:00:00+00:00"
OWN_KEY = f"your key {PUBLIC} (EAS_ADMINISTRATOR_KEY)"
SUPPORT = "the key of the service's support (DISABLE_SERVICE_SUPPORT_ACCESS=true closes that)"


def verdict(deployment: Deployment) -> tuple[bool, str]:
    out = io.StringIO()
    fine = examine(deployment, Console(file=out, width=400))
    return fine, out.getvalue()


def test_a_fresh_machine_passes(deployment: Deployment) -> None:
    fine, report = verdict(deployment)
    assert fine, report
    for what in ("Python", "Git", "Data directory", "Disk", "Control database", "nothing is running"):
        assert what in report


def test_the_engine_of_the_extraction_is_named_and_an_impossible_one_fails(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(native.ENGINE, "python")
    fine, report = verdict(deployment)
    assert fine
    assert f"Extraction: in Python, because {native.ENGINE} is python" in report
    monkeypatch.setenv(native.ENGINE, "fast")
    fine, report = verdict(deployment)
    assert not fine
    assert f"FAIL Extraction: {native.ENGINE} is 'fast'" in report


def test_a_repository_with_a_failed_last_run_fails_with_its_error(deployment: Deployment) -> None:
    entry = RepositoryEntry(
        "r1",
        "owner/name",
        str(deployment.settings.data_dir),
        succeeded_at=NOW,
        failed_at=NOW,
        error="no\x1b[31m luck",
    )
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL Repository owner/name" in report
    assert "no[31m luck" in report


def test_a_first_reading_that_was_killed_is_named_with_the_command_that_goes_on(
    deployment: Deployment,
) -> None:
    place = str(deployment.settings.data_dir)
    deployment.run_state.record(LOCAL_ORGANIZATION, RepositoryEntry("r1", "owner/name", place))
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    with deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").extracting():
        fine, report = verdict(deployment)
        assert "Repository owner/name: its first reading is under way" in report
        assert fine, report
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL Repository owner/name: its first reading was interrupted before its end" in report
    assert f"run `eas analyze {place}` again" in report


def test_a_folder_that_cannot_be_written_is_named_once_with_the_remedy(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    mounted = f"mount -o bind {data} {data} && mount -o remount,bind,ro {data}"
    prefix = ("unshare", "--map-root-user", "--mount", "sh", "-c")
    if not shutil.which("unshare") or subprocess.run([*prefix, mounted], capture_output=True).returncode:
        pytest.skip("this machine permits no mount")
    done = subprocess.run(
        [*prefix, f"{mounted} && exec {PROGRAM} doctor"],
        env=os.environ | {"EAS_DATA_DIR": str(data)},
        capture_output=True,
        text=True,
    )
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert done.returncode == 1, done.stdout
    assert failures[0].startswith(f"FAIL Data directory: {data}/.doctor: Read-only file system.")
    assert len(failures) == 2, "the folder, and the control database below it"
    assert all("Set EAS_DATA_DIR to a folder that you may write" in line for line in failures)


def test_a_missing_local_repository_fails(deployment: Deployment) -> None:
    deployment.run_state.record(
        LOCAL_ORGANIZATION, RepositoryEntry("r1", "owner/name", "/no/such/place", succeeded_at=NOW)
    )
    fine, report = verdict(deployment)
    assert not fine
    assert "/no/such/place does not exist" in report


def test_a_pointer_to_a_removed_build_fails(deployment: Deployment) -> None:
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    folder.mkdir(parents=True)
    (folder / "current.json").write_text(
        f'{{"build_id": "b1", "file": "b1.duckdb", "published_at": "{NOW}"}}'
    )
    fine, report = verdict(deployment)
    assert not fine
    assert "b1.duckdb is missing" in report
    assert "run `eas analyze` again" in report


def publish_reasons(deployment: Deployment, *, imported: int) -> None:
    """Publish a build with a repository of a hundred commits, some of them imports."""
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "b1.duckdb")) as connection:
        for name, kind in (
            ("zero_reasons", "zero_reason, title, description, position, warning_share_micro"),
            ("zero_reason_days", "repository_id, zero_reason, commits, lines_added"),
            ("repositories", "repository_id, name"),
        ):
            numbers = ("position", "warning_share_micro", "commits", "lines_added")
            columns = [f"{c} {'bigint' if c in numbers else 'varchar'}" for c in kind.split(", ")]
            connection.execute(f"create table {name} ({', '.join(columns)})")
        connection.execute("insert into zero_reasons values ('IMPORT', 'Imported code', 'Why.', 1, 100000)")
        connection.execute("insert into repositories values ('r1', 'owner/\x1b[31mname')")
        connection.execute(
            "insert into zero_reason_days values ('r1', null, ?, 0), ('r1', 'IMPORT', ?, 0)",
            [100 - imported, imported],
        )
    (folder / "current.json").write_text(
        f'{{"build_id": "b1", "file": "b1.duckdb", "published_at": "{NOW}"}}'
    )


def test_a_repository_that_earns_little_is_a_warning(deployment: Deployment) -> None:
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    publish_reasons(deployment, imported=11)
    fine, report = verdict(deployment)
    assert fine, report
    assert "warn Repository owner/[31mname: 11 % of the commits have no ETV: imported code. Why." in report


def test_a_repository_with_a_tenth_at_zero_is_no_warning(deployment: Deployment) -> None:
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    publish_reasons(deployment, imported=10)
    fine, report = verdict(deployment)
    assert fine, report
    assert "warn" not in report


def test_running_work_is_named_by_its_lock(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    lake_source = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
    lake_source.commit({}, {}, {})
    with lake_source.extracting():
        assert f"git-{LOCAL_ORGANIZATION}-{source.repository_id}" in verdict(deployment)[1]
    assert "nothing is running" in verdict(deployment)[1]


def test_a_check_that_breaks_is_a_finding_and_stops_no_other(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROL_DATABASE_URL", "sqlite:////proc/no/such/folder/control.db")
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL Control database: " in report
    assert "ok   Git" in report


def test_missing_git_fails(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/no/such/folder")
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL Git: not found on the PATH" in report


def test_facts_of_a_connection_that_the_settings_do_not_have_are_named(deployment: Deployment) -> None:
    lost = "0190d3b0-0000-7000-8000-00000000c999"
    deployment.lake.source("trackers", LOCAL_ORGANIZATION, lost).commit(appended={}, replaced={}, extra={})
    fine, report = verdict(deployment)
    assert f"facts of connections that are not in the settings do not count ({lost})" in report
    assert fine, report


def test_a_missing_license_of_a_self_hosted_deployment_fails(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "License" not in verdict(deployment)[1]
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL License: this self-hosted deployment has no license: new analysis is paused" in report


@pytest.mark.parametrize(
    ("settings", "kind", "signers"),
    [
        ({}, "local", "no key; `eas root-login new-key` makes one where it is needed"),
        (
            {"EAS_DEPLOYMENT": "self_hosted", "EAS_APP_URL": "https://eas.example"},
            "self_hosted",
            SUPPORT,
        ),
        ({"EAS_DEPLOYMENT": "self_hosted", "EAS_ADMINISTRATOR_KEY": PUBLIC}, "self_hosted", OWN_KEY),
        (
            {
                "EAS_DEPLOYMENT": "self_hosted",
                "EAS_ADMINISTRATOR_KEY": PUBLIC,
                "EAS_APP_URL": "https://eas.example",
            },
            "self_hosted",
            f"{OWN_KEY} and by {SUPPORT}",
        ),
        (
            {"EAS_ADMINISTRATOR_KEY": PUBLIC, "DISABLE_SERVICE_SUPPORT_ACCESS": "true"},
            "local",
            OWN_KEY,
        ),
    ],
)
def test_the_kind_and_the_keys_of_root_logins_are_named(
    deployment: Deployment,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    kind: str,
    signers: str,
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    lines = [line.strip() for line in verdict(deployment)[1].splitlines()]
    assert f"Deployment: of the kind {kind}" in lines
    assert f"Root logins: signed by {signers}" in lines


@pytest.mark.parametrize(
    ("settings", "is_told"),
    [
        ({"EAS_DEPLOYMENT": "self_hosted"}, True),
        ({"EAS_DEPLOYMENT": "self_hosted", "EAS_APP_URL": "http://localhost:8000"}, True),
        ({"EAS_DEPLOYMENT": "self_hosted", "EAS_APP_URL": "https://eas.example"}, False),
        ({"EAS_DEPLOYMENT": "cloud"}, False),
        (
            {
                "EAS_DEPLOYMENT": "self_hosted",
                "EAS_ADMINISTRATOR_KEY": PUBLIC,
                "DISABLE_SERVICE_SUPPORT_ACCESS": "true",
            },
            False,
        ),
    ],
)
def test_support_that_needs_an_address_is_named(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], is_told: bool
) -> None:
    monkeypatch.delenv("EAS_APP_URL", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    told = "Support: the key of the service's support signs nobody in: set EAS_APP_URL"
    assert (told in verdict(deployment)[1]) is is_told
