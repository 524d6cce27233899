"""`eas doctor` names the identity providers of the deployment, and never their secrets."""

import io
import socket
from typing import Any

import pytest
from rich.console import Console

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.principals import OPERATOR
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.doctor.examination import examine

SECRET = "s3cret-of-the-client"
APP = "https://eas.example"


def configure(patch: pytest.MonkeyPatch, kind: str, **settings: str) -> None:
    for name, value in ({"CLIENT_ID": "eas", "CLIENT_SECRET": SECRET} | settings).items():
        patch.setenv(f"EAS_SIGN_IN_{kind}_{name}", value)


def lines(deployment: Deployment) -> list[str]:
    out = io.StringIO()
    examine(deployment, Console(file=out, width=400))
    assert SECRET not in out.getvalue()
    return out.getvalue().splitlines()


def test_every_provider_is_named_with_its_issuer_and_the_address_to_register(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_APP_URL", APP)
    configure(monkeypatch, "OPENID_CONNECT", ISSUER="https://login.example/realm/", NAME="Acme login")
    configure(monkeypatch, "GITHUB")
    found = [line for line in lines(deployment) if "Identity provider" in line]
    assert len(found) == 2
    github, acme = found
    assert github.endswith(
        f"GitHub: github, of https://github.com; register the callback address {APP}/auth/callback/github there"
    )
    described = "https://login.example/realm/.well-known/openid-configuration"
    assert f"Acme login: openid_connect, described at {described} (not asked now)" in acme
    assert acme.endswith(f"register the callback address {APP}/auth/callback/openid_connect there")


def test_without_a_public_address_it_warns(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, "GITLAB")
    monkeypatch.delenv("EAS_APP_URL", raising=False)
    assert [
        line
        for line in lines(deployment)
        if line.startswith("warn Callback addresses") and "EAS_APP_URL" in line
    ]
    monkeypatch.setenv("EAS_APP_URL", APP)
    assert not [line for line in lines(deployment) if "Callback addresses" in line]


def test_without_providers_it_says_so(deployment: Deployment) -> None:
    assert [line for line in lines(deployment) if "Identity providers: none of the deployment" in line]


def test_a_half_set_provider_fails_and_names_the_variable(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_SIGN_IN_GOOGLE_CLIENT_SECRET", SECRET)
    assert [line for line in lines(deployment) if line.startswith("FAIL") and "GOOGLE_CLIENT_ID" in line]


def test_nobody_is_asked(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, "GITLAB", ISSUER="https://gitlab.example")
    asked: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **_: asked.append(given))
    lines(deployment)
    assert asked == []


def add_own(deployment: Deployment) -> str:
    new = NewProvider(ProviderKind.OPENID_CONNECT, "Acme login", "https://login.example", "eas", SECRET)
    with deployment.control() as control:
        return add_provider(control, OPERATOR, LOCAL_ORGANIZATION, new).id


def test_a_provider_of_an_organization_is_named_with_the_address_to_register(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_APP_URL", APP)
    provider = add_own(deployment)
    [line] = [line for line in lines(deployment) if "Identity provider Acme login (local)" in line]
    assert line.endswith(f"register the callback address {APP}/auth/callback/{provider} there")


def test_a_lost_key_of_client_secrets_fails_and_names_provider_and_remedy(deployment: Deployment) -> None:
    add_own(deployment)
    (deployment.settings.data_dir / "secret.key").rename(deployment.settings.data_dir / "moved")
    [line] = [line for line in lines(deployment) if "Identity provider Acme login (local)" in line]
    assert line.startswith("FAIL")
    assert "restore it in EAS_SECRET_KEY or in the file secret.key" in line
    assert "replace the client secret of the identity provider" in line


@pytest.mark.parametrize(
    ("has_own", "mark", "who"),
    [(False, "FAIL", "nobody can sign in:"), (True, "warn", "nobody can sign in but with the providers of")],
)
def test_no_way_to_sign_in_is_told_with_the_settings_that_help(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, has_own: bool, mark: str, who: str
) -> None:
    monkeypatch.setenv("EAS_PASSWORD_SIGN_IN", "false")
    if has_own:
        add_own(deployment)
    [line] = [line for line in lines(deployment) if " Signing in: " in line]
    assert line.startswith(f"{mark} Signing in: {who}")
    assert "set EAS_SIGN_IN_<KIND>_CLIENT_ID" in line
    configure(monkeypatch, "GITHUB")
    assert not [line for line in lines(deployment) if " Signing in: " in line]
