"""A mirror follows its remote over HTTP."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import pytest

from ingest.errors import EmptyRepository, MirrorFailed, RateLimited, Transient
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, branches_and_tags, mirrored, refs


def test_a_mirror_holds_the_branches_and_tags_of_its_remote_and_nothing_else(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    source = mirrored(remote, settings)
    assert source.path == settings.mirrors_dir / f"{source.repository_id}.git"
    assert refs(source.path) == branches_and_tags(upstream)
    assert (source.default_branch, source.is_trusted_mirror) == ("main", True)
    assert source.name == "owner/project"
    assert not (source.path / "logs").exists()
    assert {p.suffix for p in (source.path / "hooks").glob("*")} <= {".sample"}
    names = {p.name for p in settings.mirrors_dir.iterdir()}
    assert names == {f"{source.repository_id}.git", f"{source.repository_id}.lock"}


def test_a_second_run_adds_new_refs_and_drops_deleted_ones(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    source = mirrored(remote, settings)
    old = upstream.heads["work"]
    upstream.delete("work")
    upstream.commit({"d.py": "d\n"}, branch="work/deeper")  # needs the name that a pruned branch takes up
    upstream.commit({"a.py": "a = 2\n"})
    assert mirrored(remote, settings) == source
    assert refs(source.path) == branches_and_tags(upstream)
    subprocess.run(["git", f"--git-dir={source.path}", "cat-file", "-e", old], check=True)


def test_nothing_is_fetched_where_nothing_is_new(remote: HttpRemote, settings: Settings) -> None:
    mirrored(remote, settings)
    assert remote.packs == 1
    mirrored(remote, settings)
    assert remote.packs == 1


def test_the_default_branch_follows_the_remote(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    assert mirrored(remote, settings).default_branch == "main"
    upstream.branch("trunk")
    upstream.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    assert mirrored(remote, settings).default_branch == "trunk"
    upstream.delete("main")
    assert mirrored(remote, settings).default_branch == "trunk"


@pytest.mark.parametrize("head", ["refs/heads/nowhere", "detached"])
def test_a_remote_with_a_head_without_branch_has_main_as_default(
    remote: HttpRemote, upstream: GitRepository, settings: Settings, head: str
) -> None:
    if head == "detached":
        upstream.git("update-ref", "--no-deref", "HEAD", upstream.heads["main"])
    else:
        upstream.git("symbolic-ref", "HEAD", head)
    assert mirrored(remote, settings).default_branch == "main"


def test_an_empty_remote_is_named_and_leaves_nothing(
    remote: HttpRemote, settings: Settings, tmp_path: Path
) -> None:
    GitRepository(tmp_path / "served" / "empty.git", bare=True)
    with pytest.raises(EmptyRepository, match="empty"):
        resolve(remote.url("empty.git"), settings, ORGANIZATION)
    assert not list(settings.mirrors_dir.glob("*.git"))


def test_a_remote_that_lists_nothing_any_more_deletes_nothing(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    source = mirrored(remote, settings)
    held = refs(source.path)
    for name in refs(upstream.git_dir):
        upstream.git("update-ref", "-d", name)
    with pytest.raises(EmptyRepository, match="kept"):
        mirrored(remote, settings)
    assert refs(source.path) == held


def test_progress_is_reported(remote: HttpRemote, settings: Settings) -> None:
    told: list[tuple[str, int, int]] = []
    resolve(
        remote.url("owner/project.git"), settings, ORGANIZATION, on_progress=lambda *step: told.append(step)
    )
    assert any(done == total > 0 for _, done, total in told)


def test_a_proxy_is_used(remote: HttpRemote, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{remote.port}")
    source = resolve("http://git.example.org/owner/project.git", settings, ORGANIZATION)
    assert source.origin == "git.example.org/owner/project"
    assert all(path.startswith("http://git.example.org/") for _, path, _ in remote.seen)


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, MirrorFailed), (403, MirrorFailed), (429, RateLimited), (500, Transient), (503, Transient)],
)
def test_the_host_s_answer_decides_whether_a_retry_helps(
    remote: HttpRemote, settings: Settings, status: int, error: type[Exception]
) -> None:
    remote.status = status
    with pytest.raises(error) as caught:
        mirrored(remote, settings)
    assert type(caught.value) is error
    assert not list(settings.mirrors_dir.glob("*.git"))


def test_a_host_that_cannot_be_reached_is_transient(settings: Settings, tmp_path: Path) -> None:
    with HttpRemote(tmp_path) as gone:
        url = gone.url("a/b")
    with pytest.raises(Transient):
        resolve(url, settings, ORGANIZATION)


def test_a_host_that_hangs_is_given_up(remote: HttpRemote, tmp_path: Path) -> None:
    release = threading.Event()
    remote.before_pack = lambda: release.wait(30)
    hasty = Settings(data_dir=tmp_path / "data", git_timeout_seconds=1)
    began = time.monotonic()
    try:
        with pytest.raises(Transient, match="EAS_GIT_TIMEOUT_SECONDS"):
            mirrored(remote, hasty)
    finally:
        release.set()
    assert time.monotonic() - began < 15
    assert not list(hasty.mirrors_dir.glob("*.git"))
