from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UnsupportedTarget
from ingest.git.remote import url
from ingest.git.remote.credentials import Credentials, environment, scrubbed

HTTPS = url.parse("https://github.com/a/b")
printable = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=30)


@pytest.mark.parametrize(
    ("address", "token", "fallback", "expected"),
    [
        ("https://github.com/a/b", "t", None, Credentials("x-access-token", "t")),
        ("https://gitlab.com/a/b", "t", None, Credentials("oauth2", "t")),
        ("https://bitbucket.org/a/b", "t", None, Credentials("x-token-auth", "t")),
        ("https://host.org/a/b", "me:t:u", None, Credentials("me", "t:u")),
        ("https://host.org/a/b", "bearer t", None, Credentials("", "t", is_bearer=True)),
        ("https://host.org/a/b", " t\n", None, Credentials("x-access-token", "t")),
        ("https://me:p%40ss@host.org/a/b", None, None, Credentials("me", "p@ss")),
        ("https://me:p@host.org/a/b", "t", "f", Credentials("x-access-token", "t")),
        ("https://me:p@host.org/a/b", None, "f", Credentials("me", "p")),
        ("https://me@host.org/a/b", None, "f", Credentials("x-access-token", "f")),
        ("https://host.org/a/b", None, "f", Credentials("x-access-token", "f")),
        ("http://host.org/a/b", None, "f", None),
        ("http://localhost/a/b", None, "f", Credentials("x-access-token", "f")),
        ("https://host.org/a/b", None, None, None),
        ("ssh://git@host.org/a/b", "t", "f", None),
        ("git@host.org:a/b", "t", "f", None),
    ],
)
def test_the_closest_secret_is_chosen(
    address: str, token: str | None, fallback: str | None, expected: Credentials | None
) -> None:
    assert Credentials.choose(url.parse(address), token, fallback) == expected


def test_a_secret_that_would_break_the_helper_s_protocol_is_refused() -> None:
    with pytest.raises(UnsupportedTarget, match="control character"):
        Credentials.choose(HTTPS, "a\nhost=evil")


@given(printable.filter(lambda s: not s.startswith("-")), printable)
def test_git_s_credential_machinery_gets_the_given_credentials(user: str, secret: str) -> None:
    """Git itself runs the helper for this host only."""

    def answer(host: str) -> dict[str, str]:
        done = subprocess.run(
            ["git", "credential", "fill"],
            env=environment(HTTPS, Credentials(user, secret)),
            input=f"protocol=https\nhost={host}\n\n",
            capture_output=True,
            text=True,
        )
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    given = answer("github.com")
    assert (given["username"], given["password"]) == (user, secret)
    assert "password" not in answer("github.com.evil.org")


def test_helpers_of_the_user_never_see_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = tmp_path / "gitconfig"
    configuration.write_text(f"[credential]\n\thelper = store --file={tmp_path}/stored\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    subprocess.run(
        ["git", "credential", "approve"],
        env=environment(HTTPS, Credentials("me", "secret")),
        input="protocol=https\nhost=github.com\nusername=me\npassword=secret\n\n",
        text=True,
        check=True,
    )
    assert not (tmp_path / "stored").exists()


def test_the_environment_holds_the_secret_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GIT_TOKEN",
        "CONNECTION_TOKEN",
        "SECRET_KEY",
        "DATABASE_URL",
        "SIGN_IN_GOOGLE_CLIENT_SECRET",
    ):
        monkeypatch.setenv(f"EAS_{name}", "tok_secret")
    monkeypatch.setenv("GIT_TRACE_CURL", "1")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.pager'='x'")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org")
    variables = environment(HTTPS, None)
    assert "tok_secret" not in variables.values()
    assert not {"GIT_TRACE_CURL", "GIT_CONFIG_PARAMETERS"} & variables.keys()
    assert variables["HTTPS_PROXY"] == "http://proxy.example.org"
    assert variables["PATH"] == os.environ["PATH"]


@given(printable, printable, st.text(max_size=20))
def test_no_spelling_of_a_secret_survives_scrubbing(user: str, secret: str, around: str) -> None:
    credentials = Credentials(user, secret)
    basic = base64.b64encode(f"{user}:{secret}".encode()).decode()
    for spelling in (secret, basic, *credentials.spellings()):
        clean = scrubbed(f"{around} {spelling} {around}", credentials)
        if secret not in around + " *** ":
            assert secret not in clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("fatal: 'https://me:pw@host/x' failed", "fatal: 'https://host/x' failed"),
        ("https://tok@host/x https://host/y", "https://host/x https://host/y"),
        ("remote: \x1b[31mred\x1b[0m\nnext", "remote:  [31mred [0m\nnext"),
    ],
)
def test_messages_lose_userinfo_and_control_characters(text: str, clean: str) -> None:
    assert scrubbed(text) == clean


@pytest.mark.parametrize("secret", ["abc/def+123=", "ä b/c"])
def test_a_secret_is_hidden_in_its_form_for_addresses_too(secret: str) -> None:
    in_address = quote(secret, safe="")
    assert in_address != secret
    said = f"fatal: unable to access host.org/x?private_token={in_address}: 403"
    clean = scrubbed(said, Credentials("me", secret))
    assert clean == "fatal: unable to access host.org/x?private_token=***: 403"
