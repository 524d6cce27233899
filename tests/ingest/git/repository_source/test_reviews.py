"""Heads of merged pull requests: their commits become facts, and no branch or tag changes for them."""

from __future__ import annotations

from ingest.git.extract import extract_repository
from ingest.git.objects.refs import REVIEWS
from ingest.git.repository_source import RepositorySource, resolve
from ingest.lake import Lake
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, branches_and_tags, mirrored, refs

PULL = "refs/pull/1/head"


def reviewed(remote: HttpRemote, settings: Settings, **reviews: str) -> RepositorySource:
    wanted = {int(key.removeprefix("n")): name for key, name in (reviews or {"n1": PULL}).items()}
    return resolve(remote.url("owner/project.git"), settings, ORGANIZATION, reviews=wanted)


def test_only_wanted_heads_are_fetched_and_stay_when_branches_are_pruned(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    pull = refs(upstream.git_dir)[PULL]
    upstream.git("update-ref", "refs/pull/2/head", pull)
    source = reviewed(remote, settings)
    assert refs(source.path) == branches_and_tags(upstream) | {f"{REVIEWS}1": pull}
    upstream.delete("work")
    upstream.git("update-ref", "-d", PULL)
    upstream.commit({"a.py": "a = 2\n"})
    assert refs(reviewed(remote, settings).path) == branches_and_tags(upstream) | {f"{REVIEWS}1": pull}
    # A run that does not know them any more keeps them as well.
    assert refs(mirrored(remote, settings).path) == branches_and_tags(upstream) | {f"{REVIEWS}1": pull}


def test_a_head_that_the_host_lacks_stops_nothing(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    source = reviewed(remote, settings, n1=PULL, n7="refs/pull/7/head")
    assert set(refs(source.path)) - set(branches_and_tags(upstream)) == {f"{REVIEWS}1"}
    packs = remote.packs
    reviewed(remote, settings, n1=PULL, n7="refs/pull/7/head")
    assert remote.packs == packs, "nothing is new"


def test_reviewed_commits_are_facts_that_change_no_other(
    remote: HttpRemote, upstream: GitRepository, settings: Settings
) -> None:
    pull = refs(upstream.git_dir)[PULL]
    lake = Lake(settings.raw_root)
    plain = extract_repository(mirrored(remote, settings), lake, workers=1)
    source = mirrored(remote, settings)
    stored = lake.source("git", ORGANIZATION, source.repository_id)
    before = {
        name: stored.read(name).to_pylist() for name in ("deliveries", "delivered_lines", "line_deaths")
    }
    runs = stored.read("repository_runs").to_pylist()
    done = extract_repository(reviewed(remote, settings), lake, workers=1)
    assert {name: stored.read(name).to_pylist() for name in before} == before
    assert stored.read("repository_runs").to_pylist() == runs
    assert done.commits_total == plain.commits_total
    assert pull in stored.read("commits")["commit_sha"].to_pylist()
    rows = {row["commit_sha"]: row for row in stored.read("reachability").to_pylist()}
    flags = ("from_default", "from_branch", "from_tag", "from_review")
    assert [rows[pull][name] for name in flags] == [False, False, False, True]
    reached = upstream.git("rev-list", pull).split()
    assert {sha for sha, row in rows.items() if row["from_review"]} == set(reached)
