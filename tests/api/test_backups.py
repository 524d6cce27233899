"""A restored service answers as its source did, and has everything that was acknowledged before the backup."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest

from api.control.accounts.tokens import create_token
from api.control.store import open_store
from api.control.telemetry.ingest_tokens import create_ingest_token
from ingest.settings import Settings
from ingest.telemetry import loading
from orchestration.backups import backup, restoration
from orchestration.backups.manifest import POSTGRESQL, BackupRefused
from orchestration.deployment import Deployment as Machine
from tests.api import both_databases, postgres
from tests.api.both_databases import Databases
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.otlp.test_receiver import request_of
from tests.api.published_facts import ORGANIZATION

READ = (
    "",
    "/metrics",
    "/metrics?groupBy=developer",
    "/commits?pageSize=50",
    "/developers",
    "/repositories",
    "/teams",
)
Serve = Callable[..., AbstractContextManager[str]]


def answers(address: str, key: str) -> dict[str, tuple[int, bytes]]:
    with client_for(address, key) as client:
        found = {path: client.get(ROOT + path) for path in READ}
    return {path: (answer.status_code, answer.content) for path, answer in found.items()}


def machine(data_dir: Path) -> Machine:
    return Machine(Settings(data_dir=data_dir))


def test_a_restored_service_answers_the_same_to_the_byte(
    published: Deployment, address: str, serve: Serve, tmp_path: Path
) -> None:
    key = published.key("reader of a backup")
    expected = answers(address, key)
    backup.take(machine(published.data_dir), tmp_path / "backup")
    restoration.restore(machine(tmp_path / "restored"), tmp_path / "backup")
    with serve(tmp_path / "restored") as restored:
        assert answers(restored, key) == expected
    good = [path for path, (status, body) in expected.items() if status == 200 and len(body) > 80]
    assert good == list(READ)


class Writers:
    """Threads that write until they are stopped, and what was acknowledged to them."""

    def __init__(self, deployment: Deployment, address: str, ingest_key: str) -> None:
        self.keys: list[str] = []
        self.events: list[int] = []
        self._deployment, self._address, self._ingest_key = deployment, address, ingest_key
        self._is_ending = threading.Event()
        work = (self._make_keys, self._send_events, self._load)
        self._threads = [threading.Thread(target=one) for one in work]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ending.set()
        for thread in self._threads:
            thread.join()

    def await_more(self) -> None:
        """Wait until some more keys and events are acknowledged."""
        keys, events = len(self.keys) + 3, len(self.events) + 3
        while len(self.keys) < keys or len(self.events) < events:
            assert all(thread.is_alive() for thread in self._threads)
            time.sleep(0.01)

    def _make_keys(self) -> None:
        while not self._is_ending.is_set():
            name = f"key {len(self.keys)}"
            create_token(self._deployment.store, ORGANIZATION, name)
            self.keys.append(name)

    def _send_events(self) -> None:
        with client_for(self._address, self._ingest_key) as client:
            while not self._is_ending.is_set():
                number = len(self.events) + 1
                attributes = {
                    "input_tokens": {"intValue": str(number)},
                    "request_id": {"stringValue": str(number)},
                }
                answer = client.post("/otlp/v1/logs", json=request_of(attributes))
                assert answer.status_code == 200
                self.events.append(number)

    def _load(self) -> None:
        """Move the spool into the lake again and again, as runs do."""
        while not self._is_ending.is_set():
            load(machine(self._deployment.data_dir))
            time.sleep(0.02)


def load(of: Machine) -> list[int]:
    """Load what waits in the spool of a deployment. Returns the numbers of all events in its lake."""
    source = of.lake.source("telemetry", ORGANIZATION, "_")
    loading.load(source, of.settings.data_dir)
    return list(source.read("requests")["input_tokens"].to_pylist())


def test_nothing_acknowledged_before_a_backup_is_lost_while_others_write(
    deployment: Deployment, serve: Serve, tmp_path: Path
) -> None:
    ingest_key = create_ingest_token(deployment.store, "acme", "laptops").key
    acknowledged: list[tuple[set[str], set[int]]] = []
    with serve(deployment.data_dir) as address, Writers(deployment, address, ingest_key) as writers:
        for number in range(4):
            writers.await_more()
            acknowledged.append((set(writers.keys), set(writers.events)))
            taken = backup.take(machine(deployment.data_dir), tmp_path / f"backup-{number}")
            assert taken.warnings == []
    for number, (keys, events) in enumerate(acknowledged):
        restored = machine(tmp_path / f"restored-{number}")
        restoration.restore(restored, tmp_path / f"backup-{number}")
        found = load(restored)
        assert events <= set(found)
        assert len(found) == len(set(found))
        with closing(open_store(restored.settings.data_dir)) as store, store.engine.connect() as connection:
            names = {row[0] for row in connection.exec_driver_sql("select name from api_tokens")}
        assert keys <= names


@postgres.required
def test_a_postgresql_database_is_backed_up_and_restored_into_an_empty_one(
    control_databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with control_databases.on(both_databases.POSTGRESQL):
        url = control_databases(tmp_path / "data")
        target = control_databases(tmp_path / "restored", empty=True)
    secret = url.replace("eas@", "eas:a-secret@")
    monkeypatch.setenv("CONTROL_DATABASE_URL", secret)
    with closing(open_store(url=url)) as store:
        store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
        create_token(store, ORGANIZATION, "a key")
    arguments: list[list[str]] = []
    run = subprocess.run

    def recorded(command: list[str], **options: Any) -> Any:
        arguments.append(command)
        return run(command, **options)

    monkeypatch.setattr("orchestration.backups.control_database.subprocess.run", recorded)
    backup.take(machine(tmp_path / "data"), tmp_path / "backup")
    with pytest.raises(BackupRefused, match="set CONTROL_DATABASE_URL to a new, empty one"):
        restoration.restore(machine(tmp_path / "restored"), tmp_path / "backup")
    monkeypatch.delenv("CONTROL_DATABASE_URL")
    with pytest.raises(BackupRefused, match="set CONTROL_DATABASE_URL"):
        restoration.restore(machine(tmp_path / "restored"), tmp_path / "backup")
    monkeypatch.setenv("CONTROL_DATABASE_URL", target)
    restoration.restore(machine(tmp_path / "restored"), tmp_path / "backup")
    with closing(open_store(url=target)) as store, store.engine.connect() as connection:
        assert store.organization("acme").id == ORGANIZATION
        assert connection.exec_driver_sql("select name from api_tokens").fetchall() == [("a key",)]
    assert not (tmp_path / "restored" / POSTGRESQL).exists()
    assert [command[0] for command in arguments] == ["pg_dump", "pg_restore"]
    assert "a-secret" not in str(arguments)
