from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pygit2
import pytest

from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitChanges, CommitTask
from ingest.git.changes.file_description import FileDescriber
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.texts import Text
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.trees import Entry, TreeReader
from tests.git_repository import Content, GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.machine_text.test_compiled_output import CSS, JAVASCRIPT, STYLES, TYPESCRIPT


def reader_of(repository: GitRepository) -> ChangeReader:
    return ChangeReader(open_git_dir(repository.git_dir), verify_hashes=True)


def read(
    repository: GitRepository,
    sha: str,
    *,
    net_against: str | None = None,
    reader: ChangeReader | None = None,
) -> CommitChanges:
    """The result of a worker for one commit."""

    def tree(commit: str) -> str:
        return repository.git("rev-parse", f"{commit}^{{tree}}").strip()

    reader = reader or reader_of(repository)
    parents = tuple(tree(p) for p in repository.commits[sha].parents)
    return reader.read(CommitTask(sha, tree(sha), parents, True, tree(net_against) if net_against else None))


def test_code_comment_and_blank_lines_are_counted_apart(repository: GitRepository) -> None:
    repository.commit({"a.py": "# one\n\nx = 1\n"})
    sha = repository.commit({"a.py": 'def f():\n    """Doc.\n\n    More.\n    """\n    return 1  # why\n\n'})
    (change,) = read(repository, sha).own
    counts = change.counts
    assert (counts.code_added, counts.comment_added + counts.blank_added) == (2, 5 - (7 - change.lines_added))
    assert (counts.code_deleted, counts.comment_deleted) == (1, 1)


def test_the_difference_of_a_merge_to_the_mainline_has_no_references_or_problems(
    repository: GitRepository,
) -> None:
    repository.commit({"a.py": "a = 1\n"})
    repository.branch("work")
    brought = repository.commit({"b.py": "b = 1  # see KEY-12\n"}, branch="work")
    repository.commit({"a.py": "a = 2\n"})
    merge = repository.merge("work")
    assert [reference.text for _, reference in read(repository, brought).references] == ["KEY-12"]
    result = read(repository, merge, net_against=repository.commits[merge].parents[0])
    assert (result.own, result.references, result.problems) == ([], [], [])
    assert result.net is not None
    assert [(c.path, c.lines_added) for c in result.net] == [("b.py", 1)]


def test_a_file_that_a_merge_wrote_is_measured_against_every_parent(repository: GitRepository) -> None:
    text = "".join(f"x{i} = {i}\n" for i in range(10))
    repository.commit({"a.py": text})
    repository.branch("work")
    repository.commit({"a.py": text.replace("x8 = 8", "x8 = 80")}, branch="work")
    repository.commit({"a.py": text.replace("x2 = 2", "x2 = 20")})
    merge = repository.merge("work")
    (change,) = read(repository, merge).own
    assert change.hunks == [(9, 1, 9, 1)]
    assert [(index, path, hunks) for index, path, hunks in change.other_sides] == [
        (1, "a.py", [(3, 1, 3, 1)])
    ]


MODULES = "mod lines;\nmod money;\n"
NUMBERS = "".join(f"a{i} = {i}\n" for i in range(20))


@pytest.mark.parametrize(
    ("beside", "read_again"),
    [
        ({"other.md": "Text.\n"}, set()),
        ({".gitattributes": "*.py linguist-generated\n"}, {"a.py"}),
        ({"src/balance.ts": TYPESCRIPT}, {"src/balance.js"}),
        ({"src/lib.rs": MODULES.replace("mod money", "#[cfg(test)]\nmod money")}, {"src/money.rs"}),
        ({"a.py": NUMBERS.replace("a3 = 3", "a3 = 4")}, {"a.py"}),
    ],
)
@pytest.mark.parametrize("with_lines", [False, True])
def test_a_merge_delivers_the_facts_that_it_has_without_its_branch(
    repository: GitRepository, beside: dict[str, str], read_again: set[str], with_lines: bool
) -> None:
    """The changes of a branch are read once, unless the mainline says something else of their files."""
    start = repository.commit({"a.py": NUMBERS, "src/lib.rs": MODULES})
    repository.branch("work")
    own: dict[str, str | bytes | Content | None] = {
        "a.py": NUMBERS.replace("a15 = 15", "a15 = 16"),
        "src/balance.js": JAVASCRIPT,
        "src/money.rs": "fn f() {}\n",
    }
    brought = repository.commit(own, branch="work")
    mainline = repository.commit(beside)
    merge = repository.merge("work")
    trees = [repository.git("rev-parse", f"{sha}^{{tree}}").strip() for sha in (brought, start)]
    task = CommitTask(brought, trees[0], (trees[1],), with_lines)
    reader = reader_of(repository)
    branch = reader.read(replace(task, is_merged=True))
    assert branch == reader_of(repository).read(task)
    net = read(repository, merge, net_against=mainline, reader=reader).net
    assert net == read(repository, merge, net_against=mainline).net
    assert net is not None
    assert {change.path for change in net} == own.keys()
    if with_lines:
        shared = {id(change.lines) for change in branch.own}
        assert {change.path for change in net if id(change.lines) not in shared} == read_again


