"""The manifest of a source: every damage to a committed file is found before a build reads it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.errors import LakeCorrupt
from ingest.lake import Lake, Source
from tests.ingest.lake.rows import ORGANIZATION, REPOSITORY, messages, problems, rows, visible

OTHER = "0a0a0a0a-7b0a-5e0e-9d43-1c1f1d9a0c11"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "raw")


@pytest.fixture
def source(lake: Lake) -> Source:
    """A source with two batches of problems, one table of refs, and a file of its connector."""
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    for name in ("first", "second"):
        source.commit(problems(name), {"refs": rows("refs", name)}, {}, {"memory": name.encode()})
    return source


def state_file(lake: Lake, source_id: str = REPOSITORY) -> Path:
    return Path(lake.root) / "_state" / "git" / ORGANIZATION / f"{source_id}.json"


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))


def swap(file: Path) -> None:
    other = next(one for one in sorted(file.parent.iterdir()) if one != file)
    mine, its = file.read_bytes(), other.read_bytes()
    file.write_bytes(its)
    other.write_bytes(mine)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-9]),
    "flipped": flip,
    "swapped": swap,
    "replaced": lambda file: pq.write_table(rows("problems", "foreign"), file),
}


def test_the_state_lists_rows_bytes_and_checksum_of_every_file(lake: Lake, source: Source) -> None:
    stored = json.loads(state_file(lake).read_text())
    assert len(stored["files"]) == 4
    for name, entry in stored["files"].items():
        content = Path(source.location(name)).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
        if name.endswith(".parquet"):
            assert entry["rows"] == pq.read_metadata(source.location(name)).num_rows == 1
    assert stored["schema"]
    assert source.damage() == []


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_stops_the_build_and_marks_the_source(lake: Lake, source: Source, kind: str) -> None:
    lake.source("git", ORGANIZATION, OTHER).commit(problems("other"), {}, {})
    file = visible(lake.root, "problems")[-1]
    DAMAGES[kind](file)
    with pytest.raises(LakeCorrupt, match=REPOSITORY) as caught, lake.reading(ORGANIZATION):
        pytest.fail("the build would read damaged facts")
    assert caught.value.sources == (REPOSITORY,)
    assert str(file) in str(caught.value)
    # The mark holds for looks that compare only sizes.
    assert lake.damage("git", ORGANIZATION, thorough=False).keys() == {REPOSITORY}


@pytest.mark.parametrize("kind", ["deleted", "emptied", "truncated"])
def test_a_file_of_another_size_is_found_without_reading_it(lake: Lake, source: Source, kind: str) -> None:
    DAMAGES[kind](visible(lake.root, "problems")[0])
    assert source.damage(thorough=False)


def test_a_build_reads_exactly_the_listed_files(lake: Lake, source: Source) -> None:
    lake.prepare(ORGANIZATION)
    folder = Path(lake.partition("git", "problems", ORGANIZATION, REPOSITORY))
    foreign = folder.parent / "somebody's folder"
    foreign.mkdir()
    pq.write_table(rows("problems", "foreign"), foreign / "foreign.parquet")
    pq.write_table(rows("problems", "copy"), folder / "000009-copy.parquet")
    with lake.reading(ORGANIZATION):
        files = lake.files(ORGANIZATION)["git", "problems"]
    assert [Path(one).name for one in files] == ["empty.parquet", *source.state().tables["problems"]]
    assert all(Path(one).parent in (folder, folder.parent / "repository_id=_") for one in files)


def test_a_damaged_file_of_the_connector_stops_no_build(lake: Lake, source: Source) -> None:
    [memory] = state_file(lake).with_suffix("").iterdir()
    memory.write_bytes(b"other")
    [damage] = source.damage()
    assert not damage.is_fact
    with lake.reading(ORGANIZATION):
        pass


def test_the_state_of_another_source_is_not_accepted(lake: Lake, source: Source) -> None:
    lake.source("git", ORGANIZATION, OTHER).commit(problems("other"), {}, {})
    swap_with = state_file(lake, OTHER).read_bytes()
    state_file(lake).write_bytes(swap_with)
    with pytest.raises(LakeCorrupt, match="differs"):
        source.state()


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_flipped_byte_of_the_state_is_found(lake: Lake, source: Source, place: float) -> None:
    content = bytearray(state_file(lake).read_bytes())
    content[int(len(content) * place)] ^= 1
    state_file(lake).write_bytes(bytes(content))
    with pytest.raises(LakeCorrupt):
        source.state()


def test_taking_over_a_draft_ends_the_mark(lake: Lake, source: Source) -> None:
    source.mark_damaged("a file is missing")
    assert source.damage()
    draft = lake.drafts().source("git", ORGANIZATION, REPOSITORY)
    draft.commit(problems("again"), {}, {}, {"memory": b"m"})
    source.take_over(draft)
    assert (source.damage(), messages(source)) == ([], ["again"])


def test_a_damaged_empty_file_is_written_again(lake: Lake) -> None:
    lake.prepare(ORGANIZATION)
    empty = Path(lake.partition("git", "refs", ORGANIZATION, "_")) / "empty.parquet"
    good = empty.read_bytes()
    for damaged in (b"", good[:-5], pq_bytes(lake)):
        empty.write_bytes(damaged)
        lake.prepare(ORGANIZATION)
        assert empty.read_bytes() == good


def pq_bytes(lake: Lake) -> bytes:
    """A readable file of the same columns, with a row."""
    file = Path(lake.root) / "one-row.parquet"
    pq.write_table(rows("refs", "wrong"), file)
    return file.read_bytes()


class TestStatesBeforeManifests:
    @pytest.fixture
    def _old(self, lake: Lake, source: Source) -> None:
        stored = json.loads(state_file(lake).read_text())
        for name in ("files", "schema", "checksum"):
            del stored[name]
        state_file(lake).write_text(json.dumps(stored))

    @pytest.mark.usefixtures("_old")
    def test_the_next_build_writes_their_manifest(self, lake: Lake, source: Source) -> None:
        assert source.damage() == []
        before = source.state().digest()
        with lake.reading(ORGANIZATION):
            pass
        assert set(source.state().files) == set(source.state().names())
        assert source.state().digest() == before, "an unchanged lake needs no new build"
        flip(visible(lake.root, "problems")[0])
        assert source.damage()

    @pytest.mark.usefixtures("_old")
    @pytest.mark.parametrize("kind", ["deleted", "truncated"])
    def test_their_rows_are_compared(self, lake: Lake, source: Source, kind: str) -> None:
        DAMAGES[kind](visible(lake.root, "problems")[0])
        with pytest.raises(LakeCorrupt), lake.reading(ORGANIZATION):
            pass

    @pytest.mark.usefixtures("_old")
    def test_a_file_with_other_rows_is_found(self, lake: Lake, source: Source) -> None:
        pq.write_table(rows("problems", "one", "two"), visible(lake.root, "problems")[0])
        [damage] = source.damage()
        assert "3 rows instead of 2" in str(damage)


def undo(file: Path) -> None:
    """Damage that a build may have read, although it is gone afterwards."""
    content = file.read_bytes()
    file.write_bytes(b"")
    file.write_bytes(content)


@pytest.mark.parametrize(("change", "is_damaged"), [(flip, True), (Path.unlink, True), (undo, False)])
def test_a_file_that_changes_while_a_build_reads_it_refuses_the_build(
    lake: Lake, source: Source, change: Callable[[Path], None], is_damaged: bool
) -> None:
    with pytest.raises(LakeCorrupt), lake.reading(ORGANIZATION):
        change(visible(lake.root, "refs")[0])
    assert bool(source.damage(thorough=False)) == is_damaged


def test_links_to_a_file_that_a_backup_makes_refuse_nothing(
    lake: Lake, source: Source, tmp_path: Path
) -> None:
    with lake.reading(ORGANIZATION):
        os.link(visible(lake.root, "refs")[0], tmp_path / "backup")
    assert not source.damage()


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a link"])
def test_a_state_that_is_no_file_is_damage(lake: Lake, source: Source, kind: str, tmp_path: Path) -> None:
    file = state_file(lake)
    file.unlink()
    replacements: dict[str, Callable[[], None]] = {
        "a pipe": lambda: os.mkfifo(file),
        "a folder": file.mkdir,
        "a link": lambda: file.symlink_to(tmp_path / "nowhere"),
    }
    replacements[kind]()
    assert source.damage()
    with pytest.raises(LakeCorrupt):
        source.state()


def test_clearing_a_folder_never_follows_a_link(lake: Lake, source: Source, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("kept")
    (visible(lake.root, "refs")[0].parent / "000009-aaaaaaaaaaaa.parquet").symlink_to(outside)
    with lake.reading(ORGANIZATION):
        pass
    assert (outside / "precious").read_text() == "kept"
