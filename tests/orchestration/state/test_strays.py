"""What does not belong into a deployment is named and moved, and everything that belongs stays."""

import os
from pathlib import Path

import pytest

from ingest.locks import locked
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state import strays
from tests.ingest.lake.rows import problems
from tests.orchestration.published_stub import publish_stub

SOURCE = "8cf94960-9cfb-5b9b-8d1d-9bf3daddbeb2"


@pytest.fixture
def data(deployment: Deployment) -> Path:
    """A data directory with facts, a build and the lock of a run."""
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, SOURCE)
    with stored.extracting():
        stored.commit(problems("p"), {}, {}, {"classifier.npz": b"memory"})
    stored.mark_damaged("for the test")
    deployment.lake.prepare(LOCAL_ORGANIZATION)
    publish_stub(deployment, "b")
    data = deployment.settings.data_dir
    (data / "dbt/target/run/daily.yml").mkdir(parents=True)
    (data / "mirrors/a.git").mkdir(parents=True)
    return data


@pytest.mark.usefixtures("data")
def test_what_belongs_into_a_deployment_stays(deployment: Deployment) -> None:
    assert strays.found(deployment) == []
    assert strays.set_aside(deployment) is None


def test_pipes_links_and_folders_in_the_place_of_files_are_moved(deployment: Deployment, data: Path) -> None:
    places = [
        data / f"raw/_state/git/{LOCAL_ORGANIZATION}/a.json",
        data / f"run_state/{LOCAL_ORGANIZATION}/build.json",
        data / f"published/{LOCAL_ORGANIZATION}/c.json",
        data / "control.db-wal",
    ]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(places[0])
    places[1].symlink_to("/nowhere")
    places[2].mkdir()
    os.mkfifo(places[3])
    assert set(strays.found(deployment)) == set(places)
    said = strays.set_aside(deployment)
    assert said is not None
    assert "build.json" in said
    assert not any(map(os.path.lexists, places))
    assert len([one for one in (data / "set-aside").rglob("*") if one.name in {p.name for p in places}]) == 4


@pytest.mark.parametrize("name", [".publishing", "without_suffix"])
def test_a_link_back_to_its_own_folder_ends(deployment: Deployment, data: Path, name: str) -> None:
    link = data / "published" / LOCAL_ORGANIZATION / name
    link.symlink_to(link.parent)
    assert strays.found(deployment) == [link]
    strays.set_aside(deployment)
    assert strays.found(deployment) == []


def test_a_file_in_the_place_of_a_folder_is_moved(deployment: Deployment, data: Path) -> None:
    (data / "run_state").rmdir() if (data / "run_state").exists() else None
    (data / "run_state").write_text("no folder")
    assert strays.found(deployment) == [data / "run_state"]
    strays.set_aside(deployment)
    assert not (data / "run_state").exists()


def test_a_link_of_a_whole_folder_to_a_missing_disk_stays(deployment: Deployment, data: Path) -> None:
    (data / "exports").symlink_to("/nowhere")
    assert strays.set_aside(deployment) is None
    assert (data / "exports").is_symlink()


def test_links_to_folders_of_another_disk_are_followed(
    deployment: Deployment, data: Path, tmp_path: Path
) -> None:
    (data / "raw").rename(tmp_path / "disk")
    (data / "raw").symlink_to(tmp_path / "disk")
    assert strays.found(deployment) == []


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a link"])
def test_a_lock_is_taken_whatever_stands_in_its_place(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "a.lock"
    if kind == "a pipe":
        os.mkfifo(file)
    elif kind == "a folder":
        (file / "inside").mkdir(parents=True)
    else:
        file.symlink_to(tmp_path / "nowhere/else")
    with locked(file):
        assert file.is_file()


@pytest.mark.parametrize("noun", ["git", "control"])
def test_a_copy_of_a_state_under_another_name_is_moved(deployment: Deployment, data: Path, noun: str) -> None:
    copy = data / f"raw/_state/{noun}/{LOCAL_ORGANIZATION}/000754-_.json"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(b"{}")
    assert strays.found(deployment) == [copy]
    strays.set_aside(deployment)
    assert deployment.lake.sources(noun, LOCAL_ORGANIZATION) == ([SOURCE] if noun == "git" else [])
