"""A lake in a real S3 server: what a build reads is what was committed, and damage is found."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from s3fs import S3FileSystem

from ingest.errors import LakeCorrupt, Transient
from ingest.lake import Lake
from tests.ingest.lake.rows import ORGANIZATION, OTHER, REPOSITORY, messages, problems, rows
from tests.object_store import ObjectStore, store, store_address

__all__ = ["store", "store_address"]


@pytest.fixture
def lake(store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    # Each noun costs dozens of requests, here of one process.
    monkeypatch.setattr("ingest.lake.lake.NOUNS", ["git"])
    return Lake(store.url, here=tmp_path)


def read(lake: Lake) -> list[str]:
    """What a build reads of the problems of all repositories."""
    with lake.reading(ORGANIZATION):
        files = lake.files(ORGANIZATION)["git", "problems"]
    return sorted(
        one for file in files for one in pq.read_table(file, partitioning=None)["message"].to_pylist()
    )


def put(lake: Lake, path: str, content: bytes) -> None:
    lake.fs.pipe_file(path, content)


def test_a_build_reads_what_was_committed(lake: Lake) -> None:
    assert read(lake) == []
    first, second = (lake.source("git", ORGANIZATION, one) for one in (REPOSITORY, OTHER))
    first.commit(problems("a"), {"refs": rows("refs", "main")}, {}, {"memory": b"m"})
    second.commit(problems("b"), {}, {})
    assert read(lake) == ["a", "b"]
    first.commit(problems("c"), {}, {})
    assert read(lake) == ["a", "b", "c"]
    assert first.read_file("memory") == b"m"


def test_what_is_removed_leaves_no_copy(lake: Lake) -> None:
    for one in (REPOSITORY, OTHER):
        lake.source("git", ORGANIZATION, one).commit(problems(one), {"refs": rows("refs", one)}, {})
    assert read(lake) == sorted((REPOSITORY, OTHER))
    lake.source("git", ORGANIZATION, OTHER).remove()
    assert read(lake) == [REPOSITORY]
    assert not [path for path in lake.here.rglob("*.parquet") if OTHER in str(path)]
    assert not [path for path in lake.fs.find(lake.root) if OTHER in path]


def test_copies_can_be_discarded_and_are_made_again(lake: Lake) -> None:
    lake.source("git", ORGANIZATION, REPOSITORY).commit(problems("a"), {}, {})
    assert read(lake) == ["a"]
    lake.discard_copies(ORGANIZATION)
    assert not list(lake.here.rglob("*.parquet"))
    assert read(lake) == ["a"]


def test_the_same_name_with_other_content_is_copied_again(lake: Lake) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    source.commit(problems("before"), {}, {})
    assert read(lake) == ["before"]
    before = source.state().names()
    source.clear()
    source.commit(problems("after"), {}, {})
    assert source.state().names() == before
    assert read(lake) == ["after"]


@pytest.mark.parametrize("damage", ["deleted", "shortened", "changed"])
def test_a_build_refuses_a_damaged_object_and_names_its_source(lake: Lake, damage: str) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    source.commit(problems("a"), {}, {})
    [path] = [one for one in lake.fs.find(lake.root) if "/problems/" in one]
    content = lake.read_bytes(path)
    if damage == "deleted":
        lake.fs.rm(path)
    else:
        put(lake, path, content[:-1] if damage == "shortened" else b"X" + content[1:])
    with pytest.raises(LakeCorrupt, match="problems") as caught:
        read(lake)
    assert caught.value.sources == (REPOSITORY,)
    # The mark holds for looks that compare only sizes, until the source is read from the start.
    assert lake.damage("git", ORGANIZATION, thorough=False).keys() == {REPOSITORY}
    source.clear()
    source.commit(problems("again"), {}, {})
    assert read(lake) == ["again"]


@pytest.mark.parametrize("damage", ["deleted", "changed", "a folder"])
def test_a_damaged_copy_is_made_again(lake: Lake, damage: str) -> None:
    lake.source("git", ORGANIZATION, REPOSITORY).commit(problems("a"), {}, {})
    assert read(lake) == ["a"]
    [copy] = [
        one
        for one in lake.here.rglob("*.parquet")
        if "/problems/" in str(one) and one.name != "empty.parquet"
    ]
    content = copy.read_bytes()
    copy.unlink()
    if damage == "changed":
        copy.write_bytes(b"X" + content[1:])
    elif damage == "a folder":
        (copy / "below").mkdir(parents=True)
    assert read(lake) == ["a"]


def test_leftovers_of_a_kill_are_removed(lake: Lake) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    source.commit(problems("a"), {}, {})
    folder = lake.partition("git", "problems", ORGANIZATION, REPOSITORY)
    put(lake, f"{folder}/000002-x.parquet", b"half")
    put(lake, f"{lake.partition('git', 'refs', ORGANIZATION, OTHER)}/000001-x.parquet.partial", b"half")
    assert read(lake) == ["a"]
    assert [
        Path(one).name for one in lake.fs.find(lake.root) if one.endswith(("-x.parquet", ".partial"))
    ] == []


def test_requests_do_not_grow_with_the_files_of_a_source(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counter[str]()
    call = S3FileSystem._call_s3

    async def counted(self: S3FileSystem, method: Any, *arguments: Any, **named: Any) -> Any:
        asked[method] += 1
        return await call(self, method, *arguments, **named)

    lake.source("git", ORGANIZATION, REPOSITORY).commit(problems("a"), {}, {})
    read(lake)
    with monkeypatch.context() as patch:
        patch.setattr(S3FileSystem, "_call_s3", counted)
        read(lake)
    few = asked.total()
    for number in range(8):
        source = lake.source("git", ORGANIZATION, f"{REPOSITORY[:-1]}{number}")
        for batch in range(3):
            source.commit(problems(f"{number} {batch}"), {"refs": rows("refs", "main")}, {})
    read(lake)
    asked.clear()
    monkeypatch.setattr(S3FileSystem, "_call_s3", counted)
    assert len(read(lake)) == 25
    # Two requests read a state, which is needed twice: for what may be read, and for what is copied.
    assert asked.total() - few <= 4 * 8


def test_a_store_that_refuses_is_no_damage(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    source.commit(problems("a"), {}, {})

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError("Access Denied")

    with monkeypatch.context() as patch:
        for name in ("cat_file", "open", "size", "cat"):
            patch.setattr(lake.fs, name, refuse)
        for ask in (
            source.state,
            source.damage,
            lambda: source.read("problems"),
            lambda: lake.damage("git", ORGANIZATION),
        ):
            with pytest.raises((Transient, PermissionError), match="Access Denied"):
                ask()
    assert not source.damage()
    assert read(lake) == ["a"]


def test_a_batch_between_listing_and_reading_is_no_damage(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    source.commit({}, {"refs": rows("refs", "main")}, {}, {"answers.json": b"{}"})
    find = lake.fs.find
    again = iter("bc")

    def found(path: str, **options: Any) -> Any:
        listed = find(path, **options)
        if "/_state/git/" in path:
            source.commit({}, {"refs": rows("refs", next(again))}, {}, {"answers.json": b"[]"})
        return listed

    monkeypatch.setattr(lake.fs, "find", found)
    assert lake.damage("git", ORGANIZATION) == {}


def test_a_mistyped_bucket_is_not_made(lake: Lake, tmp_path: Path) -> None:
    mistyped = Lake("s3://bukket/raw", here=tmp_path)
    with pytest.raises(OSError, match="bucket does not exist"):
        mistyped.source("git", ORGANIZATION, REPOSITORY).commit(problems("a"), {}, {})
    assert "bukket" not in lake.fs.ls("")


def test_messages_are_whole_after_many_batches(lake: Lake) -> None:
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    with source.extracting():
        for number in range(4):
            source.commit(problems(f"n{number}"), {}, {}, {"memory": b"%d" % number})
    assert messages(lake.source("git", ORGANIZATION, REPOSITORY)) == ["n0", "n1", "n2", "n3"]
    assert source.read_file("memory") == b"3"
