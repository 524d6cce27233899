"""Users of the API cannot use the operator's own logins, checked with real Git and ssh."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import MirrorFailed
from ingest.git import repository_source
from ingest.git.remote import clone, url
from ingest.git.remote.command import Git
from ingest.git.remote.credentials import Credentials, environment
from ingest.reach import Reach
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
PUBLIC = ("198.51.100.7",)
GITHUB = url.parse("https://github.com/operator/private")
LOGIN = "Basic " + base64.b64encode(b"operator:own-secret").decode()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of an operator who has a login of every kind."""
    home = tmp_path / "home"
    home.mkdir()
    helper = "!f() { echo username=operator; echo password=own-secret; }; f"
    (home / ".gitconfig").write_text(
        f'[credential]\n\thelper = "{helper}"\n'
        f'[credential "https://github.com"]\n\thelper = "{helper}"\n'
        '[url "https://operator:own-secret@127.0.0.1/"]\n\tinsteadOf = https://127.0.0.1/\n'
    )
    netrc = home / ".netrc"
    netrc.write_text("machine 127.0.0.1 login operator password own-secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    for name in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def filled(variables: dict[str, str]) -> str:
    """The login for github.com that Git's own machinery finds."""
    asked = "protocol=https\nhost=github.com\n\n"
    done = subprocess.run(
        ["git", "credential", "fill"], env=variables, input=asked, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.usefixtures("home")
def test_no_helper_of_the_operator_answers_for_an_address_of_the_api() -> None:
    assert "own-secret" in filled(environment(GITHUB, None))
    assert "own-secret" in filled(environment(GITHUB, None, PUBLIC, has_own_logins=True))
    assert "own-secret" not in filled(environment(GITHUB, None, PUBLIC))
    assert "own-secret" not in filled(environment(GITHUB, None, ()))
    # The credentials chosen for this address still work.
    assert "password=given" in filled(environment(GITHUB, Credentials("me", "given"), PUBLIC))


@pytest.mark.usefixtures("home")
def test_an_askpass_program_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "askpass"
    program.write_text("#!/bin/sh\necho own-secret\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    variables = environment(GITHUB, None, PUBLIC)
    assert "own-secret" not in filled(variables)
    assert "SSH_ASKPASS" not in variables


@pytest.mark.usefixtures("home")
def test_a_netrc_is_sent_for_the_operator_and_not_for_the_api(
    new_repository: Callable[..., GitRepository], tmp_path: Path
) -> None:
    new_repository("served/owner/project.git", bare=True).commit({"a.py": "a = 1\n"})
    with HttpRemote(tmp_path / "served", authorization=LOGIN) as remote:
        address = url.parse(remote.url("owner/project.git"))

        def listed(git: Git) -> list[str]:
            return list(git.lines("ls-remote", "--", address.url))

        assert listed(Git("project", address))
        assert listed(Git("project", address, pinned=("127.0.0.1",), has_own_logins=True))
        remote.seen.clear()
        with pytest.raises(MirrorFailed):
            listed(Git("project", address, pinned=("127.0.0.1",)))
        assert remote.seen
        assert {given for _, _, given in remote.seen} == {None}


def ssh_run(tmp_path: Path, address: url.Address, **options: bool) -> tuple[list[str], str]:
    """The arguments with which Git starts ssh, and the agent that ssh would use."""
    told, agent, program = tmp_path / "told", tmp_path / "agent", tmp_path / "bin" / "ssh"
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\nprintf "%s" "$SSH_AUTH_SOCK" > {agent}\nexit 255\n'
    )
    program.chmod(0o755)
    variables = environment(address, None, PUBLIC, **options)
    variables["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    subprocess.run(["git", "ls-remote", "--", address.url], env=variables, capture_output=True)
    return told.read_text().splitlines(), agent.read_text()


@pytest.mark.parametrize("host", ["github.com", "198.51.100.7", "[2001:db8::1]"])
def test_ssh_goes_without_the_operators_keys_and_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, host: str
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    address = url.parse(f"ssh://git@{host}/operator/private.git")
    arguments, agent = ssh_run(tmp_path, address)
    assert agent == ""
    # ssh itself prints the effective options, independent of the user's configuration.
    options = arguments[: next(at for at, one in enumerate(arguments) if one.startswith("git@"))]
    said = subprocess.run(
        ["ssh", "-G", *options, "git@github.com"], capture_output=True, text=True, check=True
    )
    facts = said.stdout.splitlines()
    assert [line for line in facts if line.startswith("identityfile ")] == ["identityfile none"]
    assert {"identityagent none", "identitiesonly yes", "batchmode yes", "gssapiauthentication no"} <= {
        *facts
    }
    assert options[options.index("-F") + 1] == "none"
    # For a host that the operator lists, keys, agent and configuration stay in use.
    arguments, agent = ssh_run(tmp_path, address, has_own_logins=True)
    assert agent == "/run/agent"
    assert not {"-F", "IdentityFile=none"} & {*arguments}


@pytest.mark.parametrize("name", ["GIT_SSH_COMMAND", "GIT_SSH", "core.sshCommand"])
def test_an_ssh_command_with_the_operators_key_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, name: str
) -> None:
    ran = tmp_path / "ran"
    own = tmp_path / "own-ssh"
    own.write_text(f"#!/bin/sh\ntouch {ran}\nexit 255\n")
    own.chmod(0o755)
    if name == "core.sshCommand":
        with (home / ".gitconfig").open("a") as file:
            file.write(f"[core]\n\tsshCommand = {own}\n")
    else:
        monkeypatch.setenv(name, str(own))
    address = url.parse("git@github.com:operator/private.git")
    arguments, _ = ssh_run(tmp_path, address)
    assert "IdentityFile=none" in arguments
    assert not ran.exists()


def test_a_clients_certificate_is_not_shown(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("GIT_SSL_CERT", "own.pem")
    monkeypatch.setenv("GIT_SSL_KEY", "own.key")
    monkeypatch.setenv("GIT_SSL_CAINFO", "authority.pem")
    variables = environment(GITHUB, None, PUBLIC)
    assert not {"GIT_SSL_CERT", "GIT_SSL_KEY"} & variables.keys()
    assert variables["GIT_SSL_CAINFO"] == "authority.pem"


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ("", False),
        ("other.example", False),
        ("other.example, GitHub.com", True),
    ],
)
def test_only_hosts_that_the_operator_lists_get_the_own_logins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hosts: str, expected: bool
) -> None:
    made: list[Git] = []

    def stop(_: Path, git: Git, *__: object) -> None:
        made.append(git)
        raise MirrorFailed("enough")

    monkeypatch.setattr(clone, "synchronize", stop)
    with pytest.raises(MirrorFailed, match="enough"):
        repository_source.resolve(
            "https://github.com/operator/private",
            Settings(data_dir=tmp_path, git_token_hosts=hosts),
            ORGANIZATION,
            reach=Reach(resolve=lambda _: ["1.1.1.1"]),
        )
    assert made[0].has_own_logins is expected
    # The default is closed: a forgotten setting reveals nothing.
    assert not Git("project", GITHUB, pinned=PUBLIC).has_own_logins
