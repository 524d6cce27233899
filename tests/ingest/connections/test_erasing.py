"""A sync after an erasure: nothing that it remembers names the person, and no row is lost or read as new."""

from pathlib import Path

from ingest.connections.erasing import changed_file
from ingest.connections.known import FILE
from ingest.erasure.marks import Marks, PersonMarks
from ingest.lake import Source, erased
from tests.ingest.connections.invented_tracker import Invented, item, run, titles

MARKS, PSEUDONYM = Marks().with_person(PersonMarks(frozenset({"ada@example.org"})))


def test_a_sync_after_an_erasure_meets_its_rows_again(source: Source) -> None:
    items = [item(1, "By ada@example.org"), item(2)]
    mine, other = (f"day/{items[0].provider_id}/ada@example.org", items[1].provider_id)
    object.__setattr__(items[0], "provider_id", mine)
    run(source, Invented(items))
    erased.write(source.lake, source.organization_id, MARKS)
    with source.extracting():
        assert erased.rewrite(source, MARKS, changed_file(MARKS))
    stored = mine.replace("ada@example.org", f"{PSEUDONYM.login}-1")
    told = {stored: f"By {PSEUDONYM.address}", other: "Item 2"}
    assert titles(source) == told
    for _ in range(2):
        report = run(source, Invented(items), is_full=True)
        assert report.deleted == 0
        assert titles(source) == told
        assert b"ada@example.org" not in (source.read_file(FILE) or b"")
    assert run(source, Invented(items)).rows == {}
    files = (file for file in Path(source.lake.root).rglob("*") if file.is_file())
    assert not any(b"ada@example.org" in file.read_bytes() for file in files)
