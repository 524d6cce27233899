from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import Permanent
from ingest.git.objects.commit_graph import (
    LATEST,
    clamp,
    parse_commit,
    parse_odd_commit,
    reachable,
    read_history,
)
from ingest.git.objects.loose_objects import open_git_dir
from tests.git_repository import HOUR, START, GitRepository
from tests.ingest.git.growing_history import GrowingHistory

TREE = b"tree " + b"1" * 40 + b"\n"
_PERSON = b" Ada L. <ada@x> 1704099600 +0130\n"
_PLAIN_HEAD = TREE + b"author" + _PERSON + b"committer" + _PERSON


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"Ada <ada@x> 1704099600 +0130", (b"Ada", b"ada@x", 1704099600, 90, "")),
        (b"Ada <ada@x> 1704099600 -0800", (b"Ada", b"ada@x", 1704099600, -480, "")),
        (b"Ada <ada@x> 5 +51800", (b"Ada", b"ada@x", 5, 518 * 60, "")),
        (b"Ada <ada@x> 5 -3407", (b"Ada", b"ada@x", 5, -(34 * 60 + 7), "")),
        (b"Ada <ada@x> 5", (b"Ada", b"ada@x", 5, 0, "UTC offset")),
        (b"Ada <ada@x> 5 0130", (b"Ada", b"ada@x", 5, 90, "UTC offset")),
        (b"Ada <ada@x> 0 +0000", (b"Ada", b"ada@x", 0, 0, "")),
        (b"Ada <ada@x> 0005 +0000", (b"Ada", b"ada@x", 5, 0, "")),
        (b"Ada <ada@x>", (b"Ada", b"ada@x", 0, 0, "no number")),
        (b"Ada <ada@x", (b"", b"", 0, 0, "brackets")),
        (b"Ada", (b"", b"", 0, 0, "brackets")),
        (b"", (b"", b"", 0, 0, "brackets")),
        (b"<> 5 +0000", (b"", b"", 5, 0, "")),
        (b" <ada@x> 5 +0000", (b"", b"ada@x", 5, 0, "")),
        (b"A <b@c> <d@e> 5 +0000", (b"A", b"b@c", 5, 0, "")),
        (b"A <b<c@d>> 5 +0000", (b"A", b"b<c@d", 5, 0, "")),
        (b"J\xf6rg  <j@x> 5 +0000", (b"J\xf6rg", b"j@x", 5, 0, "")),
        (b"Ada <ada@x> tomorrow +0000", (b"Ada", b"ada@x", 0, 0, "no number")),
        (b"Ada <ada@x> -5 +0000", (b"Ada", b"ada@x", 0, 0, "no number")),
        (b"Ada <ada@x> 99999999999999999999 +0130", (b"Ada", b"ada@x", 0, 90, "does not fit")),
        (b"Ada <ada@x> " + b"9" * 5000 + b" +0000", (b"Ada", b"ada@x", 0, 0, "does not fit")),
        (b"A\0da <ada@x> 5 +0000", (b"", b"", 0, 0, "NUL")),
        (b"Ada <ada@x> \0005 +0000", (b"Ada", b"ada@x", 0, 0, "no number")),
    ],
)
def test_people_are_parsed_as_by_git(line: bytes, expected: tuple[object, ...]) -> None:
    commit = parse_commit("0" * 40, TREE + b"author " + line + b"\ncommitter " + line + b"\n\nx\n")
    *values, flaw = expected
    for person in (commit.author, commit.committer):
        assert [person.name, person.email, person.time, person.offset] == values
        assert str(flaw) in person.flaw
        assert bool(flaw) == bool(person.flaw)


@pytest.mark.parametrize("which", ["author", "committer"])
def test_an_unreadable_time_is_that_of_the_other_person(which: str) -> None:
    lines = {name: f"{name} Ada <ada@x> 1704099600 +0130" for name in ("author", "committer")}
    for flawed in (f"{which} Ada <ada@x> tomorrow +0000", f"{which} Ada", "x"):
        text = "\n".join((lines | {which: flawed}).values())
        commit = parse_commit("0" * 40, TREE + text.encode() + b"\n\nx\n")
        assert [(p.time, p.offset) for p in (commit.author, commit.committer)] == [(1704099600, 90)] * 2
        assert commit.is_time_clamped
        assert [flaw.partition(":")[0] for flaw in commit.flaws] == [which]


