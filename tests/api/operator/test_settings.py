"""The settings of the operator: which keys may sign root logins in which deployment."""

import pytest

from api.operator.environment import StartRefused
from api.operator.license import LicenseState, license_status
from api.operator.root_keys import SUPPORT_KEYS
from api.operator.settings import (
    RootSigner,
    application_address,
    operator_settings,
)
from api.settings import ApiSettings
from tests.api.operator.signing import KEY, PUBLIC, START, license_of, root_credential

KEY_NAME, SWITCH, KIND = "EAS_ADMINISTRATOR_KEY", "DISABLE_SERVICE_SUPPORT_ACCESS", "EAS_DEPLOYMENT"
SERVICE = dict.fromkeys(SUPPORT_KEYS, RootSigner.SERVICE)
APP = {"EAS_APP_URL": "https://eas.example"}
OWN = {PUBLIC: RootSigner.ADMINISTRATOR}


@pytest.fixture(autouse=True)
def _only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY_NAME, SWITCH, KIND, "EAS_APP_URL", "EAS_API_PORT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        (APP, {}),
        (APP | {KIND: "cloud"}, {}),
        (APP | {KIND: "self_hosted"}, SERVICE),
        (APP | {KIND: "self_hosted", SWITCH: "false"}, SERVICE),
        (APP | {KIND: "self_hosted", KEY_NAME: PUBLIC}, SERVICE | OWN),
        (APP | {KIND: "self_hosted", KEY_NAME: PUBLIC, SWITCH: "true"}, OWN),
        (APP | {KIND: "self_hosted", KEY_NAME: f" {PUBLIC}\n", SWITCH: " True"}, OWN),
        # Other deployments have the same address, and the key of the service's support signs for all.
        ({KIND: "self_hosted"}, {}),
        ({KIND: "self_hosted", KEY_NAME: PUBLIC}, OWN),
        ({KIND: "self_hosted", "EAS_API_PORT": "8123"}, {}),
        ({KEY_NAME: PUBLIC}, OWN),
        ({KIND: "cloud", KEY_NAME: PUBLIC, SWITCH: "FALSE"}, OWN),
    ],
)
def test_the_service_s_own_key_signs_only_in_a_self_hosted_deployment_that_allows_it(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], expected: dict[str, RootSigner]
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    found = operator_settings()
    assert found.root_keys == expected
    assert found.allows_support == (RootSigner.SERVICE in expected.values())


@pytest.mark.parametrize(
    ("address", "is_own"),
    [
        ("https://eas.example", True),
        ("http://10.1.2.3:8000/eas/", True),
        ("https://localhost.example", True),
        ("https://127.0.0.1.example", True),
        ("  ", False),
        ("http://127.0.0.1:8000", False),
        ("http://127.8.8.8", False),
        ("http://127.1:8000", False),
        ("http://2130706433", False),
        ("http://0.0.0.0:8000", False),
        ("https://[::1]:8000", False),
        ("https://[::ffff:127.0.0.1]", False),
        ("https://[::]", False),
        ("https://LOCALHOST", False),
        ("https://localhost.:8000", False),
        ("https://eas.localhost", False),
        ("https://user@localhost", False),
    ],
)
def test_support_needs_an_address_that_no_other_deployment_has(
    monkeypatch: pytest.MonkeyPatch, address: str, is_own: bool
) -> None:
    monkeypatch.setenv(KIND, "self_hosted")
    monkeypatch.setenv("EAS_APP_URL", address)
    found = operator_settings()
    assert found.allows_support is found.has_own_address is is_own
    assert found.offers_support


@pytest.mark.parametrize("kind", ["local", "self_hosted", "cloud"])
@pytest.mark.parametrize("key", ["", "  "])
def test_without_support_and_without_a_key_nothing_starts(
    monkeypatch: pytest.MonkeyPatch, kind: str, key: str
) -> None:
    monkeypatch.setenv(KIND, kind)
    monkeypatch.setenv(SWITCH, "true")
    monkeypatch.setenv(KEY_NAME, key)
    with pytest.raises(StartRefused, match=f"{KEY_NAME} as the only key .* not set; set it to .*new-key"):
        operator_settings()


@pytest.mark.parametrize("value", ["1", "0", "yes", "no", "on", "tru", "true,", "wahr"])
def test_a_switch_that_is_neither_true_nor_false_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(SWITCH, value)
    monkeypatch.setenv(KEY_NAME, PUBLIC)
    with pytest.raises(StartRefused, match=f"{SWITCH}='{value}' is neither true nor false"):
        operator_settings()


@pytest.mark.parametrize("switch", ["true", "false"])
def test_the_license_is_verified_with_and_without_support(
    monkeypatch: pytest.MonkeyPatch, switch: str
) -> None:
    monkeypatch.setattr("api.operator.license.PUBLIC_KEYS", (PUBLIC,))
    administrator = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"  # RFC 8032, section 7.1, test 1
    for name, value in ((KIND, "self_hosted"), (SWITCH, switch), (KEY_NAME, administrator)):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("EAS_LICENSE_KEY", license_of())
    assert license_status(START).state is LicenseState.VALID
    # Neither does the key of the administrator license, nor a key of licenses sign root logins.
    monkeypatch.setenv("EAS_LICENSE_KEY", root_credential(key=KEY))
    assert license_status(START).state is LicenseState.UNVERIFIABLE
    assert PUBLIC not in operator_settings().root_keys


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"EAS_API_PORT": "8123"},
        {"EAS_API_PORT": "8123", "EAS_APP_URL": "https://eas.example/"},
        {"EAS_APP_URL": "https://example.org/eas"},
    ],
)
def test_the_command_line_signs_for_the_address_that_the_api_has(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert application_address() == ApiSettings().app_url.rstrip("/")
