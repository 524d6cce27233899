"""A repository on this machine is used in place; its remote URL or folder identifies it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.errors import EmptyRepository, NotARepository
from ingest.git.objects.repository import open_repository
from ingest.git.repository_source import folder_name, remote_url_of, resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, TOKEN


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


@pytest.mark.parametrize("name", ["repository", "project.git"])
def test_a_link_gives_the_name_and_the_repository_behind_it_everything_else(
    repository: GitRepository, upstream: GitRepository, settings: Settings, tmp_path: Path, name: str
) -> None:
    repository.commit({"src/a.py": "a\n"})
    target = repository.path if name == "repository" else upstream.path
    link = tmp_path / "shop.git"
    link.symlink_to(target)
    direct, linked = (resolve(str(path), settings, ORGANIZATION) for path in (target, link))
    assert linked == replace(direct, name="shop")
    # A link to a folder within is no name for the repository.
    if name == "repository":
        repository.checkout()
        (tmp_path / "part").symlink_to(repository.path / "src")
        assert resolve(str(tmp_path / "part"), settings, ORGANIZATION) == direct


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


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("plain", "plain"), ("bare.git", "bare"), ("shop/repo", "shop"), ("shop/src", "shop"),
        ("shop/repo.git", "shop"), ("shop/src/repo", "shop"), ("repository", "repository"),
    ],
)  # fmt: skip
def test_a_repository_without_remote_url_is_named_after_its_folder(
    tmp_path: Path, place: str, name: str
) -> None:
    repository = GitRepository(tmp_path / place, bare=place.endswith((".git", "src/repo")))
    assert folder_name(open_repository(repository.path)) == name
