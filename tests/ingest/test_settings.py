from __future__ import annotations

import os
from pathlib import Path

import pytest

import ingest
from ingest.settings import Settings

CHECKOUT = Path(ingest.__file__).parent.parent


def test_everything_is_kept_below_the_checkout_by_default() -> None:
    settings = Settings()
    assert settings.data_dir == CHECKOUT / "data"
    assert settings.raw_root == str(CHECKOUT / "data" / "raw")
    places = [
        settings.mirrors_dir,
        settings.warehouse_file("o"),
        settings.published_dir,
        settings.dagster_dir,
    ]
    places += [settings.dbt_target_dir("o"), settings.exports_dir]
    assert [str(place.relative_to(settings.data_dir)) for place in places] == [
        "mirrors",
        "warehouse/o.duckdb",
        "published",
        "dagster",
        "dbt/o",
        "exports",
    ]


def test_the_data_folder_can_be_elsewhere(tmp_path: Path) -> None:
    assert Settings(data_dir=tmp_path).mirrors_dir == tmp_path / "mirrors"
    assert Settings(data_dir=tmp_path).raw_root == str(tmp_path / "raw")


@pytest.mark.parametrize("root", ["s3://bucket/raw", "/srv/raw"])
def test_the_raw_lake_can_be_elsewhere(root: str) -> None:
    assert Settings(raw_dir=root + "/").raw_root == root


def test_relative_folders_do_not_follow_later_changes_of_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(data_dir=Path("here"), raw_dir="raw")
    monkeypatch.chdir("/")
    assert settings.data_dir == tmp_path / "here"
    assert settings.raw_root == str(tmp_path / "raw")


def test_as_many_workers_as_processors_but_four_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for processors in (1, 2, 64, None):
        monkeypatch.setattr(os, "cpu_count", lambda count=processors: count)
        found.append(Settings().workers)
    assert found == [1, 2, 4, 1]


def test_the_token_is_not_shown() -> None:
    settings = Settings(git_token="tok_secret")
    assert settings.git_token is not None
    assert settings.git_token.get_secret_value() == "tok_secret"
    assert "tok_secret" not in f"{settings!r} {settings} {settings.model_dump()}"


def test_there_are_few_settings() -> None:
    assert len(Settings.model_fields) < 15
