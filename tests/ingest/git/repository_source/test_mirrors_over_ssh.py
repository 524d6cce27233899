"""A remote over ssh is mirrored with the login of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.errors import MirrorFailed
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, branches_and_tags, refs


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for ssh that runs the command here; returns the file that lists its arguments."""
    program, log = tmp_path / "ssh", tmp_path / "ssh.log"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> {log}\nfor last; do :; done\nexec sh -c "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    return log


@pytest.mark.parametrize("form", ["ssh://git@git.example.org{path}", "git@git.example.org:{path}"])
def test_a_remote_over_ssh_is_mirrored(
    ssh: Path, upstream: GitRepository, settings: Settings, form: str
) -> None:
    source = resolve(form.format(path=upstream.path), settings, ORGANIZATION)
    assert refs(source.path) == branches_and_tags(upstream)
    assert source.origin == f"git.example.org{upstream.path}".removesuffix(".git")
    assert "git@git.example.org|" in ssh.read_text()


def test_a_refused_ssh_key_gives_an_error(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ssh"
    program.write_text(
        "#!/bin/sh\necho 'git@git.example.org: Permission denied (publickey).' >&2\nexit 255\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    with pytest.raises(MirrorFailed, match="ssh key"):
        resolve("git@git.example.org:owner/project.git", settings, ORGANIZATION)
