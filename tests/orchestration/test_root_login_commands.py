"""`eas root-login`: keys, the printed page and command, and the list of logins."""

import getpass
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner, Result

from api.control.accounts import root_logins
from api.control.store import utc_now
from api.operator.root_credentials import private_key, public_part, read_credential
from api.operator.settings import RootSigner
from orchestration.cli import app
from orchestration.deployment import Deployment
from tests.api.conftest import serving
from tests.api.operator.signing import ADDRESS
from tests.api.roots import administrator_key, sign_in_root

runner = CliRunner()


def run(*arguments: str, given: str = "") -> Result:
    return runner.invoke(app, ["root-login", *arguments], input=given)


@pytest.fixture
def key(tmp_path: Path, deployment: Deployment) -> Path:
    """The file of a new private key."""
    file = tmp_path / "root.key"
    assert run("new-key", str(file)).exit_code == 0
    return file


@pytest.fixture
def address(key: Path, deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A running server that accepts the key, at the address of its own port."""
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", public_part(private_key(key.read_text())))
    with serving(deployment.settings.data_dir, EAS_APP_URL=ADDRESS) as served:
        yield served


class Form(HTMLParser):
    """The first form of a page, with its fields."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.form: dict[str, str | None] = {}
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "form":
            self.form = values
        elif tag == "input":
            self.fields[values["name"] or ""] = values["value"] or ""


def test_a_new_key_is_private_and_its_public_part_is_the_setting(tmp_path: Path) -> None:
    file = tmp_path / "root.key"
    answer = run("new-key", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    public = public_part(private_key(file.read_text()))
    assert answer.stdout.strip() == f"EAS_ADMINISTRATOR_KEY={public}"
    assert f"eas root-login --key {file}" in answer.stderr
    assert file.read_text().strip() not in answer.output
    before = file.read_text()
    again = run("new-key", str(file))
    assert (again.exit_code, file.read_text()) == (2, before)
    assert "exists already" in again.stderr


def test_the_umask_of_the_caller_opens_no_key(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        run("new-key", str(tmp_path / "root.key"))
    finally:
        os.umask(former)
    assert (tmp_path / "root.key").stat().st_mode & 0o777 == 0o600


def test_the_printed_page_signs_in_once(key: Path, address: str) -> None:
    form = Form(run("--key", str(key), "--address", f"{ADDRESS}/", "--issuer", 'Ada "A" <a@x.org>').stdout)
    assert form.form == {"method": "post", "action": f"{ADDRESS}/impersonate"}
    assert list(form.fields) == ["credential"]
    answer = httpx.post(f"{address}/impersonate", data=form.fields)
    assert (answer.status_code, answer.json()["issuer"]) == (200, 'Ada "A" <a@x.org>')
    assert httpx.post(f"{address}/impersonate", data=form.fields).status_code == 401


def test_the_printed_command_gives_the_credential_to_curl_at_its_input(
    key: Path, address: str, tmp_path: Path
) -> None:
    """A recording program in the place of curl: its arguments are what other users of the machine see."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "curl").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT/arguments"\ncat > "$OUT/input"\n')
    (folder / "curl").chmod(0o755)
    printed = run("--key", str(key), "--curl", "--address", ADDRESS).stdout
    environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "OUT": str(tmp_path)}
    subprocess.run(["sh"], input=printed, text=True, env=environment, check=True)
    arguments, given = (tmp_path / "arguments").read_text().split("\n"), (tmp_path / "input").read_text()
    assert f"{ADDRESS}/impersonate" in arguments
    assert not any("ey" in one for one in arguments)
    name, _, credential = given.strip().partition("=")
    assert name == "credential"
    assert httpx.post(f"{address}/impersonate", data={name: credential}).status_code == 200


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_printed_command_signs_in(
    key: Path, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", public_part(private_key(key.read_text())))
    with serving(deployment.settings.data_dir) as address:
        command = run("--key", str(key), "--curl").stdout.replace("http://127.0.0.1:8000", address)
        done = subprocess.run(["sh"], input=command, text=True, capture_output=True, check=True)
    assert '"token":"root_' in done.stdout


def test_a_key_comes_from_a_file_or_from_the_input_and_is_named_nowhere(key: Path) -> None:
    secret = key.read_text()
    for answer in (run("--key", str(key)), run(given=secret), run("--curl", given=secret)):
        assert answer.exit_code == 0, answer.output
        assert secret.strip() not in answer.output
        text = re.search(r"ey[\w-]+\.[\w-]+\.[\w-]+", answer.stdout)
        assert text is not None
        keys = {public_part(private_key(secret)): RootSigner.ADMINISTRATOR}
        found = read_credential(text[0], keys=keys, audience="http://127.0.0.1:8000", now=utc_now())
        assert found.issuer.startswith(f"{getpass.getuser()}@")


@pytest.mark.parametrize(
    ("arguments", "given", "told"),
    [
        ([], "", "no private key"),
        ([], "s3cr3t", "no private key"),
        (["--key", "missing"], "", "missing cannot be read"),
        (["--issuer", ""], "", "--issuer: give 1 to 100 characters"),
        (["--issuer", " "], "", "--issuer: give 1 to 100 characters"),
        (["--issuer", "a\nb"], "", "--issuer: give 1 to 100 characters"),
        (["--issuer", "a" * 101], "", "--issuer: give 1 to 100 characters"),
        (["--address", "eas.example"], "", "--address: give the address"),
        (["--address", "https://x';rm -rf /'"], "", "--address: give the address"),
        (["new-key", "/nowhere/key"], "", "/nowhere/key cannot be written"),
        (["end"], "", "give the id of one login, or --all"),
        (["end", "x", "--all"], "", "give the id of one login, or --all"),
        (["end", "x"], "", "no root login 'x'"),
    ],
)
def test_wrong_use_names_the_remedy_and_exits_with_two(
    deployment: Deployment, arguments: list[str], given: str, told: str
) -> None:
    answer = run(*arguments, given=given)
    assert (answer.exit_code, told in answer.stderr) == (2, True)
    assert "s3cr3t" not in answer.output


def test_a_key_that_others_can_read_or_that_is_not_the_deployment_s_is_a_warning(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Warning" not in run("--key", str(key)).stderr
    key.chmod(0o644)
    assert f"`chmod 600 {key}`" in run("--key", str(key)).stderr
    with administrator_key():
        assert "accepts another key than this one" in run("--key", str(key)).stderr


@pytest.mark.parametrize(
    ("address", "is_open"),
    [("http://eas.example", True), ("https://eas.example", False), ("http://127.0.0.1:8000", False)],
)
def test_a_public_address_without_encryption_is_a_warning(key: Path, address: str, is_open: bool) -> None:
    key.chmod(0o600)
    told = run("--key", str(key), "--address", address).stderr
    assert ("is not encrypted" in told) is is_open


def test_logins_are_listed_and_ended(deployment: Deployment) -> None:
    """Also in a shell without the setting of the key that signed them."""
    assert run("list").stdout == "Nobody has signed in as root.\n"
    with administrator_key(), deployment.control() as control:
        acme = control.ensure_organization("Acme", slug="acme").id
        tokens = [sign_in_root(control, acme) for _ in range(3)]
        ids = [one.id for one in root_logins.list_logins(control)]
    listed = run("list").stdout
    assert [listed.count(word) for word in ("until", "acme", *ids)] == [3, 3, 1, 1, 1]
    assert listed.count("its key is not accepted") == 3
    with administrator_key():
        assert "is not accepted" not in run("list").stdout
    assert not any(token in listed for token in tokens)
    assert run("end", ids[0]).exit_code == 0
    assert [run("list").stdout.count(word) for word in ("until", "ended")] == [2, 1]
    assert run("end", "--all").stdout == "Ended 2 root logins.\n"
    assert run("end", "--all").stdout == "Ended 0 root logins.\n"
    assert [run("list").stdout.count(word) for word in ("until", "ended")] == [0, 3]
    with administrator_key(), deployment.control() as control:
        assert not any(one.is_live for one in root_logins.list_logins(control))


def test_no_argument_takes_a_private_key() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from orchestration.cli import main; main()", "root-login", "private_root_key_x"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
