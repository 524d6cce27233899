from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

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


def test_the_data_folder_can_be_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path))
    assert Settings().mirrors_dir == tmp_path / "mirrors"
    assert Settings().raw_root == str(tmp_path / "raw")


@pytest.mark.parametrize("name", ["RAW_DIR", "EAS_RAW_DIR"])
@pytest.mark.parametrize("root", ["s3://bucket/raw", "/srv/raw"])
def test_the_raw_lake_can_be_elsewhere(monkeypatch: pytest.MonkeyPatch, name: str, root: str) -> None:
    monkeypatch.setenv(name, root + "/")
    assert Settings().raw_root == root


def test_relative_folders_do_not_follow_later_changes_of_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EAS_DATA_DIR", "here")
    monkeypatch.setenv("RAW_DIR", "raw")
    settings = Settings()
    monkeypatch.chdir("/")
    assert settings.data_dir == tmp_path / "here"
    assert settings.raw_root == str(tmp_path / "raw")


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EAS_DATA_DIR", "RAW_DIR", "EAS_WORKERS", "EAS_GIT_TOKEN"):
        monkeypatch.setenv(name, "")
    assert Settings() == Settings(data_dir=CHECKOUT / "data")


def test_as_many_workers_as_processors_but_four_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for processors in (1, 2, 64, None):
        monkeypatch.setattr(os, "cpu_count", lambda count=processors: count)
        found.append(Settings().workers)
    assert found == [1, 2, 4, 1]


@pytest.mark.parametrize("workers", ["0", "-1", "many"])
def test_an_invalid_value_names_its_setting(monkeypatch: pytest.MonkeyPatch, workers: str) -> None:
    monkeypatch.setenv("EAS_WORKERS", workers)
    with pytest.raises(ValidationError, match="workers"):
        Settings()


def test_the_token_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_GIT_TOKEN", "tok_secret")
    settings = Settings()
    assert settings.git_token is not None
    assert settings.git_token.get_secret_value() == "tok_secret"
    assert "tok_secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_there_are_few_settings() -> None:
    assert len(Settings.model_fields) < 15
    assert all(field.description for field in Settings.model_fields.values())
