"""Runs after the erasure of a person: each equals one run over the whole history that knew the marks from its start."""

import shutil
from pathlib import Path

from ingest.erasure.marks import Marks, PersonMarks, names_to_find
from ingest.lake import Lake, erased
from tests.git_repository import ADA, GRACE, GitRepository
from tests.ingest.git.extraction import ORGANIZATION, REPOSITORY, Extraction, current

MARKS, PSEUDONYM = Marks().with_person(
    PersonMarks(frozenset({"ada@example.org"}), frozenset({"lovelace-a"}), names_to_find(["Ada Lovelace"]))
)
WITH_PEOPLE = {"commits", "file_changes", "deliveries", "refs", "mailmap_entries"}


def _history(folder: Path) -> GitRepository:
    made = GitRepository(folder)
    code = "".join(f"def step_{n}(a):\n    return a.move({n}) + {n}\n" for n in range(6))
    made.commit({"src/a.py": code, ".mailmap": "Ada Lovelace <ada@example.org>\n"}, author=ADA)
    made.commit({"src/b.py": f"# Copyright Ada Lovelace <ada@example.org>\n{code}"}, "Copy", author=GRACE)
    return made


def _grow(made: GitRepository) -> None:
    made.branch("lovelace-a/work")
    changed = made.read("src/a.py").decode().replace("move(3)", "turn(4)")
    message = f"Fix a step of @lovelace-a\n\nSigned-off-by: {ADA}\nCo-authored-by: {ADA}"
    made.commit({"src/a.py": changed}, message, branch="lovelace-a/work", author=GRACE)
    made.merge("lovelace-a/work", author=ADA)
    made.commit({"src/b.py": None}, "Revert what Ada Lovelace wrote", author=GRACE)


def test_growth_after_an_erasure_equals_one_run_and_changes_no_other_fact(tmp_path: Path) -> None:
    repository = _history(tmp_path / "work")
    grown, anew, plain = (Extraction(repository.path, tmp_path / name) for name in ("grown", "anew", "plain"))
    grown.run()
    lake = Lake(grown.raw)
    erased.write(lake, ORGANIZATION, MARKS)
    source = lake.source("git", ORGANIZATION, REPOSITORY)
    with source.extracting():
        assert erased.rewrite(source, MARKS, lambda _, content: content)
    _grow(repository)
    grown.run()
    erased.write(Lake(anew.raw), ORGANIZATION, MARKS)
    anew.run()
    plain.run()
    assert current(grown.all_rows()) == current(anew.all_rows())
    for table, rows in current(plain.all_rows()).items():
        if table not in WITH_PEOPLE:
            assert current(grown.all_rows())[table] == rows, table
    authors = {(row["author_name"], row["author_email"]) for row in grown.facts.table("commits").to_pylist()}
    assert authors == {(PSEUDONYM.name, PSEUDONYM.address), ("Grace Hopper", "grace@example.org")}
    holders = [one["holder"] for row in grown.column("file_changes", "copyrights") for one in row or ()]
    assert holders == [PSEUDONYM.name.lower()]
    # The rows of every cell, as text: nothing compressed hides a name.
    told = "".join(str(rows) for rows in current(grown.all_rows()).values()).lower()
    assert [one for one in ("lovelace", "ada@") if one in told] == []
    # A later run from the start finds the same: the lake is lost and the marks are not.
    marks = Path(erased.file_of(lake, ORGANIZATION)).read_bytes()
    shutil.rmtree(grown.raw)
    lake.write_bytes(erased.file_of(lake, ORGANIZATION), marks)
    grown.run()
    assert current(grown.all_rows()) == current(anew.all_rows())