def test_attributes_of_the_tree_of_the_commit_count(repository: GitRepository) -> None:
    first = repository.commit({"a.py": "a = 1\n"})
    second = repository.commit({"a.py": "a = 2\n", ".gitattributes": "a.py linguist-generated\n"})
    third = repository.commit({"a.py": "a = 3\n", ".gitattributes": "a.py linguist-vendored\n"})
    found = {}
    for sha in (first, second, third):
        change = next(c for c in read(repository, sha).own if c.path == "a.py")
        found[sha] = (change.is_generated, change.is_vendored)
    assert found == {first: (False, False), second: (True, False), third: (False, True)}


def test_content_is_equal_when_git_patch_id_is(tmp_path: Path, repository: GitRepository) -> None:
    """A change is applied, reverted and applied again between other changes; each commit touches one file."""
    base = "".join(f"line_{i} = {i}\n" for i in range(40))
    changes = {
        "one": base.replace("line_9 = 9\n", "line_9 = compute(9)\nline_9b = 1\n"),
        "other": base.replace("line_30 = 30\n", "line_30 = compute(30)\n"),
        "removed": base.replace("line_20 = 20\n", ""),
    }
    repository.commit({f"{name}.py": base for name in changes} | {"copy.py": base})
    for _ in range(2):
        for name, text in changes.items():
            repository.commit({f"{name}.py": text})
        for name in changes:
            repository.commit({f"{name}.py": base})
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    patches = repository.git("log", "-p", "--format=commit %H", "--reverse")
    by_patch: dict[str, set[str]] = defaultdict(set)
    for line in repository.git("patch-id", "--stable", text=patches).splitlines():
        patch, sha = line.split()
        by_patch[patch].add(sha)
    by_content: dict[str, set[str]] = defaultdict(set)
    for row in extraction.rows("delivered_lines"):
        if row["delivery_sha"] != next(iter(repository.commits)):
            by_content[row["content_hash"]].add(row["delivery_sha"])
    removing = {
        sha for shas in by_patch.values() for sha in shas if sha not in set().union(*by_content.values())
    }
    expected = {frozenset(shas - removing) for shas in by_patch.values() if shas - removing}
    assert {frozenset(shas) for shas in by_content.values()} == expected - {
        frozenset({next(iter(repository.commits))})
    }
    assert max(map(len, expected)) == 2


@pytest.mark.parametrize("context", ["same", "other"])
def test_content_without_its_context_is_the_same_where_a_cherry_pick_lands_elsewhere(
    tmp_path: Path, repository: GitRepository, context: str
) -> None:
    base = "".join(f"line_{i} = {i}\n" for i in range(20))
    moved = base if context == "same" else base.replace("line_9", "moved_9").replace("line_11", "moved_11")
    repository.commit({"a.py": base, "b.py": moved})
    new = "line_10 = compute(10, 11, 12)\n"
    shas = [
        repository.commit({f"{n}.py": t.replace("line_10 = 10\n", new)})
        for n, t in (("a", base), ("b", moved))
    ]
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    hashes = {
        row["content_hash"] for row in extraction.rows("delivered_lines") if row["delivery_sha"] in shas
    }
    assert len(hashes) == 1


def test_compiled_output_beside_its_source_is_generated_wherever_it_sorts(repository: GitRepository) -> None:
    sha = repository.commit(
        {
            "lib/balance.js": JAVASCRIPT,
            "src/balance.ts": TYPESCRIPT,
            "styles/invoice.css": CSS,
            "styles/invoice.scss": STYLES,
            "styles/print.css": CSS,
            "tests/cases/balance.js": JAVASCRIPT,
            "tests/cases/balance.ts": TYPESCRIPT,
        }
    )
    found = {c.path: (c.is_generated, c.machine_evidence) for c in read(repository, sha).own}
    assert found.pop("lib/balance.js") == (True, "compiled from src/balance.ts")
    assert found.pop("styles/invoice.css") == (True, "compiled from styles/invoice.scss")
    assert set(found.values()) == {(False, None)}


