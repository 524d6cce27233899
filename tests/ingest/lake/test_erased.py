"""The lake without an erased person: in what it has, and in what is written later."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingest.erasure.marks import Marks, PersonMarks, names_to_find
from ingest.errors import LakeCorrupt
from ingest.lake import Lake, Source, erased
from ingest.schemas import TABLES
from tests.ingest.lake.rows import ORGANIZATION, rows

ADA = PersonMarks(
    frozenset({"ada@example.org"}),
    frozenset({"lovelace-a"}),
    names_to_find(["Ada Lovelace"]),
    frozenset({("Ada Lovelace", "dev@machine")}),
)
MARKS, PSEUDONYM = Marks().with_person(ADA)


def _commits(*authors: tuple[str, str]) -> pa.Table:
    trailer = {"key": "Co-authored-by", "value": "Ada <ada@example.org>"}
    found = rows("commits", *(f"{number}" for number in range(len(authors)))).to_pylist()
    for row, (name, address) in zip(found, authors, strict=True):
        row |= {"author_name": name, "author_email": address, "trailers": [trailer]}
    return pa.Table.from_pylist(found, TABLES["git", "commits"])


COMMITS = _commits(
    ("Ada", "ada@example.org"), ("Grace", "g@x.io"), ("Ada Lovelace", "dev@machine"), ("G", "dev@machine")
)
WRITTEN = [
    (PSEUDONYM.name, PSEUDONYM.address),
    ("Grace", "g@x.io"),
    (PSEUDONYM.name, PSEUDONYM.address),
    ("G", "dev@machine"),
]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(tmp_path / "raw").source("git", ORGANIZATION, "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c11")


def _authors(source: Source) -> list[tuple[str, str]]:
    found = source.read("commits").to_pylist()
    value = f"{PSEUDONYM.name} <{PSEUDONYM.address}>"
    assert all(row["trailers"] == [{"key": "Co-authored-by", "value": value}] for row in found)
    return [(row["author_name"], row["author_email"]) for row in found]


def test_writers_and_the_erasure_put_the_same_rows_into_the_lake(source: Source) -> None:
    source.commit({"commits": COMMITS}, {}, {}, {"checkpoint": b"lines"})
    erased.write(source.lake, ORGANIZATION, MARKS)
    assert erased.rewrite(source, MARKS, lambda _, content: content)
    assert _authors(source) == WRITTEN
    assert source.damage() == []
    assert source.read_file("checkpoint") == b"lines"
    assert source.state().rows == {"commits": 4}
    source.commit({"commits": COMMITS}, {}, {})
    assert _authors(source) == WRITTEN * 2
    batch = source.state().batch
    assert not erased.rewrite(source, MARKS, lambda _, content: content)
    assert source.state().batch == batch
    # The folder has nothing of the files before.
    root = Path(source.lake.root)
    assert not any(b"ada@example.org" in file.read_bytes() for file in root.rglob("*") if file.is_file())


def test_a_rewriting_that_ends_before_its_batch_leaves_everything_as_it_was(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.commit({"commits": COMMITS}, {}, {})

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(source, "conclude", killed)
        with pytest.raises(KeyboardInterrupt):
            erased.rewrite(source, MARKS, lambda _, content: content)
    assert source.read("commits").equals(COMMITS)
    assert erased.rewrite(source, MARKS, lambda _, content: content)
    assert _authors(source) == WRITTEN


def test_rows_of_nobody_erased_are_the_same_object(source: Source) -> None:
    erased.write(source.lake, ORGANIZATION, MARKS)
    content = rows("commits", "one", "two")
    source.commit({"commits": content}, {}, {})
    assert source.read("commits").equals(content)


def test_facts_are_not_written_while_the_marks_cannot_be_read(source: Source) -> None:
    erased.write(source.lake, ORGANIZATION, MARKS)
    path = Path(erased.file_of(source.lake, ORGANIZATION))
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(b"{}")
    with pytest.raises(LakeCorrupt, match="keeps erased people out"):
        source.commit({"commits": COMMITS}, {}, {})
