"""Git goes to the addresses that were checked and nowhere else: real Git against servers on the loopback interface."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import MirrorFailed, Transient, UnsupportedTarget
from ingest.git import repository_source
from ingest.git.remote import pinning, url
from ingest.git.remote.command import Git
from ingest.git.remote.credentials import environment
from ingest.git.repository_source import pinned, resolve
from ingest.reach import Reach
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"


@pytest.fixture
def served(new_repository: Callable[..., GitRepository], tmp_path: Path) -> Path:
    repository = new_repository("served/owner/project.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    return tmp_path / "served"


def listed(port: int, addresses: tuple[str, ...] | None) -> list[str]:
    """The output of `git ls-remote` for a name that only the pin can resolve."""
    address = url.parse(f"http://pinned.example:{port}/owner/project.git")
    return list(Git("project", address, pinned=addresses).lines("ls-remote", "--", address.url))


def test_git_connects_to_the_pinned_address_after_a_change_of_dns(served: Path) -> None:
    with HttpRemote(served) as remote:
        assert any("refs/heads/main" in line for line in listed(remote.port, ("127.0.0.1",)))
        # The name itself leads nowhere.
        with pytest.raises(Transient):
            listed(remote.port, None)
        with pytest.raises(Transient):
            listed(remote.port, ("127.0.0.2", "127.0.0.3"))


def test_a_redirect_is_not_followed(served: Path) -> None:
    with HttpRemote(served) as inside, HttpRemote(served) as outside:
        outside.redirect_to = f"http://127.0.0.1:{inside.port}"
        with pytest.raises(MirrorFailed, match="redirects to another address"):
            listed(outside.port, ("127.0.0.1",))
        assert inside.seen == []
        # Without a pin Git follows redirects as usual.
        address = url.parse(outside.url("owner/project.git"))
        assert list(Git("project", address).lines("ls-remote", "--", address.url))
        assert inside.seen


def ssh_command(tmp_path: Path, target: str, addresses: tuple[str, ...]) -> str:
    """The arguments with which Git starts ssh."""
    told = tmp_path / "told"
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nprintf "%s " "$@" > {told}\nexit 255\n')
    program.chmod(0o755)
    address = url.parse(target)
    variables = environment(address, None, addresses)
    variables["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    subprocess.run(["git", "ls-remote", "--", address.url], env=variables, capture_output=True)
    return told.read_text()


def test_ssh_goes_to_the_address_and_expects_the_key_of_the_name(tmp_path: Path) -> None:
    given = ssh_command(tmp_path, "git@git.example:a/b.git", ("198.51.100.7", "198.51.100.8"))
    assert "HostName=198.51.100.7" in given
    assert "HostKeyAlias=git.example " in given
    given = ssh_command(tmp_path, "ssh://git@git.example:2222/a/b.git", ("2001:db8::1",))
    assert "HostName=2001:db8::1" in given
    assert "HostKeyAlias=[git.example]:2222 " in given
    assert "-p 2222" in given


def test_the_operator_s_own_ssh_command_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    address = url.parse("git@git.example:a/b.git")
    assert pinning.ssh_variables(address, ("198.51.100.7",), {"GIT_SSH_COMMAND": "ssh -i key"}) == {}
    config = tmp_path / "config"
    config.write_text("[core]\n\tsshCommand = ssh -i key\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert pinning.ssh_variables(address, ("198.51.100.7",), {}) == {}


def test_a_name_is_checked_again_at_each_connection(tmp_path: Path) -> None:
    """A name is public when it is added and private when it is fetched."""
    settings = Settings(data_dir=tmp_path)
    moved = Reach(resolve=lambda _: ["10.0.0.1"])
    with pytest.raises(UnsupportedTarget, match="EAS_PRIVATE_HOSTS"):
        resolve("https://git.example/a/b", settings, ORGANIZATION, reach=moved)
    assert not settings.mirrors_dir.exists()


@pytest.mark.parametrize("target", ["/tmp", "file:///tmp", "http://git.example/a/b", "ext::id"])
def test_targets_reserved_for_the_command_line_are_not_opened(tmp_path: Path, target: str) -> None:
    with pytest.raises(UnsupportedTarget):
        resolve(target, Settings(data_dir=tmp_path), ORGANIZATION, reach=Reach(resolve=lambda _: ["1.1.1.1"]))


def test_behind_a_proxy_a_name_need_not_be_known_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str) -> list[str]:
        raise OSError(-2, "unknown name")

    reach = Reach(resolve=unknown)
    with pytest.raises(Transient):
        pinned(url.parse("https://git.example/a/b"), reach)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert pinned(url.parse("https://git.example/a/b"), reach) == ()
    with pytest.raises(Transient):
        pinned(url.parse("git@git.example:a/b"), reach)


def test_the_machines_token_goes_only_to_hosts_that_the_operator_lists(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path, git_token="secret-of-the-machine", git_token_hosts="git.example, x.org"
    )
    for target, may in (("https://git.example/a/b", True), ("https://evil.example/a/b", False)):
        address = url.parse(target)
        assert (repository_source._fallback(settings, address, Reach()) is not None) is may
        # Users of the command line have the token anyway.
        assert repository_source._fallback(settings, address, None) is not None
