"""dbt's parsed project is kept beside the code and used only as dbt wrote it."""

from pathlib import Path

import pytest

from orchestration.build import parsed_project
from orchestration.build.parsed_project import CONNECTION_MODELS_FILE, MANIFEST_FILE, PARSED_FILE
from orchestration.deployment import Deployment
from orchestration.state import fingerprints


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the dbt project."""
    folder = tmp_path / "code"
    folder.mkdir()
    monkeypatch.setattr(parsed_project, "DBT_PROJECT", folder)
    return folder


def store(home: Path) -> Path:
    folder = home / fingerprints.build_code()
    folder.mkdir(parents=True)
    for name in (PARSED_FILE, MANIFEST_FILE, CONNECTION_MODELS_FILE):
        (folder / name).write_bytes(b"select 1")
    parsed_project.seal(folder)
    return folder


def test_all_data_directories_share_the_project_beside_the_code(code: Path, deployment: Deployment) -> None:
    assert parsed_project.find(deployment) is None
    folder = store(parsed_project.home(deployment))
    assert folder.is_relative_to(code)
    assert parsed_project.find(deployment) == folder


def test_the_data_directory_keeps_the_project_of_code_that_is_read_only(
    code: Path, deployment: Deployment
) -> None:
    (code / "target").write_text("no folder can be made here")
    folder = store(parsed_project.home(deployment))
    assert folder.is_relative_to(deployment.settings.data_dir)
    assert parsed_project.find(deployment) == folder


@pytest.mark.parametrize("name", [PARSED_FILE, MANIFEST_FILE, CONNECTION_MODELS_FILE])
@pytest.mark.parametrize("content", [b"select 2", None])
def test_a_changed_or_lost_file_is_not_used(
    code: Path, deployment: Deployment, name: str, content: bytes | None
) -> None:
    folder = store(parsed_project.home(deployment))
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    assert parsed_project.find(deployment) is None
