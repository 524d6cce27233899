from pathlib import Path

from ingest.settings import Settings
from orchestration.deployment import Deployment
from orchestration.runtime.run_state import BuildEntry, RepositoryEntry, RunState


def test_an_entry_comes_back_as_it_was_recorded(tmp_path: Path) -> None:
    run_state = RunState(tmp_path / "run_state")
    entry = RepositoryEntry(
        "r", "owner/näme", "/some/where", state="abc", succeeded_at="2024-01-01T00:00:00+00:00"
    )
    run_state.record("o", entry)
    assert run_state.repository("o", "r") == entry
    assert run_state.repository("other", "r") is None


def test_repositories_are_listed_by_name_and_by_organization(tmp_path: Path) -> None:
    run_state = RunState(tmp_path)
    for organization, identifier, name in (("o", "1", "zebra"), ("o", "2", "ant"), ("p", "3", "bee")):
        run_state.record(organization, RepositoryEntry(identifier, name, "/x"))
    assert [entry.name for entry in run_state.repositories("o")] == ["ant", "zebra"]


def test_a_torn_file_counts_as_no_entry(tmp_path: Path) -> None:
    run_state = RunState(tmp_path)
    run_state.record("o", RepositoryEntry("r", "n", "/x"))
    run_state.record("o", BuildEntry({"facts": "1"}, "b", "2024-01-01T00:00:00+00:00", 1.0))
    for file in tmp_path.rglob("*.json"):
        file.write_text(file.read_text()[:20])
    assert run_state.repository("o", "r") is None
    assert run_state.build("o") is None
    assert run_state.repositories("o") == []


def test_the_run_state_of_an_earlier_release_is_taken_over(tmp_path: Path) -> None:
    entry = RepositoryEntry("r", "owner/name", "/x")
    RunState(tmp_path / "journal").record("o", entry)
    for _ in range(2):
        assert Deployment(Settings(data_dir=tmp_path)).run_state.repository("o", "r") == entry
    assert not (tmp_path / "journal").exists()
