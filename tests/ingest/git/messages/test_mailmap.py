"""People by mailmap agree with `git check-mailmap`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.messages.mailmap import MAX_BYTES, MailmapEntry, parse
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.suite.tiers import examples

NAMES = ["Ann", "ann", "Ann Lee", "Bob", "Élodie", " x ", "#"]
ADDRESSES = ["a@x", "A@X", "b@x", "ann.lee@y", "Élodie@z", " a@x ", ""]
NAME = st.sampled_from([*NAMES, "", " ", "\t"])
ADDRESS = st.sampled_from(ADDRESSES).map(lambda address: f"<{address}>")
PIECES = st.one_of(NAME, ADDRESS, st.sampled_from(["<", ">", " ", "#", "\r", "<a@x", "b@x>", "é"]))
ORDERLY = st.tuples(NAME, ADDRESS, NAME, ADDRESS).map(" ".join)
SIMPLE = st.tuples(NAME, ADDRESS).map(" ".join)
TOGETHER = st.tuples(NAME, ADDRESS, ADDRESS).map(" ".join)
LINE = st.one_of(ORDERLY, SIMPLE, TOGETHER, st.lists(PIECES, max_size=6).map("".join))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mailmap") / "bare.git"
    pygit2.init_repository(str(path), bare=True)
    return path


def checked(bare: Path, data: bytes, people: list[tuple[str, str]]) -> list[str]:
    """Git's result for each name and address."""
    blob = pygit2.Repository(str(bare)).create_blob(data)
    asked = "".join(f"{name} <{address}>\n" for name, address in people)
    command = ["git", "-C", str(bare), "-c", f"mailmap.blob={blob}", "check-mailmap", "--stdin"]
    told = subprocess.run(command, input=asked.encode(), capture_output=True, check=True).stdout
    return told.decode().split("\n")[:-1]


def resolved(entries: list[MailmapEntry], name: str, address: str) -> str:
    """The entry of the name, else the one of the address alone."""

    def same(one: str, other: str) -> bool:
        return one.encode().lower() == other.encode().lower()

    of_address = [entry for entry in entries if same(entry.commit_address, address)]
    named = [e for e in of_address if e.commit_name is not None and same(e.commit_name, name)]
    for entry in (named or [e for e in of_address if e.commit_name is None])[:1]:
        name, address = entry.proper_name or name, entry.proper_address or address
    return f"{name} <{address}>"


@examples(150)
@given(lines=st.lists(LINE, max_size=8))
def test_every_name_and_address_maps_to_the_person_that_git_names(bare: Path, lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    people = [
        (name.strip(), address) for name in NAMES for address in ADDRESSES if address.strip() == address != ""
    ]
    entries = parse(data)
    assert [resolved(entries, *person) for person in people] == checked(bare, data, people)


def test_bytes_that_are_not_text_do_not_change_other_lines() -> None:
    assert parse(b"\xff\xfe <a@x>\nAnn <a@y> <b@y>\0\n")[-1].commit_address == "b@y"


def test_an_entry_is_a_row_and_follows_the_default_branch(repository: GitRepository, tmp_path: Path) -> None:
    extraction = Extraction(repository.path, tmp_path / "raw")
    repository.commit({".mailmap": b"Ann Lee <ann@y> <a@x>\n"})
    extraction.run()
    (row,) = extraction.rows("mailmap_entries")
    assert (row["commit_address"], row["commit_name"], row["proper_address"], row["proper_name"]) == (
        "a@x",
        None,
        "ann@y",
        "Ann Lee",
    )
    repository.commit({".mailmap": b"<ann@y> Bob <b@x>\n<ann@y> <c@x>\n"})
    extraction.run()
    assert extraction.column("mailmap_entries", "commit_address") == ["b@x", "c@x"]
    repository.commit({".mailmap": None})
    extraction.run()
    assert extraction.rows("mailmap_entries") == []


def test_a_missing_mailmap_blob_is_one_problem_and_stops_nothing(
    repository: GitRepository, tmp_path: Path
) -> None:
    extraction = Extraction(repository.path, tmp_path / "raw")
    repository.commit({"a.py": b"x = 1\n", ".mailmap": b"<ann@y> <a@x>\n"})
    blob = str(pygit2.hash(b"<ann@y> <a@x>\n"))
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for text in (b"x = 2\n", b"x = 3\n"):
        repository.commit({"a.py": text})
        extraction.run()
    assert extraction.rows("mailmap_entries") == []
    about = [row for row in extraction.rows("problems", object_sha=blob) if row["commit_sha"] is None]
    assert len(about) <= 1
    assert extraction.rows("problems", object_sha=blob)


def test_an_enormous_mailmap_is_a_problem(repository: GitRepository, tmp_path: Path) -> None:
    extraction = Extraction(repository.path, tmp_path / "raw")
    repository.commit({".mailmap": b"#" * (MAX_BYTES + 1)})
    extraction.run()
    assert "too_large" in extraction.column("problems", "reason")
