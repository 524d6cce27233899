"""A start of a SHA names the only visible commit with it, and tells nothing of hidden ones."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from api.access.row_access import RowAccess
from api.errors import FailedPrecondition
from api.read.commits.hashes import commit_id
from api.snapshot.build import Build

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
OWN, OTHER = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
# Two of the first developer and two of the second share their first digits; the last is of SHA-256.
COMMITS = {
    "abcdef01" + "1" * 32: OWN,
    "abcdef02" + "2" * 32: OTHER,
    "abcdef0a" + "3" * 32: OTHER,
    "1234567a" + "4" * 32: OWN,
    "1234567b" + "5" * 32: OWN,
    "fedcba98" + "6" * 56: OTHER,
}
IDS = {sha: f"00000000-0000-4000-8000-{number:012d}" for number, sha in enumerate(COMMITS)}


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    file = tmp_path / "build.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "create table commits_by_time (commit_id uuid, commit_sha varchar, developer_id uuid, "
            "exclusion_reason varchar, exclusion_note varchar)"
        )
        connection.execute("create table developer_identities (developer_id uuid, own_developer_id uuid)")
        connection.executemany("insert into developer_identities values (?, ?)", [[OWN, OWN], [OTHER, OTHER]])
        rows = [[IDS[sha], sha, developer] for sha, developer in COMMITS.items()]
        connection.executemany("insert into commits_by_time values (?, ?, ?, null, null)", rows)
    with closing(Build("newest", file, 64)) as opened:
        yield opened


@pytest.mark.parametrize("digits", [8, 10, 39])
def test_a_start_that_one_commit_has_names_it(build: Build, digits: int) -> None:
    for sha, key in IDS.items():
        assert commit_id(build, RowAccess(ORGANIZATION), sha[:digits]) == key
        assert commit_id(build, RowAccess(ORGANIZATION), sha[:digits].upper()) == key


@pytest.mark.parametrize("given", ["abcdef", "abcdef03", "ABCDEFG0", "abcdef0%", "abcdef0_", "' or 1=1", ""])
def test_anything_else_names_no_commit(build: Build, given: str) -> None:
    assert commit_id(build, RowAccess(ORGANIZATION), given) not in IDS.values()


def test_a_start_that_several_commits_have_is_refused_with_all_of_them(build: Build) -> None:
    with pytest.raises(FailedPrecondition) as refused:
        commit_id(build, RowAccess(ORGANIZATION), "abcdef0")
    for sha in COMMITS:
        assert (sha in refused.value.message) == sha.startswith("abcdef0")
    assert "more digits" in refused.value.message


def test_hidden_commits_neither_answer_nor_make_a_start_ambiguous(build: Build) -> None:
    own = RowAccess(ORGANIZATION, own=OWN)
    mine = next(sha for sha, developer in COMMITS.items() if developer == OWN)
    assert commit_id(build, own, "abcdef0") == IDS[mine]
    for hidden in ("abcdef02", "fedcba9"):
        # The same answer as for a start that no commit has.
        assert commit_id(build, own, hidden) == hidden
    with pytest.raises(FailedPrecondition) as refused:
        commit_id(build, own, "1234567")
    assert not any(sha in refused.value.message for sha, developer in COMMITS.items() if developer == OTHER)


def test_many_candidates_are_not_all_listed(tmp_path: Path) -> None:
    file = tmp_path / "many.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "create table commits_by_time as select uuid() as commit_id, "
            "'aaaaaaa' || lpad(range::varchar, 33, '0') as commit_sha, "
            "null::varchar as exclusion_reason, null::varchar as exclusion_note from range(20)"
        )
    with closing(Build("newest", file, 64)) as opened, pytest.raises(FailedPrecondition) as refused:
        commit_id(opened, RowAccess(ORGANIZATION), "aaaaaaa")
    assert refused.value.message.count("aaaaaaa0") == 5
    assert "and more" in refused.value.message