def test_only_the_lines_after_the_tree_name_parents() -> None:
    parents = [b"parent " + digit * 40 + b"\n" for digit in (b"2", b"3", b"4")]
    person = b"author A <a> 1 +0000\n"
    commit = parse_commit("0" * 40, TREE + parents[0] + parents[1] + person + parents[2] + b"\nx\n")
    assert commit.parents == ("2" * 40, "3" * 40)


def test_headers_that_span_lines_are_no_headers_of_their_own() -> None:
    raw = (
        TREE
        + b"parent "
        + b"2" * 40
        + b"\nauthor A <a> 1 +0000\ngpgsig x\n parent "
        + b"3" * 40
        + b"\n tree y\n\nBody\n\nmore"
    )
    commit = parse_commit("0" * 40, raw)
    assert (commit.tree, commit.parents, commit.message) == ("1" * 40, ("2" * 40,), b"Body\n\nmore")


_LINES = st.sampled_from(
    [
        b"tree " + b"1" * 40,
        b"parent " + b"2" * 40,
        b"parent " + b"g" * 40,
        b"author Ada L. <ada@x> 1704099600 +0130",
        b"author  <> 5 -0000",
        b"author A\0 <a> 5 +0000",
        b"author A <b<c@d>> 12345678901 +0000",
        b"committer \xff <j@x> 17040996 +51800",
        b"committer J  < j@x > 17040996 -0530",
        b"committer",
        b"encoding latin-1",
        b"gpgsig -----BEGIN",
        b" parent " + b"3" * 40,
        b"",
        b"text",
    ]
)


@given(st.lists(_LINES, max_size=9))
def test_plain_commits_are_parsed_as_odd_ones(lines: list[bytes]) -> None:
    for raw in (b"\n".join(lines), TREE + b"\n".join(lines) + b"\n\nBody\n", _PLAIN_HEAD + b"\n".join(lines)):
        assert parse_commit("0" * 40, raw) == parse_odd_commit("0" * 40, raw)


def test_times_are_clamped_to_the_years_1970_to_2100() -> None:
    assert [clamp(t) for t in (-5, 0, 7, LATEST, LATEST + 1, 10**19)] == [0, 0, 7, LATEST, LATEST, LATEST]


@pytest.mark.parametrize("seed", range(3))
def test_history_is_that_of_git_rev_list_parents_first(tmp_path: Path, seed: int) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    for _ in range(30):
        history.step()
    repository = history.repository
    heads = sorted(repository.heads.values())
    commits = read_history(open_git_dir(repository.git_dir), heads)
    listing = repository.git("rev-list", "--parents", *heads).splitlines()
    assert {sha: list(c.parents) for sha, c in commits.items()} == {
        line.split()[0]: line.split()[1:] for line in listing
    }
    order = {sha: i for i, sha in enumerate(commits)}
    assert all(order[p] < order[sha] for sha, c in commits.items() for p in c.parents)
    for head in heads:
        assert reachable(commits, [head]) == set(repository.git("rev-list", head).split())


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_some_commits_does_not_depend_on_others(tmp_path: Path, seed: int) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    for _ in range(30):
        history.step()
    opened, random = open_git_dir(history.repository.git_dir), Random(seed)
    every = list(history.repository.commits)
    whole = list(read_history(opened, every))
    for _ in range(5):
        part = list(read_history(opened, random.sample(every, 3)))
        kept = set(part)
        assert part == [sha for sha in whole if sha in kept]


def test_a_missing_parent_is_named(repository: GitRepository) -> None:
    first = repository.commit({"a": "1\n"})
    last = repository.commit({"a": "2\n"})
    (repository.git_dir / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(Permanent, match=first):
        read_history(open_git_dir(repository.git_dir), [last])


def test_an_object_of_another_kind_is_named(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    blob = repository.git("rev-parse", "main:a").strip()
    with pytest.raises(Permanent, match=blob):
        read_history(open_git_dir(repository.git_dir), [blob])


def test_parents_come_first_whatever_the_dates(repository: GitRepository) -> None:
    shas = [repository.commit({"a": f"{i}\n"}, at=START - i * HOUR) for i in range(5)]
    assert list(read_history(open_git_dir(repository.git_dir), [shas[-1]])) == shas
