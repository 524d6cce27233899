"""The same change of a file is recognised where it is delivered again: `content_hash` beside `git patch-id --stable`.

Git's id includes three lines of context, `content_hash` none. For changes with the same context both must agree. If
a cherry-pick lands in another context, only `content_hash` can recognise it.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

import pytest

from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.extraction import Extraction
from tests.project_history import clone_last
from tests.suite.tiers import seeds

COMMITS = len(seeds(150))
"""Number of the newest commits of the project's own history."""

Place = tuple[str, str]
"""Commit and path."""
Lines = list[str]


@dataclass(frozen=True)
class Patch:
    """Git's view of one changed file: its patch id, and its lines, of which only unchanged ones keep their text."""

    patch_id: str
    surroundings: str


def patches(repository: Path, commits: Iterable[str], context: int = 3) -> dict[Place, Patch]:
    """Git's patches of each commit against its first parent, file by file and without renames."""
    git = ["git", "-C", str(repository), "-c", "safe.directory=*"]
    options = ["-p", "-r", "--root", "--no-renames", "--diff-merges=first-parent", "--stdin", f"-U{context}"]
    listed = "".join(f"{sha}\n" for sha in commits)
    shown = subprocess.run(
        [*git, "diff-tree", *options], input=listed.encode(), check=True, capture_output=True
    ).stdout.decode("utf-8", "replace")
    texts: dict[Place, str] = {}
    for commit in re.split(r"^(?=[0-9a-f]{40}$)", shown, flags=re.MULTILINE)[1:]:
        sha, _, rest = commit.partition("\n")
        for text in re.split(r"^(?=diff --git )", rest, flags=re.MULTILINE)[1:]:
            path = re.search(r"^diff --git a/(.*) b/\1$", text, re.MULTILINE)
            if path is not None:
                texts[sha, path[1]] = text
    # `patch-id` names a patch by the commit above it: each file gets a commit of its own.
    names = {sha1(repr(place).encode()).hexdigest(): place for place in texts}
    fed = "".join(f"commit {name}\n\n{texts[place]}" for name, place in names.items())
    answer = subprocess.run(
        [*git, "patch-id", "--stable"], input=fed.encode(), check=True, capture_output=True
    ).stdout.decode()
    ids = {names[name]: patch_id for patch_id, name in map(str.split, answer.splitlines())}
    return {place: Patch(patch_id, surroundings(texts[place])) for place, patch_id in ids.items()}


def surroundings(patch: str) -> str:
    """Its unchanged lines without white space, and of the changed ones only their signs."""
    lines = [line for line in patch.splitlines() if line[:1] in " +-" and not line.startswith(("+++", "---"))]
    return "\n".join("".join(line.split()) if line[0] == " " else line[0] for line in lines)


def hashes(extraction: Extraction) -> dict[Place, str]:
    """`content_hash` of each delivered file with code that Git compares under one name."""
    return {
        (row["delivery_sha"], row["path"]): row["content_hash"]
        for row in extraction.rows("delivered_lines")
        if row["content_hash"] is not None and row["status"] in "AMD"
    }


def groups(places: Iterable[Place], name: dict[Place, object]) -> set[frozenset[Place]]:
    found = defaultdict(set)
    for place in places:
        found[name[place]].add(place)
    return {frozenset(group) for group in found.values()}


