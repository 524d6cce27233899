from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pygit2
import pytest

from ingest.git.diff import texts as text_module
from ingest.git.diff.hunks import CONTEXT, TextDiff, compare_texts, hunk_lines
from ingest.git.diff.texts import Text, read_blob, split_lines
from ingest.git.objects.contents import CORRUPT, MISSING, ObjectProblem, set_up_libgit2
from ingest.git.objects.loose_objects import open_git_dir
from tests.git_repository import GitRepository

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@pytest.fixture
def opened(repository: GitRepository) -> pygit2.Repository:
    repository.commit({"a": "1\n"})
    return open_git_dir(repository.git_dir)


def by_git(repository: GitRepository, old: str, new: str) -> list[tuple[int, ...]]:
    """Hunks without context, as Git draws them."""
    command = [
        "git",
        "-C",
        str(repository.path),
        "diff",
        "-U0",
        "--diff-algorithm=myers",
        "--indent-heuristic",
        old,
        new,
    ]
    patch = subprocess.run(command, capture_output=True).stdout.decode("latin-1")
    return [tuple(int(n) if n else 1 for n in groups) for groups in _HUNK.findall(patch)]


def texts(opened: pygit2.Repository, repository: GitRepository, *contents: bytes) -> list[Text]:
    found = []
    for content in contents:
        sha = repository._write(b"blob", content)
        text = read_blob(opened, (b"100644", bytes.fromhex(sha)), verify_hash=True)
        assert text is not None
        found.append(text)
    return found


@pytest.mark.parametrize("context", [0, CONTEXT])
@pytest.mark.parametrize("seed", range(3))
def test_hunks_are_those_of_git_whatever_the_context(
    opened: pygit2.Repository, repository: GitRepository, seed: int, context: int
) -> None:
    random = Random(seed)
    for _ in range(30):
        lines = [
            random.choice([b"a", b"b", b"    c", b"", b"}", b"@@ x", b"-- y", b"d\r"])
            for _ in range(random.randrange(40))
        ]
        edited = list(lines)
        for _ in range(random.randrange(6)):
            at = random.randint(0, len(edited))
            edited[at : at + random.randrange(4)] = [random.choice([b"new", b"a", b""])] * random.randrange(4)
        ends = [b"\n".join(x) + random.choice([b"", b"\n"]) for x in (lines, edited)]
        old, new = texts(opened, repository, *ends)
        diff = compare_texts(old, new, context)
        assert [tuple(h) for h in diff.hunks] == by_git(repository, old.sha, new.sha)
        assert hunk_lines(diff.hunks) == (
            sum(len(b.new_changed) for b in diff.blocks),
            sum(len(b.old_changed) for b in diff.blocks),
        )
        assert new.count_lines() == len(split_lines(ends[1]))
        if context:
            assert_blocks_stand_where_they_say(diff, *ends)


def assert_blocks_stand_where_they_say(diff: TextDiff, old: bytes, new: bytes) -> None:
    removed: list[int] = []
    added: list[int] = []
    for block in diff.blocks:
        sides = (
            (old, block.old_offset, block.old_lines, block.old_changed, removed),
            (new, block.new_offset, block.new_lines, block.new_changed, added),
        )
        for content, offset, lines, changed, numbers in sides:
            first = content[:offset].count(b"\n") + 1
            assert split_lines(content)[first - 1 : first - 1 + len(lines)] == lines
            assert content[:offset][-1:] in (b"", b"\n")
            numbers += [first + position for position in changed]
    assert removed == [number for start, count, _, _ in diff.hunks for number in range(start, start + count)]
    assert added == [number for _, _, start, count in diff.hunks for number in range(start, start + count)]


def test_a_new_file_and_a_deleted_file_are_one_hunk(
    opened: pygit2.Repository, repository: GitRepository
) -> None:
    (text,) = texts(opened, repository, b"one\ntwo")
    assert compare_texts(None, text).hunks == [(0, 0, 1, 2)]
    assert compare_texts(text, None).hunks == [(1, 2, 0, 0)]
    (empty,) = texts(opened, repository, b"")
    assert compare_texts(None, empty).hunks == compare_texts(empty, None).hunks == []


def test_the_enclosing_symbol_is_gits_hunk_header(
    opened: pygit2.Repository, repository: GitRepository
) -> None:
    body = b"".join(b"    x%d = 1\n" % i for i in range(20))
    old, new = texts(
        opened, repository, b"def f(a):\n" + body, b"def f(a):\n" + body.replace(b"x15 = 1", b"x15 = 2")
    )
    assert compare_texts(old, new).symbols == ["def f(a):"]


