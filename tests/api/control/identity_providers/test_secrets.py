"""Client secrets of identity providers at rest."""

import base64
from pathlib import Path

import pytest
from sqlalchemy import update

from api.control.errors import SecretUnreadable
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import (
    NewProvider,
    ProviderChange,
    add_provider,
    change_provider,
)
from api.control.identity_providers.usable import usable_provider
from api.control.models import IdentityProvider
from api.control.principals import OPERATOR
from api.control.sealed_rows import encrypt_anew
from api.control.secrets import Sealed
from api.control.store import ControlStore, open_store
from api.operator.variables import SECRET_KEY
from tests.api.people import stored

pytestmark = pytest.mark.both_databases

SECRET = "s3cret-that-nobody-may-see"
KEYS = [base64.b64encode(bytes([number]) * 32).decode() for number in range(3)]


def added(store: ControlStore, organization: str, name: str = "Acme") -> str:
    wanted = NewProvider(ProviderKind.OPENID_CONNECT, name, "https://login.example", "eas", SECRET)
    return add_provider(store, OPERATOR, organization, wanted).id


def secret_of(store: ControlStore, provider: str) -> str:
    found = usable_provider(store, provider)
    assert found is not None
    assert SECRET not in repr(found)
    return found.secret


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def test_a_sign_in_gets_the_secret_and_no_table_has_it(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    assert secret_of(store, provider) == SECRET
    change_provider(store, OPERATOR, acme, provider, ProviderChange(secret="an0ther-secret"))
    assert secret_of(store, provider) == "an0ther-secret"
    for one in (SECRET, "an0ther-secret"):
        assert one not in stored(store)
        assert one.encode().hex() not in stored(store)


def test_a_ciphertext_of_another_row_cannot_be_read(store: ControlStore, acme: str) -> None:
    first, second = added(store, acme, "One"), added(store, acme, "Two")
    with store.session() as session:
        row = session.get_one(IdentityProvider, first)
        sealed = Sealed(row.secret_key_id, row.secret)
        session.execute(
            update(IdentityProvider).where(IdentityProvider.id == second).values(secret=row.secret)
        )
    with pytest.raises(SecretUnreadable, match="identity provider"):
        usable_provider(store, second)
    # Nor as the token of a connection with the same id.
    with pytest.raises(SecretUnreadable):
        store.keyring.decrypt(sealed, acme, first)


def test_a_new_key_takes_over_and_a_lost_one_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_KEY, KEYS[0])
    store = open_store(tmp_path)
    acme = store.ensure_organization("Acme").id
    provider = added(store, acme)
    monkeypatch.setenv(SECRET_KEY, f"{KEYS[1]},{KEYS[0]}")
    assert secret_of(store, provider) == SECRET
    assert encrypt_anew(store, IdentityProvider) == 0
    monkeypatch.setenv(SECRET_KEY, KEYS[1])
    assert secret_of(store, provider) == SECRET
    monkeypatch.setenv(SECRET_KEY, KEYS[2])
    assert encrypt_anew(store, IdentityProvider) == 1
    with pytest.raises(SecretUnreadable, match="not here"):
        usable_provider(store, provider)
    monkeypatch.setenv(SECRET_KEY, f"{KEYS[2]},{KEYS[1]}")
    assert encrypt_anew(store, IdentityProvider) == 0
    assert secret_of(store, provider) == SECRET
    store.close()
