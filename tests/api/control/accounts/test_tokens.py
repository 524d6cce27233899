"""API tokens: shown once, stored as a hash, named, limited, revoked."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.control.accounts.tokens import create_token, find_by_hash, list_tokens, revoke_token, signing_key
from api.control.errors import InvalidSetting, NotFound
from api.control.issued_tokens import key_hash, touch
from api.control.models import ApiToken
from api.control.store import ControlStore, open_store
from tests.api.people import stored

pytestmark = pytest.mark.both_databases


@pytest.fixture
def store(tmp_path: Path) -> ControlStore:
    store = open_store(tmp_path)
    store.ensure_organization("Acme")
    store.ensure_organization("Other")
    return store


def test_a_key_has_the_prefix_and_256_random_bits(store: ControlStore) -> None:
    keys = {create_token(store, "acme", "ci").key for _ in range(20)}
    assert len(keys) == 20
    assert all(re.fullmatch(r"service_[A-Za-z0-9_-]{43}", key) for key in keys)


def test_the_key_is_nowhere_in_the_database(store: ControlStore) -> None:
    key = create_token(store, "acme", "ci").key
    dump = stored(store)
    assert key not in dump
    assert key.removeprefix("service_") not in dump
    assert key_hash(key).hex().upper() in dump.upper()


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "line\nbreak"])
def test_bad_names_are_refused(store: ControlStore, name: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        create_token(store, "acme", name)
    assert refused.value.field == "name"


def test_the_longest_name_is_accepted(store: ControlStore) -> None:
    assert create_token(store, "acme", "x" * 100).token.name == "x" * 100


@pytest.mark.parametrize(
    "expiry",
    [datetime.now(UTC) - timedelta(seconds=1), datetime.now(UTC).replace(year=2099, tzinfo=None)],
    ids=["past", "zoneless"],
)
def test_bad_expiries_are_refused(store: ControlStore, expiry: datetime) -> None:
    with pytest.raises(InvalidSetting) as refused:
        create_token(store, "acme", "ci", expires_at=expiry)
    assert refused.value.field == "expires_at"


def test_an_unknown_scope_is_refused(store: ControlStore) -> None:
    with pytest.raises(InvalidSetting):
        create_token(store, "acme", "ci", scope="root")


def test_tokens_are_listed_without_their_keys_newest_first(store: ControlStore) -> None:
    made = [create_token(store, "acme", name) for name in ("first", "second")]
    create_token(store, "other", "elsewhere")
    listed = list_tokens(store, "acme")
    assert {token.name for token in listed} == {"first", "second"}
    assert not any(made[0].key in repr(token) for token in listed)


def test_revoking_twice_keeps_the_first_time(store: ControlStore) -> None:
    token = create_token(store, "acme", "ci").token
    first = revoke_token(store, "acme", token.id)
    assert first.revoked_at is not None
    assert revoke_token(store, "acme", token.id) == first


def test_a_token_of_another_organization_cannot_be_revoked(store: ControlStore) -> None:
    token = create_token(store, "acme", "ci").token
    with pytest.raises(NotFound):
        revoke_token(store, "other", token.id)
    assert list_tokens(store, "acme")[0].revoked_at is None


def test_last_use_is_written_at_most_once_a_minute(store: ControlStore) -> None:
    made = create_token(store, "acme", "ci")
    now = datetime.now(UTC)
    for seconds in (0, 10, 59, 61):
        touch(store, ApiToken, made.token.id, now + timedelta(seconds=seconds))
        expected = now + timedelta(seconds=61 if seconds >= 60 else 0)
        assert list_tokens(store, "acme")[0].last_used_at == expected


def test_a_key_is_found_by_its_hash_only(store: ControlStore) -> None:
    made = create_token(store, "acme", "ci")
    found = find_by_hash(store, key_hash(made.key))
    assert found is not None
    assert found[0].id == made.token.id
    assert find_by_hash(store, key_hash(made.key + "x")) is None


def test_every_process_gets_the_same_signing_key(store: ControlStore, tmp_path: Path) -> None:
    key = signing_key(store, "page_tokens")
    assert len(key) == 32
    assert signing_key(open_store(tmp_path), "page_tokens") == key
    assert signing_key(store, "another") != key
