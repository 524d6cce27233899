"""dbt's cached project is used only as dbt wrote it."""

from pathlib import Path

from orchestration.build import parsed_project
from orchestration.build.parsed_project import PARTIAL_PARSE_FILE


def test_an_intact_project_stays(tmp_path: Path) -> None:
    file = tmp_path / PARTIAL_PARSE_FILE
    file.write_bytes(b"select 1")
    parsed_project.remember(tmp_path)
    parsed_project.discard_damaged(tmp_path)
    assert file.read_bytes() == b"select 1"


def test_a_changed_project_goes_and_so_does_one_without_checksum(tmp_path: Path) -> None:
    file = tmp_path / PARTIAL_PARSE_FILE
    file.write_bytes(b"select 1")
    parsed_project.remember(tmp_path)
    file.write_bytes(b"select 2")
    parsed_project.discard_damaged(tmp_path)
    assert not file.exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / PARTIAL_PARSE_FILE).write_bytes(b"select 1")
    parsed_project.discard_damaged(other)
    assert not (other / PARTIAL_PARSE_FILE).exists()
