from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import LakeCorrupt
from ingest.lake import Lake, Source, SourceState, merging
from ingest.lake import source as lake_source
from ingest.schemas import TABLES
from ingest.schemas import git as schemas
from tests.ingest.lake.rows import ORGANIZATION, OTHER, REPOSITORY, messages, problems, rows, visible


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "raw")


@pytest.fixture
def source(lake: Lake) -> Source:
    return lake.source("git", ORGANIZATION, REPOSITORY)


class TestBatches:
    def test_appended_tables_grow_and_replaced_ones_do_not(self, source: Source) -> None:
        for number in "12":
            refs = {"refs": rows("refs", f"refs/heads/{number}")}
            state = source.commit(problems(f"p{number}"), refs, {"cursor": number})
        assert messages(source) == ["p1", "p2"]
        assert source.read("refs", ["name"])["name"].to_pylist() == ["refs/heads/2"]
        assert (state.batch, state.extra["cursor"]) == (2, "2")
        assert {k: state.rows[k] for k in ("problems", "refs")} == {"problems": 2, "refs": 1}
        assert source.state() == state

    def test_the_files_are_exactly_those_that_the_state_lists(self, lake: Lake, source: Source) -> None:
        for number in "123":
            source.commit(problems(number), {"refs": rows("refs", number)}, {}, {"memory": number.encode()})
        listed = {(table, name) for table, names in source.state().tables.items() for name in names}
        found = {(t, path.name) for t in schemas.TABLES for path in visible(lake.root, t)}
        assert found == listed
        assert source.read_file("memory") == b"3"

    def test_an_empty_replacement_leaves_no_rows(self, lake: Lake, source: Source) -> None:
        source.commit({}, {"refs": rows("refs", "refs/heads/main")}, {})
        state = source.commit({}, {"refs": rows("refs")}, {})
        assert source.read("refs").num_rows == 0
        assert (state.rows["refs"], visible(lake.root, "refs")) == (0, [])

    def test_only_the_requested_columns_are_read_even_before_the_first_batch(self, source: Source) -> None:
        assert source.read("problems", ["message", "path"]).column_names == ["message", "path"]
        source.commit(problems("p"), {}, {})
        assert source.read("problems", ["message"]).column_names == ["message"]

    def test_rows_of_another_schema_are_refused_and_nothing_becomes_visible(
        self, lake: Lake, source: Source
    ) -> None:
        source.commit(problems("before"), {}, {})
        wrong = rows("problems", "after").drop_columns(["reason"])
        with pytest.raises(TypeError, match=r"git\.problems"):
            source.commit({"commits": rows("commits", "c"), "problems": wrong}, {}, {})
        assert messages(source) == ["before"]
        assert source.state().batch == 1

    def test_sources_do_not_touch_each_other(self, lake: Lake, source: Source) -> None:
        others = [lake.source("git", ORGANIZATION, "other"), lake.source("git", OTHER, REPOSITORY)]
        for number, each in enumerate([source, *others]):
            each.commit(problems(f"p{number}"), {}, {}, {"memory": b"x"})
        assert lake.sources("git", ORGANIZATION) == sorted(["other", REPOSITORY])
        source.clear()
        assert lake.sources("git", ORGANIZATION) == ["other"]
        assert [messages(s) for s in (source, *others)] == [[], ["p1"], ["p2"]]
        assert (source.state(), source.read_file("memory")) == (SourceState(), None)
        source.clear()

    def test_compaction_keeps_every_row_in_order(
        self, lake: Lake, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lake_source, "MAX_FILES", 4)
        expected = []
        for number in range(11):
            state = source.commit(problems(f"p{number}", "same"), {}, {})
            expected += [f"p{number}", "same"]
            assert messages(source) == expected
            assert state.rows["problems"] == len(expected)
            assert len(visible(lake.root, "problems")) == len(state.tables["problems"]) <= 4

    def test_compaction_holds_a_row_group_at_a_time(
        self, lake: Lake, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The rows of a large tracker do not fit into memory together."""
        monkeypatch.setattr(lake_source, "MAX_FILES", 4)
        monkeypatch.setattr(merging, "GROUP_ROWS", 3)
        for number in range(9):
            source.commit(problems(f"p{number}"), {}, {})
        compacted = visible(lake.root, "problems")[0]
        groups = pq.ParquetFile(compacted).metadata
        assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [3, 3, 3]
        assert messages(source) == [f"p{number}" for number in range(9)]

    def test_facts_of_every_type_survive_compaction(
        self, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lake_source, "MAX_FILES", 1)
        commits = rows("commits", "one")
        trailers = pa.array([[{"key": "Signed-off-by", "value": "Ada"}, {"key": "k", "value": ""}]])
        column = commits.schema.get_field_index("trailers")
        commits = commits.set_column(
            column, commits.schema.field("trailers"), trailers.cast(commits["trailers"].type)
        )
        for _ in range(3):
            source.commit({"commits": commits}, {}, {})
        assert source.read("commits").to_pylist() == commits.to_pylist() * 3


class TestLeftovers:
    def test_files_that_no_state_lists_are_removed_before_a_build(self, lake: Lake, source: Source) -> None:
        source.commit(problems("p"), {}, {}, {"memory": b"m"})
        folder = Path(lake.partition("git", "problems", ORGANIZATION, REPOSITORY))
        pq.write_table(rows("problems", "stray"), folder / "000002-stray.parquet")
        (folder / "000003-x.parquet.partial").write_bytes(b"half")
        (folder / "folder").mkdir()
        (folder / "folder" / "file").write_text("")
        never_committed = Path(lake.partition("git", "commits", ORGANIZATION, "never"))
        never_committed.mkdir(parents=True)
        pq.write_table(rows("commits", "stray"), never_committed / "000001-stray.parquet")
        with lake.reading(ORGANIZATION):
            assert [p.name for p in folder.iterdir()] == source.state().tables["problems"]
            assert not list(never_committed.iterdir())
        assert messages(source) == ["p"]
        assert source.read_file("memory") == b"m"

    def test_settings_beside_the_empty_file_are_cleaned_too_and_the_empty_file_stays(
        self, lake: Lake
    ) -> None:
        lake.prepare(ORGANIZATION)
        settings = lake.source("control", ORGANIZATION, "_")
        table = TABLES["control", "organizations"].empty_table()
        with settings.extracting():
            settings.commit({}, {"organizations": table}, {})
        folder = Path(lake.partition("control", "organizations", ORGANIZATION, "_"))
        pq.write_table(table, folder / "000009-stray.parquet")
        with lake.reading(ORGANIZATION):
            assert [p.name for p in folder.iterdir()] == ["empty.parquet"]


class TestPreparing:
    def test_every_table_has_an_empty_typed_file(self, lake: Lake) -> None:
        lake.prepare(ORGANIZATION)
        for (noun, table), schema in TABLES.items():
            (file,) = (Path(lake.root) / noun / table).glob(f"organization_id={ORGANIZATION}/*/*.parquet")
            stored = pq.read_table(file, partitioning=None)
            assert stored.num_rows == 0
            assert stored.schema.equals(schema)

    def test_preparing_again_writes_nothing_until_a_schema_changes(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake.prepare(ORGANIZATION)
        written: list[str] = []
        original = Lake.write_bytes

        def noting(self: Lake, path: str, content: bytes) -> tuple[int, str]:
            written.append(path)
            return original(self, path, content)

        monkeypatch.setattr(Lake, "write_bytes", noting)
        lake.prepare(ORGANIZATION)
        assert written == []
        wider = TABLES["git", "refs"].append(pa.field("new", pa.string()))
        monkeypatch.setitem(TABLES, ("git", "refs"), wider)
        lake.prepare(ORGANIZATION)
        (path,) = written
        assert pq.read_schema(path).equals(wider)


class TestDamage:
    @pytest.mark.parametrize(
        "content",
        [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b'{"batch": 1, "surprise": 2}', b'{"batch": "1"}',
         b'{"batch": 1, "tables": []}', b'{"batch": 1, "tables": {}, "rows": {}, "extra": null}'],
    )  # fmt: skip
    def test_a_damaged_state_is_named_and_nothing_is_deleted(
        self, lake: Lake, source: Source, content: bytes
    ) -> None:
        source.commit(problems("p"), {}, {})
        state = Path(lake.root) / "_state" / "git" / ORGANIZATION / f"{REPOSITORY}.json"
        state.write_bytes(content)
        for use in (source.state, lambda: source.read("problems")):
            with pytest.raises(LakeCorrupt, match=f"{state}.*from the start") as caught:
                use()
            assert REPOSITORY in str(caught.value)
        with pytest.raises(LakeCorrupt), lake.reading(ORGANIZATION):
            pass
        assert len(visible(lake.root, "problems")) == 1

    def test_a_source_with_a_damaged_state_can_be_extracted_from_the_start(
        self, lake: Lake, source: Source
    ) -> None:
        source.commit(problems("p"), {}, {})
        state = Path(lake.root) / "_state" / "git" / ORGANIZATION / f"{REPOSITORY}.json"
        state.write_bytes(b"{")
        with source.extracting():
            draft = lake.drafts().source("git", ORGANIZATION, REPOSITORY)
            draft.commit(problems("q"), {}, {})
            source.take_over(draft)
        assert (messages(source), len(visible(lake.root, "problems"))) == (["q"], 1)

    def test_damaged_files_are_named(self, lake: Lake, source: Source) -> None:
        source.commit(problems("p"), {}, {}, {"memory": b"m"})
        (file,) = visible(lake.root, "problems")
        file.write_bytes(b"PAR1 no parquet")
        with pytest.raises(LakeCorrupt, match=str(file)):
            source.read("problems")
        file.unlink()
        with pytest.raises(LakeCorrupt, match=str(file)):
            source.read("problems")
        (memory,) = (Path(lake.root) / "_state" / "git" / ORGANIZATION / REPOSITORY).iterdir()
        memory.unlink()
        with pytest.raises(LakeCorrupt, match=str(memory)):
            source.read_file("memory")


def test_a_file_in_the_place_of_a_folder_is_removed(lake: Lake, source: Source) -> None:
    source.commit(problems("p"), {}, {})
    folder = Path(lake.partition("git", "refs", ORGANIZATION, REPOSITORY))
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_bytes(b"no folder")
    with lake.reading(ORGANIZATION):
        assert not folder.exists()
    source.commit({}, {"refs": rows("refs", "main")}, {})
    assert messages(source) == ["p"]


class TestObjectStores:
    @pytest.fixture
    def url(self) -> Iterator[str]:
        yield "memory://eas-test-lake/raw"
        fsspec.filesystem("memory").rm("/eas-test-lake", recursive=True)

    def test_a_lake_may_be_any_fsspec_url(
        self, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lake_source, "MAX_FILES", 2)
        lake = Lake(url, here=tmp_path)
        lake.prepare(ORGANIZATION)
        source = lake.source("git", ORGANIZATION, REPOSITORY)
        with source.extracting():
            for number in range(4):
                replaced = {"refs": rows("refs", f"n{number}")}
                source.commit(problems(f"n{number}"), replaced, {}, {"memory": b"%d" % number})
        again = Lake(url, here=tmp_path)
        with again.reading(ORGANIZATION):
            fresh = again.source("git", ORGANIZATION, REPOSITORY)
            assert messages(fresh) == ["n0", "n1", "n2", "n3"]
            assert fresh.read_file("memory") == b"3"
            names = [p for p in again.fs.find(again.root) if "/refs/" in p and "empty" not in p]
            assert len(names) == 1
        assert again.sources("git", ORGANIZATION) == [REPOSITORY]
        fresh.clear()
        assert not [p for p in again.fs.find(again.root) if REPOSITORY in p]

    def test_leftovers_of_a_kill_are_removed_there_too(self, url: str, tmp_path: Path) -> None:
        lake = Lake(url, here=tmp_path)
        source = lake.source("git", ORGANIZATION, REPOSITORY)
        source.commit(problems("p"), {}, {})
        leftover = rows("refs")
        lake.write_parquet(
            f"{lake.partition('git', 'refs', ORGANIZATION, REPOSITORY)}/000002-x.parquet",
            leftover.schema,
            [leftover],
        )
        with lake.reading(ORGANIZATION):
            assert not lake.fs.find(lake.partition("git", "refs", ORGANIZATION, REPOSITORY))
        assert messages(source) == ["p"]

    def test_two_roots_do_not_share_locks(self) -> None:
        first, second = (Lake(f"memory://eas-test-lake/{name}") for name in "ab")
        with (
            first.source("git", ORGANIZATION, "x").extracting(),
            second.source("git", ORGANIZATION, "x").extracting(),
        ):
            pass


def test_the_state_is_plain_json(lake: Lake, source: Source) -> None:
    source.commit(problems("p"), {}, {"refs": [["refs/heads/größe", "sha", True]]})
    stored = json.loads(
        (Path(lake.root) / "_state" / "git" / ORGANIZATION / f"{REPOSITORY}.json").read_text()
    )
    assert stored["extra"]["refs"] == [["refs/heads/größe", "sha", True]]
    assert source.state().extra["refs"] == stored["extra"]["refs"]
