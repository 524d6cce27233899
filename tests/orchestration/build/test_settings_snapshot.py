from pathlib import Path

import pytest

from api.control.errors import NotFound
from ingest.errors import Permanent
from ingest.lake import Lake
from ingest.schemas import control as schemas
from ingest.settings import Settings
from orchestration.build import settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    deployment = Deployment(Settings(data_dir=tmp_path))
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
    return deployment


def add(deployment: Deployment, identifier: str, name: str) -> None:
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, identifier, name=name, origin=f"example.org/{name}")


def test_the_lake_has_what_the_control_database_has(deployment: Deployment) -> None:
    add(deployment, "r1", "one")
    written = settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert written == settings_snapshot.lake_settings(deployment, LOCAL_ORGANIZATION)
    assert written["organizations"].to_pylist()[0]["slug"] == "local"
    assert [row["name"] for row in written["repositories"].to_pylist()] == ["one"]


def test_unchanged_settings_write_no_batch(deployment: Deployment) -> None:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    before = settings_snapshot.source_of(deployment, LOCAL_ORGANIZATION).state()
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert settings_snapshot.source_of(deployment, LOCAL_ORGANIZATION).state() == before
    add(deployment, "r1", "one")
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert settings_snapshot.source_of(deployment, LOCAL_ORGANIZATION).state().batch == before.batch + 1


def test_every_table_has_a_file_even_if_empty(deployment: Deployment) -> None:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    for table in schemas.TABLES:
        folder = Path(deployment.lake.partition("control", table, LOCAL_ORGANIZATION, "_"))
        assert list(folder.glob("*.parquet")), table


def test_an_unknown_organization_is_refused(deployment: Deployment) -> None:
    with pytest.raises(NotFound, match="no-such"):
        settings_snapshot.write(deployment, "no-such")


def test_a_key_outside_the_schema_is_an_error() -> None:
    row = dict.fromkeys(schemas.ORGANIZATIONS.names, "x")
    with pytest.raises(Permanent, match="currency"):
        settings_snapshot.to_table("organizations", [row | {"currency": "EUR"}], schemas.ORGANIZATIONS)
    with pytest.raises(Permanent, match="slug"):
        settings_snapshot.to_table(
            "organizations", [{k: v for k, v in row.items() if k != "slug"}], schemas.ORGANIZATIONS
        )


def test_empty_files_are_written_under_the_lock_of_cleaning(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the lock two runs could move or delete each other's half-written files."""
    held: list[bool] = []

    def prepare(lake: Lake, organization_id: str) -> None:
        try:
            with lake.lock(f"org-{organization_id}", exclusive=True, wait=False):
                held.append(False)
        except BlockingIOError:
            held.append(True)

    monkeypatch.setattr(Lake, "prepare", prepare)
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert held == [True]


@pytest.mark.parametrize("damage", [b"torn", None])
def test_damaged_settings_in_the_lake_are_written_again(deployment: Deployment, damage: bytes | None) -> None:
    add(deployment, "r1", "one")
    written = settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    source = settings_snapshot.source_of(deployment, LOCAL_ORGANIZATION)
    (name,) = source.state().tables["repositories"]
    file = Path(source.location(f"repositories/{name}"))
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    assert settings_snapshot.write(deployment, LOCAL_ORGANIZATION) == written
    assert settings_snapshot.lake_settings(deployment, LOCAL_ORGANIZATION) == written
    assert not source.damage()