class Histories:
    """A mainline and its release branch: changes of one are picked into the other by Git itself."""

    def __init__(self, path: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.repository = GitRepository(path)
        self._number = 0
        files = {f"src/{name}.py": self.text(40) for name in ("one", "two", "three")}
        self.repository.commit(files, "Start")
        self.repository.branch("release")
        self.repository.checkout()

    def text(self, count: int) -> str:
        return "".join(self.line() for _ in range(count))

    def line(self) -> str:
        self._number += 1
        return f"value_{self._number} = compute({self.random.randrange(9)}, 'n{self._number}')\n"

    def edited(self, text: str) -> str:
        """One to three places changed, near each other or far apart."""
        lines = text.splitlines(keepends=True)
        at = self.random.randrange(len(lines))
        for _ in range(self.random.randint(1, 3)):
            at = min(max(at, 0), len(lines) - 1)
            count = self.random.randint(1, 3)
            new = [self.line() for _ in range(self.random.randint(0, 3))]
            lines[at : at + count] = new or [self.line()]
            at += self.random.choice([-20, -9, -4, 3, 8, 14])
        return "".join(lines)

    def change(self, branch: str) -> str:
        repository = self.repository
        paths = [path.decode() for path in repository.commits[repository.heads[branch]].tree]
        chosen = self.random.sample(sorted(paths), self.random.randint(1, 2))
        return repository.commit(
            {path: self.edited(repository.read(path, branch).decode()) for path in chosen}, branch=branch
        )

    def pick(self, sha: str, branch: str) -> None:
        """`git cherry-pick`, taking the picked side where both changed the same lines."""
        repository = self.repository
        repository.git("checkout", "-q", "-f", "--detach", branch)
        repository.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", "-X", "theirs", sha)
        new = repository.git("rev-parse", "HEAD").strip()
        # The builder continues with the content that Git made.
        changed = repository.git("diff", "--name-only", f"{new}^", new).split()
        files = {path: repository.git("show", f"{new}:{path}") for path in changed}
        repository.commit(files, "Pick", branch=branch, author=GRACE)

    def grow(self) -> None:
        for _ in range(12):
            branch, other = self.random.sample(["main", "release"], 2)
            sha = self.change(branch)
            if self.random.random() < 0.7:
                self.pick(sha, other)


def both_branches(histories: Histories, folder: Path) -> dict[Place, str]:
    """The hashes of all that either branch delivers."""
    found = hashes(run(histories.repository, folder / "main"))
    histories.repository.reset("main", "release")
    return found | hashes(run(histories.repository, folder / "release"))


def run(repository: GitRepository, raw: Path) -> Extraction:
    extraction = Extraction(repository.path, raw)
    extraction.run()
    return extraction


@pytest.mark.parametrize("seed", seeds(8))
def test_changes_with_the_same_context_are_distinguished_exactly_as_by_git(tmp_path: Path, seed: int) -> None:
    histories = Histories(tmp_path / "repository", seed)
    histories.grow()
    found = both_branches(histories, tmp_path)
    expected = patches(histories.repository.path, sorted({sha for sha, _ in found}))

    assert found.keys() == expected.keys()
    assert_same_where_the_context_is(found, expected)
    assert any(len(group) > 1 for group in groups(found, {p: e.patch_id for p, e in expected.items()}))


def assert_same_where_the_context_is(found: dict[Place, str], expected: dict[Place, Patch]) -> None:
    context = {place: (place[1], expected[place].surroundings) for place in found}
    ours = groups(found, {place: (context[place], found[place]) for place in found})
    gits = groups(found, {place: (place[1], expected[place].patch_id) for place in found})
    assert ours == gits


BASE = [f"line_{i} = load({i})\n" for i in range(60)]
CHANGES = {20: "line_20 = compute(20, 'twenty')\nline_20b = 1\n", 24: ""}


def with_changes(lines: list[str], changes: Mapping[int, str]) -> str:
    return "".join(changes.get(at, line) for at, line in enumerate(lines))


@dataclass(frozen=True)
class Same:
    """Whether two deliveries are the same change: by `content_hash`, and by Git with and without lines of context."""

    ours: bool
    gits: bool
    gits_without_context: bool


@pytest.fixture
def compared(tmp_path: Path, repository: GitRepository) -> Callable[..., Same]:
    """Deliver `one` and then `other`, each the contents of a file before and after, and compare both deliveries."""

    def compare(one: tuple[str, str], other: tuple[str, str], path: str = "a.py") -> Same:
        repository.commit({"a.py": one[0]}, "Start")
        first = repository.commit({"a.py": one[1]})
        repository.commit({"a.py": other[0], path: other[0]})
        second = repository.commit({path: other[1]}, author=GRACE)
        found = hashes(run(repository, tmp_path / "raw"))
        near, bare = (patches(repository.path, [first, second], context) for context in (3, 0))
        here, there = (first, "a.py"), (second, path)
        return Same(
            found[here] == found[there],
            near[here].patch_id == near[there].patch_id,
            bare[here].patch_id == bare[there].patch_id,
        )

    return compare


ONE = ("".join(BASE), with_changes(BASE, CHANGES))


def test_a_pick_is_known_in_the_same_context(compared: Callable[..., Same]) -> None:
    later = [*BASE[:5], "early = 1\n", *BASE[5:]]
    moved = {at + 1: text for at, text in CHANGES.items()}
    assert compared(ONE, ("".join(later), with_changes(later, moved))) == Same(True, True, True)


def test_a_pick_is_known_in_another_context_where_git_does_not_know_it(compared: Callable[..., Same]) -> None:
    other = [*BASE[:19], "another = 19\n", *BASE[20:]]
    assert compared(ONE, ("".join(other), with_changes(other, CHANGES))) == Same(True, False, True)


@pytest.mark.parametrize("between", [0, 4, 9, 30])
def test_a_pick_is_known_when_its_places_lie_further_apart(
    compared: Callable[..., Same], between: int
) -> None:
    """With the same three lines around each place Git knows it too."""
    changes = {20: CHANGES[20], 28: "line_28 = save(28)\n"}
    apart = [*BASE[:24], *(f"new_{i} = {i}\n" for i in range(between)), *BASE[24:]]
    other = with_changes(apart, {20: changes[20], 28 + between: changes[28]})
    one = with_changes(BASE, changes)
    assert compared(("".join(BASE), one), ("".join(apart), other)) == Same(True, True, True)


def test_another_change_in_the_same_context_is_another(compared: Callable[..., Same]) -> None:
    other = with_changes(BASE, CHANGES | {24: "line_24 = load(25)\n"})
    assert compared(ONE, ("".join(BASE), other)) == Same(False, False, False)


def test_a_pick_that_conflicted_is_another_change(compared: Callable[..., Same]) -> None:
    conflicting = [*BASE[:20], "line_20 = load(2000)\n", *BASE[21:]]
    assert compared(ONE, ("".join(conflicting), with_changes(conflicting, CHANGES))) == Same(
        False, False, False
    )


def test_a_pick_into_another_file_is_known(compared: Callable[..., Same]) -> None:
    """Git's id has the name of the file in it."""
    assert compared(ONE, ONE, "b.py") == Same(True, False, False)


@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_a_pick_into_a_block_further_in_is_known(compared: Callable[..., Same], indent: str) -> None:
    inner = [indent + line for line in BASE]
    changes = {at: "".join(indent + t for t in text.splitlines(True)) for at, text in CHANGES.items()}
    assert compared(ONE, ("".join(inner), with_changes(inner, changes))) == Same(True, True, True)


def test_blank_lines_and_comments_make_no_other_change(compared: Callable[..., Same]) -> None:
    """Git counts blank lines; lines without weight must not hide work that is counted twice."""
    spaced = CHANGES | {20: "\n# why\n" + CHANGES[20]}
    assert compared(ONE, ("".join(BASE), with_changes(BASE, spaced))) == Same(True, False, False)


def test_the_projects_own_changes_are_distinguished_as_by_git(tmp_path: Path) -> None:
    clone = clone_last(tmp_path / "own", COMMITS)
    extraction = Extraction(clone, tmp_path / "raw")
    extraction.run()
    expected = patches(clone, extraction.column("deliveries", "delivery_sha"))
    found = {place: name for place, name in hashes(extraction).items() if place in expected}
    assert found
    assert_same_where_the_context_is(found, expected)
