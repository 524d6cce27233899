"""A token opens its remote, goes to no other host and leaves no trace."""

from __future__ import annotations

import base64
import logging
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ingest.errors import MirrorFailed
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.command_lines import Watcher
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, TOKEN, branches_and_tags, mirrored, refs

BASIC = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


def spellings(secret: str) -> list[bytes]:
    """A secret in plain text, and within Basic credentials for the possible users."""
    users = ("x-access-token", "me", "")
    return [secret.encode(), *(base64.b64encode(f"{user}:{secret}".encode()) for user in users)]


@pytest.mark.parametrize(
    ("given", "authorization"),
    [
        ({"token": TOKEN}, BASIC),
        ({"token": f"me:{TOKEN}"}, "Basic " + base64.b64encode(f"me:{TOKEN}".encode()).decode()),
        ({"token": f"Bearer {TOKEN}"}, f"Bearer {TOKEN}"),
        ({"userinfo": f"me:{TOKEN}@"}, "Basic " + base64.b64encode(f"me:{TOKEN}".encode()).decode()),
        ({"userinfo": f"{TOKEN}@"}, "Basic " + base64.b64encode(f"{TOKEN}:".encode()).decode()),
        ({"settings": TOKEN}, BASIC),
    ],
    ids=[
        "token",
        "user and token",
        "bearer",
        "password in the address",
        "token in the address",
        "settings",
    ],
)
def test_a_token_opens_the_remote_and_leaves_no_trace(
    remote: HttpRemote,
    upstream: GitRepository,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    given: dict[str, str],
    authorization: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    remote.authorization = authorization
    remote.before_pack = lambda: time.sleep(0.2)  # long enough to be watched
    settings = Settings(data_dir=tmp_path / "data", git_token=given.get("settings"))
    url = remote.url("owner/project.git", userinfo=given.get("userinfo", ""))
    with Watcher() as watcher:
        source = resolve(url, settings, ORGANIZATION, token=given.get("token"))
    assert refs(source.path) == branches_and_tags(upstream)
    assert any(b"remote-http" in command for command in watcher.commands)
    written = [p.read_bytes() for p in settings.data_dir.rglob("*") if p.is_file()]
    said = [caplog.text.encode(), repr(source).encode(), repr(settings).encode()]
    for secret in spellings(TOKEN):
        assert not [text for text in [*written, *watcher.commands, *said] if secret in text]


@pytest.mark.parametrize("userinfo", ["", f"me:{TOKEN}@", f"{TOKEN}@"])
def test_a_refused_login_names_the_remedy_and_hides_the_secret(
    remote: HttpRemote, settings: Settings, userinfo: str
) -> None:
    remote.authorization = "Basic other"
    with pytest.raises(MirrorFailed, match=r"EAS_GIT_TOKEN|login was refused") as caught:
        resolve(remote.url("owner/project.git", userinfo=userinfo), settings, ORGANIZATION)
    error: BaseException | None = caught.value
    while error:
        assert TOKEN not in repr(error)
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("token", [TOKEN, f"Bearer {TOKEN}"])
@pytest.mark.parametrize("asked", [None, "Basic wanted"], ids=["serves anybody", "asks for a login"])
def test_a_token_does_not_follow_a_redirect_to_another_host(
    remote: HttpRemote, settings: Settings, tmp_path: Path, token: str, asked: str | None
) -> None:
    with HttpRemote(tmp_path / "served", authorization=asked) as other:
        remote.redirect_to = other.url("", host="localhost").rstrip("/")
        with suppress(MirrorFailed):
            mirrored(remote, settings, token=token)
        assert remote.seen
        assert {given for _, _, given in other.seen} <= {None}


def test_a_token_is_needed_again_for_every_run(remote: HttpRemote, settings: Settings) -> None:
    remote.authorization = BASIC
    mirrored(remote, settings, token=TOKEN)
    with pytest.raises(MirrorFailed):
        mirrored(remote, settings)