@pytest.fixture
def system_attributes(tmp_path: Path) -> Iterator[Path]:
    """A stand-in for /etc/gitattributes."""
    levels = pygit2.settings.search_path
    before = levels[pygit2.enums.ConfigLevel.SYSTEM]
    levels[pygit2.enums.ConfigLevel.SYSTEM] = str(tmp_path / "etc")
    (tmp_path / "etc").mkdir()
    yield tmp_path / "etc" / "gitattributes"
    levels[pygit2.enums.ConfigLevel.SYSTEM] = before


@pytest.mark.parametrize("rule", ["* -diff", "* binary", "file -diff", "* diff=tex"])
@pytest.mark.parametrize("is_system", [False, True])
def test_attributes_of_the_machine_and_of_the_clone_change_no_difference(
    repository: GitRepository, system_attributes: Path, rule: str, is_system: bool
) -> None:
    body = b"".join(b"    x%d = 1\n" % i for i in range(20))
    file = system_attributes if is_system else repository.git_dir / "info" / "attributes"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{rule}\n")
    repository.commit({"a": "1\n"})
    opened = open_git_dir(repository.git_dir)
    old, new = texts(
        opened, repository, b"def f(a):\n" + body, b"def f(a):\n" + body.replace(b"x15 = 1", b"x15 = 2")
    )
    diff = compare_texts(old, new)
    assert (diff.hunks, diff.symbols) == ([(17, 1, 17, 1)], ["def f(a):"])


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"a\rb", 1)],
)
def test_lines_are_counted_as_git_counts_those_of_a_new_file(
    opened: pygit2.Repository, repository: GitRepository, content: bytes, lines: int
) -> None:
    (text,) = texts(opened, repository, content)
    assert text.count_lines() == len(split_lines(content)) == lines
    sha = repository.commit({"counted": content})
    numstat = repository.git("show", "--numstat", "--format=", sha, "--", "counted")
    assert numstat.split()[:1] in ([str(lines)], [])


@pytest.mark.parametrize(
    "content", [b"a\0b", b"x" * 7999 + b"\0", b"x" * 8000 + b"\0", b"\1\2\3" * 50, b"\xff\xfea\n"]
)
def test_a_file_is_binary_where_git_treats_it_as_binary(
    opened: pygit2.Repository, repository: GitRepository, content: bytes
) -> None:
    (text,) = texts(opened, repository, content)
    sha = repository.commit({"file": content})
    is_dash = repository.git("show", "--numstat", "--format=", sha).startswith("-")
    assert text.is_binary == is_dash


def test_a_file_that_is_too_large_is_not_read(
    opened: pygit2.Repository, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_module, "MAX_BYTES", 10)
    small, large = texts(opened, repository, b"0123456789", b"0123456789x")
    assert (small.is_too_large, large.is_too_large, large.is_binary, large.size) == (False, True, True, 11)
    assert large.starts_with(5) == b""


@pytest.mark.parametrize("damage", [None, b"", b"noise", "cut"])
def test_a_blob_that_cannot_be_read_is_named(
    opened: pygit2.Repository, repository: GitRepository, damage: bytes | str | None
) -> None:
    sha = repository._write(b"blob", b"content of a blob\n" * 20)
    file = repository.git_dir / "objects" / sha[:2] / sha[2:]
    whole = file.read_bytes()
    file.unlink()
    if damage is not None:
        file.write_bytes(whole[:-4] if isinstance(damage, str) else damage)
    with pytest.raises(ObjectProblem) as caught:
        read_blob(opened, (b"100644", bytes.fromhex(sha)))
    assert (caught.value.sha, caught.value.reason) == (sha, MISSING if damage is None else CORRUPT)


def test_content_that_does_not_match_its_id_is_noticed_where_it_is_checked(
    opened: pygit2.Repository, repository: GitRepository, tmp_path: Path
) -> None:
    set_up_libgit2()
    sha, other = (repository._write(b"blob", text) for text in (b"one\n", b"two\n"))
    objects = repository.git_dir / "objects"
    (objects / sha[:2] / sha[2:]).write_bytes((objects / other[:2] / other[2:]).read_bytes())
    with pytest.raises(ObjectProblem, match="does not match") as caught:
        read_blob(opened, (b"100644", bytes.fromhex(sha)), verify_hash=True)
    assert caught.value.sha == sha
