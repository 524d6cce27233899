"""What the API says in its log when it starts."""

import logging
from pathlib import Path

import pytest
from starlette.routing import Match

from api.app import create_app
from api.control.accounts.sign_in_rules import OfferedWays
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.settings import ApiSettings
from api.startup import log_ways, renew_encryption

SECRET = "s3cret-of-the-client"


def add(store: ControlStore, organization: str, name: str) -> None:
    issuer = "https://login.example"
    add_provider(
        store,
        OPERATOR,
        organization,
        NewProvider(ProviderKind.OPENID_CONNECT, name, issuer, name, SECRET),
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["One"], "the client secret of the identity provider 'One' of acme cannot be read"),
        (["One", "Two"], "the client secrets of identity providers 'One' of acme, 'Two' of acme cannot"),
    ],
)
def test_a_lost_key_is_told_with_providers_organizations_and_the_remedy(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, names: list[str], said: str
) -> None:
    store = open_store(tmp_path)
    organization = store.ensure_organization("Acme", slug="acme").id
    for name in names:
        add(store, organization, name)
    (tmp_path / "secret.key").unlink()
    renew_encryption(store)
    store.close()
    [record] = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert said in record.getMessage()
    assert "restore it in EAS_SECRET_KEY or in the file secret.key" in record.getMessage()
    assert SECRET not in record.getMessage()


@pytest.mark.parametrize(
    ("passwords", "providers", "warns"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_the_log_warns_where_nobody_can_sign_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, passwords: bool, providers: bool, warns: bool
) -> None:
    store = open_store(tmp_path)
    log_ways(store, OfferedWays(passwords, providers))
    store.close()
    assert ("nobody can sign in: " in caplog.text) is warns
    assert ("EAS_SIGN_IN_" in caplog.text) is warns


def test_no_request_waits_until_the_routes_are_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(ApiSettings())

    def late(*_: object, **__: object) -> None:
        raise AssertionError("a route was prepared by a request")

    monkeypatch.setattr("fastapi.routing.get_dependant", late)
    for path in ("/healthz", "/api/v1/organizations/acme/checkOccurrences", "/api/v1/nothing"):
        asked: dict[str, object] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "root_path": "",
            "headers": [],
        }
        found = [route.matches(asked)[0] for route in app.routes]
        assert (Match.FULL in found) is (path != "/api/v1/nothing")
