from __future__ import annotations

import subprocess
from pathlib import Path

import pygit2
import pytest

from ingest.errors import EmptyRepository, NoDefaultBranch
from ingest.git.objects.refs import Ref, default_branch, extracted_refs
from tests.git_repository import GitRepository


def opened(repository: GitRepository) -> pygit2.Repository:
    return pygit2.Repository(str(repository.git_dir))


def default(repository: GitRepository) -> Ref:
    (found,) = [ref for ref in extracted_refs(opened(repository)) if ref.is_default]
    return found


def test_heads_tags_and_origin_are_extracted_and_nothing_else(repository: GitRepository) -> None:
    first = repository.commit({"a": "1\n"})
    second = repository.commit({"a": "2\n"})
    repository.branch("topic/deep", first)
    repository.tag("light", first)
    repository.tag("annotated", message="About it")
    for name in ("refs/remotes/origin/main", "refs/remotes/origin/other", "refs/remotes/upstream/main"):
        repository.git("update-ref", name, first)
    for name in (
        "refs/stash",
        "refs/notes/commits",
        "refs/pull/1/head",
        "refs/merge-requests/1/head",
        "refs/x/y",
    ):
        repository.git("update-ref", name, second)
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert extracted_refs(opened(repository)) == [
        Ref("refs/heads/main", "branch", second, True),
        Ref("refs/heads/topic/deep", "branch", first, False),
        Ref("refs/remotes/origin/main", "remote_branch", first, False),
        Ref("refs/remotes/origin/other", "remote_branch", first, False),
        Ref("refs/tags/annotated", "tag", second, False),
        Ref("refs/tags/light", "tag", first, False),
    ]


def test_tags_lead_to_the_commits_that_git_peels_them_to(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    repository.tag("once", message="x")
    repository.git("tag", "-a", "-m", "twice", "twice", "once")
    repository.git("tag", "tree", "main^{tree}")
    repository.git("tag", "-a", "-m", "x", "blob", "main:a")
    tags = {ref.name: ref.head_sha for ref in extracted_refs(opened(repository)) if ref.kind == "tag"}
    expected = {
        f"refs/tags/{n}": repository.git("rev-parse", f"{n}^{{commit}}").strip() for n in ("once", "twice")
    }
    assert tags == expected


def test_packed_refs_are_found_as_well(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    repository.tag("v1", message="x")
    loose = extracted_refs(opened(repository))
    repository.git("pack-refs", "--all")
    assert extracted_refs(opened(repository)) == loose


def test_names_that_are_not_utf8_stay_distinct(repository: GitRepository) -> None:
    sha = repository.commit({"a": "1\n"})
    for name in (b"caf\xe9", b"caf\xe8"):
        (Path(repository.git_dir) / "refs" / "heads" / name.decode("utf-8", "surrogateescape")).write_text(
            f"{sha}\n"
        )
    names = [ref.name for ref in extracted_refs(opened(repository))]
    assert names == ["refs/heads/caf\\xe8", "refs/heads/caf\\xe9", "refs/heads/main"]
    "".join(names).encode()


def test_a_branch_without_a_readable_commit_is_left_out(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    (repository.git_dir / "refs/heads/gone").write_text("a" * 40 + "\n")
    (repository.git_dir / "refs/heads/garbled").write_text("nonsense\n")
    assert [ref.name for ref in extracted_refs(opened(repository))] == ["refs/heads/main"]


def test_a_default_branch_without_a_readable_commit_is_an_error(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    repository.branch("other")
    (repository.git_dir / "refs/heads/main").write_text("a" * 40 + "\n")
    with pytest.raises(NoDefaultBranch, match="fsck"):
        extracted_refs(opened(repository))


@pytest.mark.parametrize(
    ("branches", "origin_head", "head", "expected"),
    [
        (["main", "master", "trunk"], "trunk", "main", "trunk"),
        (["main", "master", "work"], None, "work", "main"),
        (["master", "work"], None, "work", "master"),
        (["work", "trunk"], None, "trunk", "trunk"),
        (["trunk"], None, "nowhere", "trunk"),
    ],
    ids=["what origin/HEAD names", "main", "master", "HEAD", "the only branch"],
)
def test_the_default_branch_of_a_checkout(
    repository: GitRepository, branches: list[str], origin_head: str | None, head: str, expected: str
) -> None:
    for branch in branches:
        sha = repository.commit({branch: "1\n"}, branch=branch)
        if origin_head:
            repository.git("update-ref", f"refs/remotes/origin/{branch}", sha)
    if origin_head:
        repository.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{origin_head}")
    repository.git("symbolic-ref", "HEAD", f"refs/heads/{head}")
    assert default_branch(opened(repository)) == expected
    assert default(repository).head_sha == repository.heads[expected]


def test_the_head_of_a_bare_repository_is_its_default_branch(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "bare.git", bare=True)
    repository.commit({"a": "1\n"})
    repository.branch("develop")
    repository.git("symbolic-ref", "HEAD", "refs/heads/develop")
    assert default_branch(opened(repository)) == "develop"


def test_a_clone_takes_its_default_branch_from_its_remote(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a": "1\n"}, branch="develop")
    repository.commit({"a": "2\n"})
    repository.git("symbolic-ref", "HEAD", "refs/heads/develop")
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", str(repository.path), str(copy)], check=True)
    subprocess.run(["git", "checkout", "-q", "main"], cwd=copy, check=True, capture_output=True)
    assert default_branch(pygit2.Repository(str(copy))) == "develop"


@pytest.mark.parametrize(
    ("local", "published", "expected"),
    [("second", "first", "local"), ("first", "second", "published"), ("side", "second", "published")],
    ids=["unpushed work", "fetched but not pulled", "diverged"],
)
def test_the_newer_one_of_a_local_branch_and_origin_s_counts(
    repository: GitRepository, local: str, published: str, expected: str
) -> None:
    shas = {"first": repository.commit({"a": "1\n"})}
    shas["second"] = repository.commit({"a": "2\n"})
    shas["side"] = repository.commit({"a": "3\n"}, branch="side", parents=[shas["first"]])
    repository.reset("main", shas[local])
    repository.git("update-ref", "refs/remotes/origin/main", shas[published])
    names = {"local": "refs/heads/main", "published": "refs/remotes/origin/main"}
    assert default(repository).name == names[expected]


def test_a_detached_checkout_without_branches_is_a_branch_called_head(repository: GitRepository) -> None:
    sha = repository.commit({"a": "1\n"})
    repository.git("update-ref", "--no-deref", "HEAD", sha)
    repository.delete("main")
    assert extracted_refs(opened(repository)) == [Ref("HEAD", "branch", sha, True)]
    assert default_branch(opened(repository)) == "HEAD"


def test_a_detached_checkout_of_a_build_server_finds_origin_s_branch(repository: GitRepository) -> None:
    sha = repository.commit({"a": "1\n"})
    repository.git("update-ref", "refs/remotes/origin/main", sha)
    repository.git("update-ref", "--no-deref", "HEAD", sha)
    repository.delete("main")
    assert default(repository) == Ref("refs/remotes/origin/main", "remote_branch", sha, True)


def test_an_empty_repository_and_a_missing_default_branch_are_different_errors(
    repository: GitRepository,
) -> None:
    with pytest.raises(EmptyRepository, match="repository"):
        extracted_refs(opened(repository))
    repository.commit({"a": "1\n"}, branch="one")
    repository.commit({"a": "1\n"}, branch="two")
    with pytest.raises(NoDefaultBranch, match="symbolic-ref"):
        extracted_refs(opened(repository))
