"""Licenses: states over time, forged and damaged texts, and what waits without one."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import OctKey, OKPKey, RSAKey

from api.operator import license as licenses
from api.operator.environment import StartRefused
from api.operator.license import LicenseState, license_status, read_license
from api.operator.settings import (
    DeploymentKind,
    OperatorSettings,
    operator_settings,
)
from api.operator.signatures import MAX_TOKEN_BYTES, public_key
from tests.api.operator.signing import END, KEY, PUBLIC, START, license_claims, license_of, signed

BUILT_IN = licenses.PUBLIC_KEYS
GRACE_END = END + timedelta(days=14)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def known_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licenses, "PUBLIC_KEYS", (PUBLIC,))


def at(now: datetime, key: str | None) -> licenses.LicenseStatus:
    return license_status(now, OperatorSettings(DeploymentKind.SELF_HOSTED, key))


@pytest.mark.parametrize(
    ("now", "state", "text", "is_paused"),
    [
        (START - SECOND, LicenseState.NOT_YET_VALID, "is valid from 2026-01-01 00:00 UTC", True),
        (START, LicenseState.VALID, "is valid until 2027-01-01", False),
        (END - timedelta(days=30) - SECOND, LicenseState.VALID, "valid until", False),
        (END - timedelta(days=30), LicenseState.APPROACHING_EXPIRY, "in 30 days", False),
        (END - SECOND, LicenseState.APPROACHING_EXPIRY, "within a day", False),
        (END, LicenseState.IN_GRACE, "Analysis goes on until 2027-01-15", False),
        (GRACE_END - SECOND, LicenseState.IN_GRACE, "ended on 2027-01-01", False),
        (GRACE_END, LicenseState.EXPIRED, "new analysis is paused", True),
    ],
    ids=str,
)
def test_a_license_goes_through_its_states(
    now: datetime, state: LicenseState, text: str, is_paused: bool
) -> None:
    status = at(now, license_of())
    assert (status.state, status.pauses_analysis) == (state, is_paused)
    assert "Acme" in status.message
    assert text in status.message
    assert status.license is not None
    assert status.license.limits == {"developers": 50}


@pytest.mark.parametrize("key", [None, "", "  "])
def test_without_a_license_the_message_names_the_variable(
    key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    if key is not None:
        monkeypatch.setenv("EAS_LICENSE_KEY", key)
    for status in (license_status(START), at(START, None)):
        assert (status.state, status.pauses_analysis) == (LicenseState.ABSENT, True)
        assert "Set EAS_LICENSE_KEY" in status.message


def forged() -> dict[str, str]:
    """Texts that are no license, by what is wrong with them."""
    head, body, signature = license_of().split(".")
    other = OKPKey.generate_key("Ed25519")
    none = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    secret = OctKey.import_key(PUBLIC)
    symmetric = jws.serialize_compact({"alg": "HS256"}, json.dumps(license_claims()), secret)
    longer = license_claims(exp=int(GRACE_END.timestamp()) * 2)
    return {
        "another key": signed(license_claims(), other),
        "no signature": f"{none}.{body}.",
        "the signature of another text": f"{head}.{signed(longer).split('.')[1]}.{signature}",
        "the public key as a secret": symmetric,
        "another type": license_of(type="root_login"),
        "no type": license_of(type=None),
        "no licensee": license_of(licensee=" "),
        "no end": license_of(exp=None),
        "an end before the start": license_of(exp=int(START.timestamp())),
        "an end that is text": license_of(exp="2027-01-01"),
        "an end beyond all calendars": license_of(exp=10**18),
        "a truth for an end": license_of(exp=True),
        "no number": license_of(exp=float("nan")),
        "an endless grace": license_of(grace_days=10**9),
        "a negative grace": license_of(grace_days=-1),
        "limits that are no numbers": license_of(limits={"developers": "many"}),
        "limits in a list": license_of(limits=[1]),
        "a list of claims": signed("[1]"),
        "no JSON": signed("{"),
        "deep JSON": signed("[" * 3000),
        "no text of three parts": "abc",
        "other letters": "ключ.ключ.ключ",
        "a letter within": license_of()[:40] + "-" + license_of()[40:],
        "a huge text": "a" * (MAX_TOKEN_BYTES + 1),
        "a part missing": f"{head}.{body}",
    }


@pytest.mark.parametrize("reason", sorted(forged()))
def test_a_forged_license_is_none(reason: str) -> None:
    status = at(START, forged()[reason])
    assert (status.state, status.pauses_analysis) == (LicenseState.UNVERIFIABLE, True)
    assert status.license is None
    assert "EAS_LICENSE_KEY is no license" in status.message


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_character_leaves_a_license(place: int, by: int) -> None:
    text = license_of()
    place %= len(text)
    changed = text[:place] + chr((ord(text[place]) + by) % 256) + text[place + 1 :]
    try:
        found = read_license(changed, [KEY])
    except ValueError:
        return
    # The last character of a part has bits that belong to no byte.
    assert found == read_license(text, [KEY])


@pytest.mark.parametrize("between", ["\n", "\r\n", " \n  ", "\t"])
def test_a_license_that_a_mail_program_wrapped_is_read(between: str) -> None:
    key = license_of()
    wrapped = between.join(key[place : place + 70] for place in range(0, len(key), 70))
    assert at(START, wrapped).state is LicenseState.VALID


def test_a_license_that_begins_later_pauses_only_the_analysis() -> None:
    message = at(START - SECOND, license_of()).message
    assert "new analysis is paused until then" in message
    assert "readable" not in message


def test_control_characters_of_a_licensee_reach_no_terminal() -> None:
    assert at(START, license_of(licensee="Ac\x1b[31mme\n")).message.startswith("the license of Ac[31mme is")


@pytest.mark.parametrize("kind", ["local", "cloud"])
def test_other_deployments_need_no_license(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    monkeypatch.setenv("EAS_LICENSE_KEY", "nonsense")
    status = license_status(START)
    assert (status.state, status.pauses_analysis) == (LicenseState.NOT_REQUIRED, False)


def test_an_unknown_kind_of_deployment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "selfhosted")
    with pytest.raises(StartRefused, match=r"EAS_DEPLOYMENT='selfhosted' .* local, self_hosted, cloud"):
        operator_settings()


def test_the_key_stays_out_of_the_settings_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_LICENSE_KEY", license_of())
    assert license_of() not in repr(operator_settings())


def test_the_release_tool_signs_what_the_service_reads(tmp_path: Path) -> None:
    def tool(*arguments: str) -> str:
        command = [sys.executable, ".ci/licenses.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    public = tool("new-keys", str(tmp_path)).rpartition(" ")[2]
    file = tmp_path / "license-key.pem"
    assert file.stat().st_mode & 0o777 == 0o600
    starts = "2026-11-01T00:00:00+00:00"
    options = ["--licensee", "Acme", "--from", starts, "--days", "30", "--limit", "developers=7"]
    found = read_license(tool("sign", str(file), *options), [public_key(public)])
    assert (found.licensee, found.grace_days, found.limits) == ("Acme", 30, {"developers": 7})
    assert found.expires_at == datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--days", "-5"], "argument --days: '-5' is no whole number from 1 to"),
        (["--days", "0"], "argument --days: '0' is no whole number from 1 to"),
        (["--days", "9999999999"], "argument --days: '9999999999' is no whole number"),
        (
            ["--days", "5", "--grace-days", "-1"],
            "argument --grace-days: '-1' is no whole number from 0 to 366",
        ),
        (["--days", "5", "--from", "tomorrow"], "'tomorrow' is no instant with an offset"),
        (["--days", "5", "--from", "2026-01-01"], "'2026-01-01' is no instant with an offset"),
        (["--days", "5", "--from", "0001-01-01T00:00:00+23:00"], "is no instant with an offset"),
        (["--days", "5", "--limit", "developers"], "argument --limit: 'developers' is no name with a"),
        (["--days", "5", "--limit", "=5"], "argument --limit: '=5' is no name with a number"),
        (["--days", "5", "--licensee", " "], "argument --licensee: give the name"),
        (["--days", "5", "--licensee", "x" * 9000], "the service would refuse this license"),
    ],
    ids=str,
)
def test_the_release_tool_refuses_bad_input_in_a_sentence(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(OKPKey.generate_key("Ed25519").as_pem(private=True))
    command = [sys.executable, ".ci/licenses.py", "sign", str(file), "--licensee", "Acme", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "kind", ["none", "folder", "text", "binary", "public", "other curve", "encrypted", "RSA"]
)
def test_the_release_tool_refuses_a_file_that_is_no_private_key(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "key.pem"
    contents = {
        "text": b"hello",
        "binary": b"\xff\xfe\x00",
        "public": OKPKey.generate_key("Ed25519").as_pem(private=False),
        "other curve": OKPKey.generate_key("X25519").as_pem(private=True),
        "encrypted": OKPKey.generate_key("Ed25519").as_pem(private=True, password="word"),
        "RSA": RSAKey.generate_key(2048).as_pem(private=True),
    }
    if kind == "folder":
        file.mkdir()
    elif kind != "none":
        file.write_bytes(contents[kind])
    command = [sys.executable, ".ci/licenses.py", "sign", str(file), "--licensee", "Acme", "--days", "5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert str(file) in done.stderr.splitlines()[-1]
    assert ";" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_release_tool_never_replaces_a_key(tmp_path: Path) -> None:
    (tmp_path / "license-key.pem").write_text("precious")
    command = [sys.executable, ".ci/licenses.py", "new-keys", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "exists already, and a key is never replaced" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "license-key.pem").read_text() == "precious"


def test_the_built_in_keys_are_keys() -> None:
    assert BUILT_IN
    assert all(map(public_key, BUILT_IN))
