from __future__ import annotations

import base64
import logging
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ingest.errors import (
    EmptyRepository,
    MirrorFailed,
    NotARepository,
    RateLimited,
    Transient,
    UnsupportedTarget,
)
from ingest.git.objects.repository import open_repository
from ingest.git.repository_source import RepositorySource, folder_name, remote_url_of, resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
TOKEN = "tok_3fa9c1e07b2d4466a8e5"
BASIC = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def upstream(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """A bare repository below `served` with two branches, a tag, a note and a pull request."""
    repository = new_repository("served/owner/project.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    repository.branch("work")
    repository.commit({"b.py": "b = 2\n"}, branch="work")
    repository.tag("v1", message="First")
    pull = repository.commit({"c.py": "c = 3\n"}, branch="pull")
    repository.delete("pull")
    for name in ("refs/pull/1/head", "refs/notes/commits", "refs/stash"):
        repository.git("update-ref", name, pull)
    return repository


@pytest.fixture
def remote(tmp_path: Path, upstream: GitRepository) -> Iterator[HttpRemote]:
    with HttpRemote(tmp_path / "served") as server:
        yield server


def refs(path: Path) -> dict[str, str]:
    """Refs as Git lists them."""
    command = ["git", f"--git-dir={path}", "for-each-ref", "--format=%(refname) %(objectname)"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ") for line in listing.splitlines())


def branches_and_tags(repository: GitRepository) -> dict[str, str]:
    return {k: v for k, v in refs(repository.git_dir).items() if k.startswith(("refs/heads/", "refs/tags/"))}


def mirrored(remote: HttpRemote, settings: Settings, **options: str) -> RepositorySource:
    return resolve(remote.url("owner/project.git"), settings, ORGANIZATION, **options)


# Local paths


@pytest.mark.parametrize("inside", [".", "src/deep"])
def test_a_checkout_is_used_in_place_from_any_of_its_folders(
    repository: GitRepository, settings: Settings, inside: str
) -> None:
    repository.commit({"src/deep/a.py": "a\n"})
    repository.checkout()
    source = resolve(str(repository.path / inside), settings, ORGANIZATION)
    assert source.path == repository.git_dir
    assert (source.name, source.origin) == ("repository", str(repository.path))
    assert (source.default_branch, source.is_trusted_mirror) == ("main", False)
    assert not settings.data_dir.exists()


def test_a_bare_repository_is_used_in_place(upstream: GitRepository, settings: Settings) -> None:
    source = resolve(str(upstream.path), settings, ORGANIZATION)
    assert source.path == upstream.path
    assert source.name == "project"


def test_a_linked_work_tree_is_the_repository_that_it_belongs_to(
    repository: GitRepository, settings: Settings, tmp_path: Path
) -> None:
    repository.commit({"a.py": "a\n"})
    repository.branch("side")
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "side")
    of_main = resolve(str(repository.path), settings, ORGANIZATION)
    assert resolve(str(tmp_path / "linked"), settings, ORGANIZATION) == of_main


def test_a_clone_of_a_local_repository_has_its_identity(
    repository: GitRepository, settings: Settings, tmp_path: Path
) -> None:
    repository.commit({"a.py": "a\n"})
    subprocess.run(["git", "clone", "-q", str(repository.path), str(tmp_path / "copy")], check=True)
    ids = {resolve(str(tmp_path / n), settings, ORGANIZATION).repository_id for n in ("repository", "copy")}
    assert len(ids) == 1


def test_the_origin_of_a_checkout_identifies_it_without_its_credentials(
    repository: GitRepository, settings: Settings
) -> None:
    repository.commit({"a.py": "a\n"})
    repository.git("remote", "add", "origin", f"https://me:{TOKEN}@GitHub.com/Owner/Repo.git")
    source = resolve(str(repository.path), settings, ORGANIZATION)
    assert (source.origin, source.name) == ("github.com/Owner/Repo", "Owner/Repo")
    assert TOKEN not in repr(source)


def test_shallow_and_partial_clones_say_so(
    repository: GitRepository, settings: Settings, tmp_path: Path
) -> None:
    repository.commit({"a.py": "a\n"})
    repository.commit({"a.py": "b\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{repository.path}"
    subprocess.run(["git", "clone", "-q", "--depth=1", url, str(tmp_path / "shallow")], check=True)
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", url, str(tmp_path / "partial")], check=True)
    sources = {
        n: resolve(str(tmp_path / n), settings, ORGANIZATION) for n in ("shallow", "partial", "repository")
    }
    assert {n: (s.is_shallow, s.is_partial) for n, s in sources.items()} == {
        "shallow": (True, False),
        "partial": (False, True),
        "repository": (False, False),
    }


def test_reading_a_repository_runs_and_changes_nothing_of_it(
    repository: GitRepository, settings: Settings, tmp_path: Path
) -> None:
    repository.commit({"a.py": "a\n"})
    repository.checkout()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    for hook in ("reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (repository.git_dir / "hooks" / hook).write_text(program.read_text())
        (repository.git_dir / "hooks" / hook).chmod(0o755)
    for name in ("core.fsmonitor", "core.sshCommand", "credential.helper", "filter.x.smudge", "core.pager"):
        repository.git("config", name, str(program))
    before = state(repository.path)
    (tmp_path / "ran").unlink(missing_ok=True)
    resolve(str(repository.path), settings, ORGANIZATION)
    assert state(repository.path) == before
    assert not (tmp_path / "ran").exists()


def state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(folder.rglob("*"))}


def test_a_path_without_repository_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotARepository, match="plain"):
        resolve(str(tmp_path / "plain"), settings, ORGANIZATION)
    with pytest.raises(NotARepository, match="does not exist"):
        resolve(str(tmp_path / "absent"), settings, ORGANIZATION)


def test_a_repository_without_commits_is_named(repository: GitRepository, settings: Settings) -> None:
    with pytest.raises(EmptyRepository, match="repository"):
        resolve(str(repository.path), settings, ORGANIZATION)


# What is refused


@pytest.mark.parametrize(
    "target",
    [
        "",
        "  ",
        "--upload-pack=touch /tmp/x",
        "-u/x",
        "ext::sh -c touch% /tmp/x",
        "fd::17/foo",
        "file:///etc",
        "FILE:/etc",
        "ftp://host/x",
        "git://host/x",
        "https://",
        "https://host",
        "https://host/",
        "https://-oProxyCommand=x/y",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-lroot@host/x",
        "git@-oProxyCommand=touch:x",
        "git@host:-x",
        "https://host/a?token=b",
        "https://host/a#b",
        "https://ho st/a",
        "https://host:99999/a/b",
        "https://host/a%0ab/c",
        "a\nb",
        "a\0b",
    ],
)
def test_dangerous_and_unknown_addresses_are_refused(target: str, settings: Settings) -> None:
    with pytest.raises(UnsupportedTarget):
        resolve(target, settings, ORGANIZATION)
    assert not settings.data_dir.exists()


def test_a_token_is_not_sent_unencrypted(settings: Settings) -> None:
    with pytest.raises(UnsupportedTarget, match="https") as caught:
        resolve("http://git.example.org/a/b", settings, ORGANIZATION, token=TOKEN)
    assert TOKEN not in str(caught.value)


# Remotes over HTTP


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
    remote.before_pack = lambda: release.wait(30) and None
    hasty = Settings(data_dir=tmp_path / "data", git_timeout_seconds=1)
    began = time.monotonic()
    try:
        with pytest.raises(Transient, match="EAS_GIT_TIMEOUT_SECONDS"):
            mirrored(remote, hasty)
    finally:
        release.set()
    assert time.monotonic() - began < 15
    assert not list(hasty.mirrors_dir.glob("*.git"))


# Secrets


class Watcher(threading.Thread):
    """Records the command line of every process that appears while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: set[bytes] = set()
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(0.002):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.commands.add(file.read_bytes())
                except OSError:
                    continue

    def __enter__(self) -> Watcher:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopped.set()
        self.join()


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
        ({"environment": TOKEN}, BASIC),
    ],
    ids=[
        "token",
        "user and token",
        "bearer",
        "password in the address",
        "token in the address",
        "environment",
    ],
)
def test_a_token_opens_the_remote_and_leaves_no_trace(
    remote: HttpRemote,
    upstream: GitRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    given: dict[str, str],
    authorization: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    remote.authorization = authorization
    remote.before_pack = lambda: time.sleep(0.2)  # long enough to be watched
    if "environment" in given:
        monkeypatch.setenv("EAS_GIT_TOKEN", given["environment"])
    settings = Settings(data_dir=tmp_path / "data")
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


# Remotes over ssh


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


@pytest.mark.parametrize(
    "url", ["/srv/x.git", "../x.git", "file:///srv/x", "~/x", "", "not an address", "a\x01b:c"]
)
def test_a_remote_url_without_a_host_identifies_nothing(repository: GitRepository, url: str) -> None:
    repository.git("config", "remote.origin.url", url)
    assert remote_url_of(open_repository(repository.path)) is None


def test_a_remote_url_is_used_as_configured(repository: GitRepository) -> None:
    """`insteadOf` is a setting of the machine, and identities must not depend on it."""
    repository.git("config", "remote.origin.url", "https://github.com/owner/name")
    repository.git("config", "url.https://cache.example.org/.insteadOf", "https://github.com/")
    assert remote_url_of(open_repository(repository.path)) == "github.com/owner/name"


@pytest.mark.parametrize("name", ["plain", "bare.git"])
def test_a_repository_without_remote_url_is_named_after_its_folder(tmp_path: Path, name: str) -> None:
    repository = GitRepository(tmp_path / name, bare=name.endswith(".git"))
    assert folder_name(open_repository(repository.path)) == name.removesuffix(".git")