def test_compiled_output_that_comes_later_is_generated_too(repository: GitRepository) -> None:
    repository.commit({"src/balance.ts": TYPESCRIPT})
    compiled = repository.commit({"src/balance.js": JAVASCRIPT})
    edited = repository.commit({"src/balance.js": JAVASCRIPT + b"// sent\n"})
    kept = repository.commit({"src/balance.ts": None, "src/balance.js": JAVASCRIPT + b"// ours now\n"})
    found = [
        {c.path: c.is_generated for c in read(repository, sha).own}["src/balance.js"]
        for sha in (compiled, edited, kept)
    ]
    assert found == [True, True, False]


@pytest.mark.parametrize(
    ("attribute", "is_generated"), [("-linguist-generated", False), ("linguist-generated", True)]
)
def test_attributes_say_more_than_the_pair(
    repository: GitRepository, attribute: str, is_generated: bool
) -> None:
    sha = repository.commit(
        {".gitattributes": f"*.js {attribute}\n", "src/a.js": JAVASCRIPT, "src/a.ts": TYPESCRIPT}
    )
    found = {c.path: c.is_generated for c in read(repository, sha).own}
    assert found["src/a.js"] is is_generated


LIST = "".join(f"- [Part {i}](#part-{i}) of the manual, with all its chapters\n" for i in range(9))
PAGE = "# Manual\n\nRead it from the start.\n\n<!-- toc -->\n\n{}\n<!-- tocstop -->\n\n{}\n"


def test_lines_between_marks_of_a_generator_are_layout_and_the_others_count(
    repository: GitRepository,
) -> None:
    whole = repository.commit({"manual.md": PAGE.format(LIST, "The first chapter says how to begin.")})
    later = repository.commit({"manual.md": PAGE.format(LIST.replace("manual", "book"), "Begin with it.")})
    (first,), (second,) = read(repository, whole).own, read(repository, later).own
    assert first.lines is not None
    assert second.lines is not None
    # Of the first version the title, two sentences and the marks of the table are of people.
    assert list(first.lines.is_layout).count(0) == 5
    assert list(second.lines.is_layout).count(0) == 1
    assert [first.machine_evidence, second.machine_evidence] == [
        "11 of 19 added lines stand in a part that a program writes: <!-- toc -->",
        "9 of 10 added lines stand in a part that a program writes: <!-- toc -->",
    ]


class NotingContents(Contents):
    """Notes the files that are read."""

    def __init__(self, repo: pygit2.Repository) -> None:
        super().__init__(repo, verify_hashes=False)
        self.entries: list[Entry | None] = []

    def read(self, entry: Entry | None, *, is_new: bool = False) -> Text | None:
        self.entries.append(entry)
        return super().read(entry, is_new=is_new)


def test_only_sources_with_imports_are_read_for_the_circumstances_of_a_file(
    repository: GitRepository,
) -> None:
    repository.commit({"a.ts": TYPESCRIPT, "a.js": JAVASCRIPT, "a.scss": STYLES, "a.css": CSS})
    repo = open_git_dir(repository.git_dir)
    tree = bytes.fromhex(repository.git("rev-parse", "main^{tree}").strip())
    contents = NotingContents(repo)
    describer = FileDescriber(TreeReader(repo, verify_hashes=False), contents)
    assert [path for path, _ in describer.circumstances("a.js", tree).sources][:1] == ["a.ts"]
    assert not contents.entries
    assert [path for path, _ in describer.circumstances("a.css", tree).sources] == ["a.scss"]
    assert len(contents.entries) == 1


def test_the_next_version_of_a_library_named_after_its_holder_names_it_once(
    repository: GitRepository,
) -> None:
    banner = (
        "/*!\n * Materia v{version} (materia.example)\n * Copyright 2014-2015 Materia\n * MIT License\n */\n"
    )
    style = ".materia {\n  color: #fdeaeb; }\n"
    repository.commit({"style.css": banner.format(version="0.97.0") + style})
    later = repository.commit({"style.css": banner.format(version="0.97.1").replace("2015", "2016") + style})
    (change,) = read(repository, later).own
    assert [(one.holder, one.first_year, one.last_year) for one in change.copyrights] == [
        ("materia", 2014, 2016)
    ]
