"""The control database from nothing, and the models against the migrations."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from api.control import removals
from api.control.database import connect, database_url, migrate
from api.control.errors import SchemaTooNew
from api.control.models import Base
from api.control.store import open_store


def test_migrations_from_empty_give_exactly_the_models(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'control.db'}")
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    first = open_store(tmp_path)
    first.ensure_organization("Acme")
    second = open_store(tmp_path)
    assert [organization.name for organization in second.organizations()] == ["Acme"]


def test_downgrade_leaves_an_empty_database(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from api.control.database import MIGRATIONS

    engine = connect(f"sqlite:///{tmp_path / 'control.db'}")
    migrate(engine)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with engine.connect() as connection:
        tables = (
            connection.execute(text("select name from sqlite_master where type = 'table'")).scalars().all()
        )
    assert set(tables) <= {"alembic_version"}


def test_repositories_of_the_first_release_are_kept_and_not_removed(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from api.control.database import MIGRATIONS

    engine = connect(f"sqlite:///{tmp_path / 'control.db'}")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    now = "2026-01-01 00:00:00"
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(text(f"insert into organizations values ('o', 'O', 'o', 'UTC', 'five', '{now}')"))
        connection.execute(
            text(f"insert into repositories values ('o', 'r', 'R', 'x/r', 0, 0, 0, null, '{now}')")
        )
    store = open_store(tmp_path)
    [found] = removals.repositories(store, "o")
    assert (found.repository_id, found.is_removed) == ("r", False)
    assert [row["name"] for row in store.snapshot("o")["repositories"]] == ["R"]


def test_a_database_of_a_newer_release_is_refused_with_what_to_do(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(SchemaTooNew, match=r"9999.*run the release that migrated it"):
        open_store(tmp_path)


def test_sqlite_uses_write_ahead_logging_and_checks_foreign_keys(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar() == "wal"
        assert connection.execute(text("pragma foreign_keys")).scalar() == 1


def test_the_environment_overrides_where_the_database_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database_url(tmp_path) == f"sqlite:///{tmp_path}/control.db"
    monkeypatch.setenv("CONTROL_DATABASE_URL", "postgresql://db.example/eas")
    assert database_url(tmp_path) == "postgresql://db.example/eas"
