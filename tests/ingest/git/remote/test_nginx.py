"""Mirrors over nginx and git-http-backend with TLS: good, bad and revoked tokens, refusals and redirects."""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.operator.readers import host_list
from ingest.errors import IngestError, MirrorFailed
from ingest.git.repository_source import RepositorySource, resolve
from ingest.reach import Reach
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote import nginx
from tests.ingest.git.remote.command_lines import Watcher
from tests.ingest.git.remote.nginx import Nginx
from tests.ingest.git.repository_source.mirrors import branches_and_tags, refs

REASON = nginx.missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
USER, TOKEN = "x-access-token", "ghp_3fa9c1e07b2d4466a8e5f00dfeed"
LOGIN = f"{USER}:{TOKEN}"
BASIC = "Basic " + base64.b64encode(LOGIN.encode()).decode()
REACH = Reach(*host_list("127.0.0.1, localhost"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def shop(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """A repository whose pack takes a second."""
    repository = new_repository("served/acme/shop.git", bare=True)
    repository.commit({"a.py": "a = 1\n", "noise": os.urandom(400_000).hex()})
    repository.branch("work")
    repository.tag("v1", message="First")
    new_repository("served/secret/plans.git", bare=True).commit({"a.py": "a = 1\n"})
    return repository


@pytest.fixture
def server(tmp_path: Path, shop: GitRepository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nginx]:
    with Nginx(tmp_path / "served", TOKEN) as running:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(running.authority))
        running.allow(USER, TOKEN)
        yield running


def mirrored(
    server: Nginx, settings: Settings, path: str = "acme/shop.git", token: str | None = LOGIN
) -> RepositorySource:
    return resolve(server.url(path), settings, ORGANIZATION, token=token, reach=REACH)


def told(error: BaseException | None) -> str:
    """Everything that an error and its causes say."""
    texts = []
    while error:
        texts.append(repr(error))
        error = error.__cause__ or error.__context__
    return " ".join(texts)


def assert_untold(secret: str, *texts: object) -> None:
    basic = base64.b64encode(f"{USER}:{secret}".encode()).decode()
    for text in texts:
        content = text if isinstance(text, bytes) else str(text).encode()
        assert secret.encode() not in content, content[:500]
        assert basic.encode() not in content, content[:500]


def written(settings: Settings) -> list[bytes]:
    """Every file that the service wrote: configuration, packed refs, FETCH_HEAD, reflogs, locks."""
    return [file.read_bytes() for file in settings.data_dir.rglob("*") if file.is_file()]


@pytest.mark.parametrize(
    ("path", "token"), [("acme/shop.git", LOGIN), ("bearer/shop.git", f"Bearer {TOKEN}")]
)
def test_a_good_token_opens_a_repository_and_leaves_no_trace(
    server: Nginx,
    settings: Settings,
    shop: GitRepository,
    caplog: pytest.LogCaptureFixture,
    path: str,
    token: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    with Watcher() as watcher:
        source = mirrored(server, settings, path, token)
        shop.commit({"b.py": "b = 2\n"})
        mirrored(server, settings, path, token)
    assert refs(source.path) == branches_and_tags(shop)
    assert any(b"remote-https" in one for one in watcher.commands), "the fetch was sampled"
    assert not (source.path / "FETCH_HEAD").exists()
    assert not (source.path / "logs").exists()
    assert_untold(TOKEN, *watcher.commands, *written(settings), caplog.text, repr(source))
    assert server.seen(server.port) - {"-"} == {BASIC if path.startswith("acme") else f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "token", ["x-access-token:ghp_wrong0123456789abcdef", "Bearer ghp_wrong0123456789abcdef"]
)
def test_a_bad_token_is_refused_with_the_remedy(server: Nginx, settings: Settings, token: str) -> None:
    with pytest.raises(MirrorFailed, match="login was refused") as caught:
        mirrored(server, settings, token=token)
    assert_untold("ghp_wrong0123456789abcdef", told(caught.value), *written(settings))
    assert not list(settings.mirrors_dir.glob("*.git"))


def test_no_token_where_one_is_needed_says_so(server: Nginx, settings: Settings) -> None:
    with pytest.raises(MirrorFailed, match="needs a login: check the address, connect its host"):
        mirrored(server, settings, token=None)


def test_a_token_that_is_revoked_between_two_runs_keeps_the_clone_until_it_is_replaced(
    server: Nginx, settings: Settings, shop: GitRepository
) -> None:
    source = mirrored(server, settings)
    held = refs(source.path)
    shop.commit({"b.py": "b = 2\n"})
    server.allow(USER, "ghp_another0123456789abcdef")
    with pytest.raises(MirrorFailed, match="login was refused") as caught:
        mirrored(server, settings)
    assert_untold(TOKEN, told(caught.value))
    assert refs(source.path) == held
    assert mirrored(server, settings, token=f"{USER}:ghp_another0123456789abcdef") == source
    assert refs(source.path) == branches_and_tags(shop)


def test_a_repository_that_the_token_may_not_read_is_refused_alone(
    server: Nginx, settings: Settings, shop: GitRepository
) -> None:
    with pytest.raises(MirrorFailed, match="valid and may read it") as caught:
        mirrored(server, settings, "secret/plans.git")
    assert_untold(TOKEN, told(caught.value))
    assert refs(mirrored(server, settings).path) == branches_and_tags(shop)


def test_a_repository_that_is_gone_is_named(server: Nginx, settings: Settings) -> None:
    with pytest.raises(MirrorFailed, match="no such repository"):
        mirrored(server, settings, "acme/gone.git")


@pytest.mark.parametrize("reach", [REACH, None], ids=["of the API", "of the command line"])
@pytest.mark.parametrize("token", [LOGIN, f"Bearer {TOKEN}"], ids=["basic", "bearer"])
def test_a_token_does_not_follow_a_redirect_to_another_host(
    server: Nginx, settings: Settings, reach: Reach | None, token: str
) -> None:
    with pytest.raises(IngestError) as caught:
        resolve(server.url("moved/shop.git"), settings, ORGANIZATION, token=token, reach=reach)
    assert server.seen(server.other_port) <= {"-"}
    assert_untold(TOKEN, told(caught.value), *written(settings))
