"""Secrets of connections at rest."""

import base64
import logging
import os
import stat
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from api.control.connections.connections import ConnectionChange, change_connection, remove_connection
from api.control.connections.usable import usable_connections
from api.control.errors import BadSecretKey, SecretUnreadable
from api.control.models import AuditEntry, Connection
from api.control.principals import OPERATOR
from api.control.sealed_rows import encrypt_anew
from api.control.secrets import FILE, Keyring, Sealed
from api.control.store import ControlStore, open_store
from api.operator.variables import SECRET_KEY
from tests.api.control.connections.places import TOKEN, connect

pytestmark = pytest.mark.both_databases

KEYS = [base64.b64encode(bytes([number]) * 32).decode() for number in range(3)]


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def stored(store: ControlStore, connection_id: str) -> Connection:
    with store.session() as session:
        found = session.get(Connection, connection_id)
        assert found is not None
        return found


def everything_in(store: ControlStore) -> str:
    """All values of all tables."""
    with store.session() as session:
        tables = [table.name for table in Connection.metadata.sorted_tables]
        return "".join(repr(session.execute(text(f"select * from {table}")).all()) for table in tables)


def test_a_run_gets_the_secret_that_was_given(store: ControlStore, acme: str) -> None:
    connection = connect(store, acme)
    [found] = usable_connections(store)
    assert (found.id, found.secret, found.problem) == (connection, TOKEN, None)


def test_no_table_has_the_secret(store: ControlStore, acme: str) -> None:
    connection = connect(store, acme)
    change_connection(store, OPERATOR, acme, connection, ConnectionChange(secret="second-t0ken"))
    held = everything_in(store)
    assert TOKEN not in held
    assert "second-t0ken" not in held
    assert stored(store, connection).secret not in (b"", TOKEN.encode())


def test_the_same_secret_is_never_stored_twice_alike(store: ControlStore, acme: str) -> None:
    first, second = (stored(store, connect(store, acme)).secret for _ in range(2))
    assert first != second


def test_a_changed_ciphertext_is_refused(store: ControlStore, acme: str) -> None:
    row = stored(store, connect(store, acme))
    for at in (0, 12, len(row.secret) - 1):
        changed = bytearray(row.secret)
        changed[at] ^= 1
        with pytest.raises(SecretUnreadable, match="replace the token"):
            store.keyring.decrypt(Sealed(row.secret_key_id, bytes(changed)), acme, row.id)
    with pytest.raises(SecretUnreadable):
        store.keyring.decrypt(Sealed(row.secret_key_id, b""), acme, row.id)


def test_a_ciphertext_of_another_organization_or_connection_is_refused(
    store: ControlStore, acme: str
) -> None:
    other = store.ensure_organization("Other").id
    row = stored(store, connect(store, acme))
    for organization, connection in ((other, row.id), (acme, connect(store, acme))):
        with pytest.raises(SecretUnreadable):
            store.keyring.decrypt(Sealed(row.secret_key_id, row.secret), organization, connection)


def test_one_row_that_was_copied_does_not_stop_the_others(store: ControlStore, acme: str) -> None:
    good, bad = connect(store, acme), connect(store, acme)
    with store.session() as session:
        session.execute(
            update(Connection).where(Connection.id == bad).values(secret=stored(store, good).secret)
        )
    found = {one.id: (one.secret, one.problem is None) for one in usable_connections(store)}
    assert found == {good: (TOKEN, True), bad: ("", False)}


def test_the_key_file_is_for_its_owner_alone(store: ControlStore, acme: str, tmp_path: Path) -> None:
    assert not (tmp_path / FILE).exists()
    connect(store, acme)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    kept = (tmp_path / FILE).read_bytes()
    connect(store, acme)
    assert (tmp_path / FILE).read_bytes() == kept
    assert [found.name for found in tmp_path.iterdir() if FILE in found.name] == [FILE]


def test_a_lost_key_is_named_with_the_remedy(store: ControlStore, acme: str, tmp_path: Path) -> None:
    connect(store, acme)
    (tmp_path / FILE).unlink()
    [found] = usable_connections(store)
    assert found.secret == ""
    assert found.problem is not None
    assert SECRET_KEY in found.problem
    assert FILE in found.problem


@pytest.mark.parametrize("bad", ["short", base64.b64encode(b"1" * 31).decode(), "é" * 44, f"{KEYS[0]},x"])
def test_a_malformed_key_is_refused_without_repeating_it(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv(SECRET_KEY, bad)
    with pytest.raises(BadSecretKey, match=f"{SECRET_KEY}.*openssl") as caught:
        Keyring(None).encrypt(TOKEN, "o", "c")
    assert bad not in str(caught.value)


def test_something_else_in_the_place_of_the_key_file_is_named(
    store: ControlStore, acme: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(BadSecretKey, match="is no file"):
        connect(store, acme)


def test_without_any_place_for_a_key_nothing_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET_KEY, raising=False)
    with pytest.raises(BadSecretKey, match=SECRET_KEY):
        Keyring(None).encrypt(TOKEN, "o", "c")


def test_the_variable_comes_before_the_file(
    store: ControlStore, acme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_KEY, KEYS[0])
    connect(store, acme)
    assert not (tmp_path / FILE).exists()
    monkeypatch.setenv(SECRET_KEY, KEYS[1])
    assert usable_connections(store)[0].problem is not None


def test_after_a_rotation_the_former_key_can_go(
    store: ControlStore, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_KEY, KEYS[0])
    connect(store, acme)
    monkeypatch.setenv(SECRET_KEY, f"{KEYS[1]},{KEYS[0]}")
    assert encrypt_anew(store, Connection) == 0
    monkeypatch.setenv(SECRET_KEY, KEYS[1])
    assert usable_connections(store)[0].secret == TOKEN
    monkeypatch.setenv(SECRET_KEY, KEYS[2])
    assert encrypt_anew(store, Connection) == 1
    monkeypatch.setenv(SECRET_KEY, KEYS[1])
    assert usable_connections(store)[0].secret == TOKEN


def test_a_removed_connection_keeps_no_secret(store: ControlStore, acme: str) -> None:
    connection = connect(store, acme)
    remove_connection(store, OPERATOR, acme, connection)
    assert stored(store, connection).secret == b""
    assert usable_connections(store) == []


def test_neither_texts_nor_logs_nor_the_audit_log_have_the_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    store = open_store(tmp_path)
    acme = store.ensure_organization("Acme").id
    connection = connect(store, acme)
    change_connection(store, OPERATOR, acme, connection, ConnectionChange(name="Host", secret="second-t0ken"))
    with store.session() as session:
        entries = session.scalars(select(AuditEntry)).all()
        logged = repr([(entry.action, entry.before, entry.after) for entry in entries])
    change = ConnectionChange(secret=TOKEN)
    shown = repr(usable_connections(store)) + repr(change) + repr(store.snapshot(acme)) + logged + caplog.text
    assert TOKEN not in shown
    assert "second-t0ken" not in shown
    assert {"connections.create", "connections.update", "connections.replaceSecret"} == {
        entry.action for entry in entries
    }
