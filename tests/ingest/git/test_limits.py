"""A repository beyond a limit is an error that names the limit, and nothing beyond it is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.operator.environment import StartRefused, value_in
from ingest.errors import LimitExceeded
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.trees import TreeReader
from ingest.git.remote import clone, url
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import ADA, GitRepository
from tests.ingest.git.extraction import ORGANIZATION, Extraction

PEOPLE = f"author {ADA} 1704099600 +0000\ncommitter {ADA} 1704099600 +0000\n\n"


def write_tree(repository: GitRepository, *entries: tuple[str, bytes, str]) -> str:
    rows = [b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(sha)) for mode, name, sha in entries]
    return repository._write(b"tree", b"".join(rows))


def write_bomb(repository: GitRepository, levels: int = 10) -> str:
    """A tree of ten identical trees, and so on: 10 ** (levels + 1) files in few objects."""
    blob = repository._write(b"blob", b"x = 1\n")
    tree = write_tree(repository, *(("100644", b"f%d" % i, blob) for i in range(10)))
    for _ in range(levels):
        tree = write_tree(repository, *(("40000", b"d%d" % i, tree) for i in range(10)))
    return tree


def write_nested(repository: GitRepository, depth: int) -> str:
    tree = write_tree(repository, ("100644", b"f", repository._write(b"blob", b"x = 1\n")))
    for _ in range(depth):
        tree = write_tree(repository, ("40000", b"d", tree))
    return tree


def point_main(repository: GitRepository, tree: str, *parents: str, message: str = "x\n") -> str:
    lines = "".join(f"parent {parent}\n" for parent in parents)
    sha = repository._write(b"commit", f"tree {tree}\n{lines}{PEOPLE}{message}".encode())
    repository._point("refs/heads/main", sha)
    return sha


def extraction_of(repository: GitRepository, raw: Path, **changes: int) -> Extraction:
    return Extraction(repository.path, raw, {"limits": replace(DEFAULT_LIMITS, **changes)})


class TestTrees:
    def test_a_bomb_of_trees_ends_at_the_limit_of_paths(
        self, repository: GitRepository, tmp_path: Path
    ) -> None:
        sha = point_main(repository, write_bomb(repository))
        with pytest.raises(LimitExceeded, match=rf"commit {sha}.*20,000.*EAS_MAX_COMMIT_PATHS") as caught:
            extraction_of(repository, tmp_path / "raw", commit_paths=20_000).run()
        assert caught.value.setting == "EAS_MAX_COMMIT_PATHS"

    def test_a_merge_that_brings_a_bomb_ends_there_too(
        self, repository: GitRepository, tmp_path: Path
    ) -> None:
        first = point_main(repository, write_tree(repository))
        sha = point_main(repository, write_bomb(repository), first, first)
        with pytest.raises(LimitExceeded, match=rf"commit {sha}.*EAS_MAX_COMMIT_PATHS"):
            extraction_of(repository, tmp_path / "raw", commit_paths=20_000).run()

    def test_a_folder_that_did_not_change_is_not_expanded(self, repository: GitRepository) -> None:
        bomb, blobs = write_bomb(repository), [repository._write(b"blob", text) for text in (b"1\n", b"2\n")]
        trees = [
            bytes.fromhex(write_tree(repository, ("100644", b"a", blob), ("40000", b"z", bomb)))
            for blob in blobs
        ]
        (repository.git_dir / "objects" / bomb[:2] / bomb[2:]).unlink()  # so reading it would be an error
        reader = TreeReader(open_git_dir(repository.git_dir), limits=Limits(commit_paths=1))
        assert [change.path for change in reader.changes(*trees)] == [b"a"]
        assert list(reader.merge_changes(trees[1], trees[:1])) == [
            (b"a", (b"100644", bytes.fromhex(blobs[1])), ((b"100644", bytes.fromhex(blobs[0])),))
        ]

    def test_a_commit_of_exactly_the_limit_is_read(self, repository: GitRepository, tmp_path: Path) -> None:
        repository.commit({f"d/f{number}": "x\n" for number in range(9)})
        assert extraction_of(repository, tmp_path / "raw", commit_paths=10).run().commits_total == 1
        with pytest.raises(LimitExceeded):
            extraction_of(repository, tmp_path / "less", commit_paths=9).run()

    def test_folders_as_deep_as_the_highest_setting_are_read_and_deeper_ones_refused(
        self, repository: GitRepository, tmp_path: Path
    ) -> None:
        highest = 400
        with pytest.raises(StartRefused):
            value_in("EAS_MAX_FOLDER_DEPTH", f"{highest + 1}")
        point_main(repository, write_nested(repository, highest))
        extraction = extraction_of(repository, tmp_path / "raw", folder_depth=highest)
        assert (extraction.run().commits_total, extraction.rows("problems")) == (1, [])
        point_main(repository, write_nested(repository, 5000))
        with pytest.raises(LimitExceeded, match="EAS_MAX_FOLDER_DEPTH"):
            extraction_of(repository, tmp_path / "deeper").run()

    @pytest.mark.parametrize(
        ("limit", "setting"),
        [({"path_bytes": 999}, "EAS_MAX_PATH_BYTES"), ({"object_bytes": 1024}, "EAS_MAX_OBJECT_MB")],
    )
    def test_long_paths_and_large_trees_are_refused(
        self, repository: GitRepository, tmp_path: Path, limit: dict[str, Any], setting: str
    ) -> None:
        repository.commit({"d/" + "f" * 998: "x\n", "d/g": "y\n", "d/" + "h" * 500: "z\n"})
        with pytest.raises(LimitExceeded, match=setting):
            extraction_of(repository, tmp_path / "raw", **limit).run()


class TestCommitsAndRefs:
    def test_a_long_message_is_refused_before_anything_is_kept_of_it(
        self, repository: GitRepository, tmp_path: Path
    ) -> None:
        sha = point_main(repository, write_tree(repository), message="x" * 2_000_000)
        with pytest.raises(LimitExceeded, match=rf"{sha}.*EAS_MAX_OBJECT_MB"):
            resolve(str(repository.path), Settings(data_dir=tmp_path, max_object_mb=8), ORGANIZATION)
        point_main(repository, write_tree(repository), sha)
        with pytest.raises(LimitExceeded, match=rf"{sha}.*EAS_MAX_OBJECT_MB"):
            extraction_of(repository, tmp_path / "raw", object_bytes=8_000_000).run()

    def test_a_large_tag_is_refused(self, repository: GitRepository, tmp_path: Path) -> None:
        repository.commit({"a": "1\n"})
        repository.tag("large", message="x" * 2_000_000)
        with pytest.raises(LimitExceeded, match="EAS_MAX_OBJECT_MB"):
            resolve(str(repository.path), Settings(data_dir=tmp_path, max_object_mb=8), ORGANIZATION)

    def test_a_million_refs_are_refused_without_looking_them_up(
        self, repository: GitRepository, tmp_path: Path
    ) -> None:
        sha = repository.commit({"a": "1\n"})
        lines = "".join(f"{sha} refs/heads/b{number:07}\n" for number in range(1_000_000))
        (repository.git_dir / "packed-refs").write_text(
            f"# pack-refs with: peeled fully-peeled sorted \n{lines}"
        )
        with pytest.raises(LimitExceeded, match=r"1,000,001.*EAS_MAX_REFS"):
            resolve(str(repository.path), Settings(data_dir=tmp_path), ORGANIZATION)

    def test_the_listing_of_a_remote_ends_at_the_limit_of_refs(self) -> None:
        class Listing:
            address = url.parse("https://example.org/owner/name")
            lines_read = 0

            def lines(self, *_: str) -> Any:
                for number in range(100):
                    self.lines_read += 1
                    yield f"{'1' * 40}\trefs/heads/b{number}"

        listing: Any = Listing()
        with pytest.raises(LimitExceeded, match="EAS_MAX_REFS"):
            clone._list(listing, Limits(refs=5))
        assert listing.lines_read == 6


def test_the_limits_are_the_settings_and_their_defaults(tmp_path: Path) -> None:
    assert Limits.of(Settings(data_dir=tmp_path)) == DEFAULT_LIMITS
    settings = Settings(
        data_dir=tmp_path,
        max_refs=1,
        max_commit_paths=2,
        max_folder_depth=3,
        max_path_bytes=4,
        max_object_mb=5,
    )
    assert Limits.of(settings) == Limits(1, 2, 3, 4, 5 * 1024 * 1024)
