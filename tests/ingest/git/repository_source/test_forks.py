"""Branches of a fork's parent: they show what the parent has, and no commit, branch or tag changes for them."""

from __future__ import annotations

from collections.abc import Callable

from ingest.git.extract import extract_repository
from ingest.git.objects.refs import UPSTREAM
from ingest.git.repository_source import RepositorySource, resolve
from ingest.lake import Lake
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, branches_and_tags, mirrored, refs


def forked(remote: HttpRemote, settings: Settings, parent: str) -> RepositorySource:
    return resolve(remote.url("owner/project.git"), settings, ORGANIZATION, parent=parent)


def parent_of(upstream: GitRepository, new_repository: Callable[..., GitRepository]) -> GitRepository:
    """A parent that has the branch `work` of its fork and two commits more."""
    parent = new_repository("served/first/project.git", bare=True)
    upstream.git("push", "-q", str(parent.path), "work")
    later = parent.commit({"p.py": "p = 1\n"}, branch="later")
    assert later not in upstream.git("rev-list", "--all")
    return parent


def test_the_commits_of_the_parent_are_known_as_git_says(
    remote: HttpRemote,
    upstream: GitRepository,
    settings: Settings,
    new_repository: Callable[..., GitRepository],
) -> None:
    parent = parent_of(upstream, new_repository)
    upstream.commit({"own.py": "own = 1\n"})
    lake = Lake(settings.raw_root)
    plain = extract_repository(mirrored(remote, settings), lake, workers=1)
    source = forked(remote, settings, remote.url("first/project.git"))
    heads = {f"{UPSTREAM}{name.removeprefix('refs/heads/')}": sha for name, sha in refs(parent.path).items()}
    assert refs(source.path) == branches_and_tags(upstream) | heads
    stored = lake.source("git", ORGANIZATION, source.repository_id)
    before = {
        name: stored.read(name).to_pylist() for name in ("commits", "deliveries", "refs", "repository_runs")
    }
    done = extract_repository(source, lake, workers=1)
    assert {name: stored.read(name).to_pylist() for name in before} == before
    assert (done.commits_new, done.commits_total) == (0, plain.commits_total)
    shared = set(parent.git("rev-list", "--all").split()) & set(upstream.git("rev-list", "--all").split())
    reach = stored.read("reachability").to_pylist()
    assert {row["commit_sha"] for row in reach if row["from_upstream"]} == shared
    assert 0 < len(shared) < len(reach)
    # A run that does not learn the parent keeps what it knows, and has nothing to do.
    assert extract_repository(mirrored(remote, settings), lake, workers=1).unchanged


def test_a_parent_elsewhere_or_gone_stops_nothing(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    for parent in (
        "https://elsewhere.example/first/project.git",
        remote.url("gone/project.git"),
        "ext::sh -c true",
    ):
        source = forked(remote, settings, parent)
        assert refs(source.path) == branches_and_tags(upstream), parent
    assert all("elsewhere" not in path for _, path, _ in remote.seen)
