"""Root logins of the tests, signed with their own key as the administrator's."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from api.control.accounts import root_logins
from api.control.issued_tokens import key_hash
from api.control.principals import Principal
from api.control.store import ControlStore
from api.operator.root_credentials import RootCredential, read_credential
from api.operator.settings import operator_settings
from tests.api.operator.signing import ADDRESS, PUBLIC, root_credential


@contextmanager
def administrator_key(key: str = PUBLIC) -> Iterator[None]:
    """Within it, this key signs root logins, and that of the service does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EAS_ADMINISTRATOR_KEY", key)
        patch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", "true")
        yield


def credential(store: ControlStore, text: str | None = None) -> RootCredential:
    """A credential of now, verified."""
    now, keys = store.now(), operator_settings().root_keys
    return read_credential(text or root_credential(now), keys=keys, audience=ADDRESS, now=now)


def root_principal(store: ControlStore, token: str) -> Principal:
    """The root login of a token as the caller of a request."""
    found = root_logins.find_by_hash(store, key_hash(token))
    assert found is not None
    return found[2]


def sign_in_root(store: ControlStore, organization: str | None = None) -> str:
    """The token of a new root login, which has entered an organization."""
    token = root_logins.begin(store, credential(store)).token
    if organization is not None:
        actor = root_principal(store, token)
        assert actor.root is not None
        root_logins.enter(store, actor.root, actor, organization)
    return token
