from __future__ import annotations

from pathlib import Path

import pytest

from ingest.git.objects.contents import CORRUPT, MISSING, ObjectProblem
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.trees import TreeReader, decode_path
from tests.benchmarks.reading.reference_git import ReferenceGit
from tests.git_repository import SUBMODULE, SYMLINK, Content, GitRepository
from tests.ingest.git.growing_history import GrowingHistory


def tree_of(repository: GitRepository, commit: str) -> bytes:
    return bytes.fromhex(repository.git("rev-parse", f"{commit}^{{tree}}").strip())


def by_git(repository: GitRepository, old: str | None, new: str) -> dict[str, tuple[str, str]]:
    """Path → ids before and after, from `git diff-tree`."""
    before = old or "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    raw = ReferenceGit(repository.git_dir).output("diff-tree", "-r", "-z", "--no-renames", before, new)
    fields = raw.split(b"\0")[:-1]
    found = {}
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        _, _, old_id, new_id, _ = facts[1:].decode().split(" ")
        found[decode_path(path)] = (old_id, new_id)
    return found


def ours(reader: TreeReader, old: bytes | None, new: bytes) -> dict[str, tuple[str, str]]:
    nothing = "0" * 40
    return {
        decode_path(c.path): (c.old[1].hex() if c.old else nothing, c.new[1].hex() if c.new else nothing)
        for c in reader.changes(old, new)
    }


@pytest.mark.parametrize("seed", range(2))
def test_changes_are_those_of_git_diff_tree(tmp_path: Path, seed: int) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    for _ in range(25):
        history.step()
    repository = history.repository
    reader = TreeReader(open_git_dir(repository.git_dir), verify_hashes=True)
    for sha, commit in repository.commits.items():
        parent = commit.parents[0] if commit.parents else None
        before = tree_of(repository, parent) if parent else None
        assert ours(reader, before, tree_of(repository, sha)) == by_git(repository, parent, sha)


def test_files_become_folders_links_and_submodules(repository: GitRepository) -> None:
    versions: list[dict[str | bytes, str | Content | None]] = [
        {"a": "1\n", "b/c": "1\n", "d": "1\n", b"caf\xe9": "1\n"},
        {"a": None, "a/x": "1\n", "b/c": None, "b": "1\n", "d": Content("a", SYMLINK)},
        {
            "a/x": None,
            "a": Content("1" * 40, SUBMODULE),
            "b": None,
            "b/c/d": "1\n",
            b"caf\xe9": Content("1\n", b"100755"),
        },
    ]
    shas = [repository.commit(files) for files in versions]
    reader = TreeReader(open_git_dir(repository.git_dir))
    for old, new in zip([None, *shas], shas, strict=False):
        before = tree_of(repository, old) if old else None
        assert ours(reader, before, tree_of(repository, new)) == by_git(repository, old, new)


def test_files_of_a_merge_differ_from_every_parent(repository: GitRepository) -> None:
    repository.commit({"same": "1\n", "dir/ours": "1\n", "dir/both": "1\n", "gone": "1\n", "kept": "1\n"})
    repository.branch("work")
    repository.commit({"dir/both": "2\n", "gone": "2\n", "theirs": "1\n"}, branch="work")
    repository.commit({"dir/both": "3\n", "gone": "3\n", "dir/ours": "2\n"})
    merge = repository.merge("work", files={"dir/both": "4\n", "gone": None, "new": "1\n"})
    parents = [tree_of(repository, p) for p in repository.commits[merge].parents]
    reader = TreeReader(open_git_dir(repository.git_dir))
    found = {
        decode_path(path): entry
        for path, entry, _ in reader.merge_changes(tree_of(repository, merge), parents)
    }
    assert set(found) == {path for _, path in ReferenceGit(repository.git_dir).merge_paths()}
    assert set(found) == {"dir/both", "gone", "new"}
    assert found["gone"] is None


def test_bytes_that_are_not_utf8_stay_readable() -> None:
    assert decode_path(b"caf\xe9/gr\xc3\xb6\xc3\x9fe") == "caf\\xe9/größe"


@pytest.mark.parametrize(("damage", "reason"), [(None, MISSING), (b"", CORRUPT), (b"x", CORRUPT)])
def test_a_tree_that_cannot_be_read_is_named(
    repository: GitRepository, damage: bytes | None, reason: str
) -> None:
    commit = repository.commit({"a": "1\n"})
    sha = tree_of(repository, commit).hex()
    file = repository.git_dir / "objects" / sha[:2] / sha[2:]
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    with pytest.raises(ObjectProblem) as caught:
        TreeReader(open_git_dir(repository.git_dir)).folder(bytes.fromhex(sha))
    assert (caught.value.sha, caught.value.reason) == (sha, reason)


def test_an_object_that_is_not_a_tree_is_named(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    blob = repository.git("rev-parse", "main:a").strip()
    with pytest.raises(ObjectProblem, match="another type") as caught:
        TreeReader(open_git_dir(repository.git_dir)).folder(bytes.fromhex(blob))
    assert caught.value.sha == blob


def test_the_files_of_a_folder_are_those_of_git(repository: GitRepository) -> None:
    # The id of the submodule holds an entry with the name that is looked for.
    hidden = b"100644 b\0".ljust(20, b"x").hex()
    sha = repository.commit(
        {
            "s/a": Content(hidden, SUBMODULE),
            "s/b": "1\n",
            "s/c/d": "1\n",
            "s/e": Content("b", SYMLINK),
            "s/b.rs": "2\n",
        }
    )
    reader = TreeReader(open_git_dir(repository.git_dir))
    found = {name: entry[1].hex() for name, entry in reader.files(tree_of(repository, sha), "s", "abcef")}
    assert found == {name: repository.git("rev-parse", f"{sha}:s/{name}").strip() for name in "be"}
    assert list(reader.files(tree_of(repository, sha), "none", "b")) == []
