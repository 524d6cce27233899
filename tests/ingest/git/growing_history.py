"""Histories that grow at random, step by step, as with teams and forced pushes.

Add: steps that real repositories take. Keep out: expectations. The same seed gives the same history, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.git_repository import ADA, GRACE, Change, Content, GitRepository, Text

DAY = 86_400
PEOPLE = (ADA, GRACE, "Linus <linus@example.org>", "dependabot[bot] <bot@example.org>")
PATHS = (
    *("src/main.py", "src/deep/er/tools.py", "lib/app.ts", "lib/core.c", "README.md", "tests/test_main.py"),
    *("run.sh", "data.json", "notes", "with space.txt"),
)
_NAMES = ("total", "rows", "value", "path", "index", "result", "limit", "name")
_CALLS = ("read", "write", "merge", "check", "load", "open_all")


class GrowingHistory:
    """A repository that takes one random step at a time; `log` lists the steps."""

    def __init__(self, repository: GitRepository, seed: int) -> None:
        self.repository = repository
        self.random = Random(seed)
        self.log: list[str] = []
        self._left_behind: list[str] = []
        self._counter = 0
        for _ in range(3):
            self._commit("main")

    def step(self) -> None:
        """One of the steps below, at realistic frequencies."""
        steps = {
            self._work: 14,
            self._start_branch: 5,
            self._merge_branch: 6,
            self._merge_main_into_branch: 4,
            self._fast_forward_main: 2,
            self._fast_forward_through_merge: 1,
            self._octopus: 1,
            self._criss_cross: 1,
            self._unrelated_root: 1,
            self._force_push_branch: 1,
            self._rewrite_main: 1,
            self._go_back_to_something_lost: 1,
            self._delete_branch: 1,
            self._tag: 1,
            self._cherry_pick: 2,
            self._revert: 2,
        }
        step = self.random.choices(list(steps), list(steps.values()))[0]
        self.log.append(f"{step.__name__[1:]} at {len(self.repository.commits)} commits")
        step()

    def _branches(self) -> list[str]:
        return sorted(self.repository.heads.keys() - {"main"})

    def _some_branch(self) -> str | None:
        return self.random.choice(self._branches()) if self._branches() else None

    def _work(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._commit(self.random.choice(["main", *self._branches()]))

    def _start_branch(self) -> None:
        # Often from an old commit, so that it forked before any checkpoint.
        start = self.random.choice(["main", *sorted(self.repository.commits)[:4]])
        self._counter += 1
        name = f"work/{self._counter}"
        self.repository.branch(name, start)
        self._commit(name)

    def _merge_branch(self) -> None:
        if branch := self._some_branch():
            self._merge(branch, into="main")

    def _merge_main_into_branch(self) -> None:
        if branch := self._some_branch():
            # As `git pull` writes it on a branch: the mainline continues through main when this is pushed.
            message = self.random.choice([None, f"Merge branch 'main' into {branch}", "Catch up with main"])
            self._merge("main", into=branch, message=message)

    def _fast_forward_main(self) -> None:
        for branch in self._branches():
            if self.repository.merge_base(
                branch_head(self, branch), branch_head(self, "main")
            ) == branch_head(self, "main"):
                self.repository.reset("main", branch)
                return

    def _fast_forward_through_merge(self) -> None:
        """`git pull` on main, then push: the merge's first parent is the local work, not the mainline."""
        if branch := self._some_branch():
            self._commit(branch)
            message = self.random.choice(
                [None, "Merge branch 'main' of https://example.org/owner/repository into work"]
            )
            self._merge("main", into=branch, message=message)
            self.repository.reset("main", branch)

    def _octopus(self) -> None:
        branches = self.random.sample(self._branches(), min(2, len(self._branches())))
        if len(branches) == 2:
            self._merge(*branches, into="main")

    def _criss_cross(self) -> None:
        if branch := self._some_branch():
            ours, theirs = branch_head(self, "main"), branch_head(self, branch)
            self._merge(theirs, into="main")
            self._merge(ours, into=branch)

    def _unrelated_root(self) -> None:
        self._counter += 1
        name = f"import/{self._counter}"
        files = {f"{name}/{i}.py": self._new_lines(6) for i in range(3)}
        self.repository.commit(files, "Start elsewhere", branch=name, parents=[])
        self._commit(name)

    def _force_push_branch(self) -> None:
        if branch := self._some_branch():
            self._left_behind.append(branch_head(self, branch))
            parents = self.repository.commits[branch_head(self, branch)].parents
            if parents:
                self.repository.reset(branch, parents[0])
            self._commit(branch)

    def _rewrite_main(self) -> None:
        """Main goes back some commits and usually continues differently."""
        self._left_behind.append(branch_head(self, "main"))
        back = branch_head(self, "main")
        for _ in range(self.random.randint(1, 3)):
            back = next(iter(self.repository.commits[back].parents), back)
        self.repository.reset("main", back)
        if self.random.random() < 0.6:
            self._commit("main")

    def _go_back_to_something_lost(self) -> None:
        if self._left_behind:
            target = self.random.choice(self._left_behind)
            branch = self.random.choice(["main", "found"])
            if branch == "main":
                self._left_behind.append(branch_head(self, "main"))
            self.repository.reset(branch, target)

    def _delete_branch(self) -> None:
        if branch := self._some_branch():
            self._left_behind.append(branch_head(self, branch))
            self.repository.delete(branch)

    def _tag(self) -> None:
        self._counter += 1
        at = self.random.choice(sorted(self.repository.commits))
        self.repository.tag(f"v{self._counter}", at, message=self.random.choice([None, "Release"]))

    def _cherry_pick(self) -> None:
        """The files of another commit."""
        commits = self.repository.commits
        picked = self.random.choice(sorted(commits))
        before = commits[commits[picked].parents[0]].tree if commits[picked].parents else {}
        changes = {p: e for p, e in commits[picked].tree.items() if before.get(p) != e}
        files = {p: Content(self.repository.read(p.decode(), picked), e[0]) for p, e in changes.items()}
        message = f"Pick\n\n(cherry picked from commit {picked})"
        self.repository.commit(files, message, branch="main", author=self.random.choice(PEOPLE))

    def _revert(self) -> None:
        """The previous versions of the files that the last commit changed."""
        head = branch_head(self, "main")
        parents = self.repository.commits[head].parents
        if parents:
            files = self._difference(head, parents[0])
            self.repository.commit(files, f'Revert "x"\n\nThis reverts commit {head}.')

    def _merge(self, *others: str, into: str, message: str | None = None) -> None:
        """A merge that combines lines of both sides, and sometimes adds lines of its own."""
        repository = self.repository
        heads = [repository.heads.get(other, other) for other in others]
        ours = branch_head(self, into)
        if ours in heads:
            return
        settled: dict[str | bytes, str | bytes | Content | None] = {}
        for path in sorted({p for h in (ours, *heads) for p in repository.commits[h].tree}):
            sides = [self._content(h, path) for h in (ours, *heads)]
            if len(set(sides)) > 1:
                settled[path] = self._settle(sides)
        if self.random.random() < 0.2:
            settled["src/main.py"] = self._new_lines(5)
        try:
            clean = {p: c for p, c in settled.items() if self.random.random() < 0.1}
            repository.merge(*others, into=into, files=clean, message=message)
        except ValueError:
            repository.merge(*others, into=into, files=settled, message=message)

    def _settle(self, sides: list[bytes | None]) -> bytes | None:
        present = [side for side in sides if side is not None]
        choice = self.random.randrange(len(sides) + 1)
        if choice < len(sides):
            return sides[choice]
        lines = [line for side in present for line in side.splitlines(keepends=True)]
        return b"".join(line for line in lines if self.random.random() < 0.7)

    def _content(self, commit: str, path: bytes) -> bytes | None:
        tree = self.repository.commits[commit].tree
        return self.repository.read(path.decode(), commit) if path in tree else None

    def _difference(self, old: str, new: str) -> dict[Text, Change]:
        """The changes from the tree of one commit to that of another."""
        before, after = self.repository.commits[old].tree, self.repository.commits[new].tree
        return {
            p: self._content(new, p) for p in before.keys() | after.keys() if before.get(p) != after.get(p)
        }

    def _commit(self, branch: str) -> None:
        repository = self.repository
        repository.clock += self.random.choices([0, 2 * DAY, 20 * DAY, 100 * DAY], [60, 20, 4, 2])[0]
        at = self.random.choices([None, 0, 4_294_967_295, repository.clock - 3 * DAY], [90, 1, 1, 5])[0]
        head = repository.heads.get(branch)
        tree = repository.commits[head].tree if head else {}
        files: dict[Text, Change] = {}
        for _ in range(self.random.randint(1, 3)):
            self._change(files, {p.decode(): p for p in tree}, head)
        words = self.random.choice(["Fix ABC-12", "feat: more (#7)", "Change", "Tidy up"])
        repository.commit(files, words, branch=branch, author=self.random.choice(PEOPLE), at=at)

    def _change(self, files: dict[Text, Change], paths: Mapping[str, bytes], head: str | None) -> None:
        existing = sorted(set(paths).difference(files))
        kind = self.random.choices(
            ["edit", "new", "rename", "delete", "copy", "binary"], [60, 15, 5, 4, 6, 3]
        )[0]
        path = self.random.choice(existing) if existing else None
        target = self.random.choice([p for p in PATHS if p not in paths] or list(PATHS))
        if kind == "new" or path is None:
            files[target] = self._new_lines(self.random.randint(0, 25))
            return
        lines = self.repository.read(path, head).splitlines(keepends=True)
        if kind == "delete":
            files[path] = None
        elif kind == "binary":
            files[path] = b"\0" + self.random.randbytes(40)
        elif kind in ("rename", "copy"):
            files[target] = b"".join(lines) if self.random.random() < 0.5 else self._edited(lines)
            if kind == "rename" and target != path:
                files[path] = None
        else:
            files[path] = self._edited(lines)

    def _edited(self, lines: list[bytes]) -> bytes:
        lines = list(lines)
        for _ in range(self.random.randint(1, 4)):
            at = self.random.randint(0, len(lines))
            piece = lines[at : at + self.random.randint(1, 6)]
            kind = self.random.randrange(7)
            if kind == 0:
                del lines[at : at + len(piece)]
            elif kind == 1:
                lines[at:at] = self._new_lines(self.random.randint(1, 8)).splitlines(keepends=True)
            elif kind == 2:  # moved
                del lines[at : at + len(piece)]
                to = self.random.randint(0, len(lines))
                lines[to:to] = piece
            elif kind == 3:  # reformatted
                lines[at : at + len(piece)] = [b"    " + line for line in piece]
            elif kind == 4:  # renamed throughout
                old, new = self.random.sample(_NAMES, 2)
                lines = [line.replace(old.encode(), new.encode()) for line in lines]
            elif kind == 5:
                lines[at : at + len(piece)] = self._new_lines(len(piece)).splitlines(keepends=True)
            elif lines:  # last line without newline, or lines of Windows
                lines = [line.rstrip(b"\r\n") + self.random.choice([b"\n", b"\n", b"\r\n"]) for line in lines]
                lines[-1] = lines[-1].rstrip(b"\r\n")
        return b"".join(lines)

    def _new_lines(self, count: int) -> bytes:
        return "".join(self._line() for _ in range(count)).encode()

    def _line(self) -> str:
        one, two, three = (self.random.choice(_NAMES) for _ in range(3))
        call, number = self.random.choice(_CALLS), self.random.randrange(1000)
        return self.random.choice(
            [
                f"{one} = {call}({two}, {number})\n",
                f"if {one} > {number}:\n    {two} = {call}({three}[{number}])\n",
                f"def {call}_{number}({one}, {two}):\n    return {one} + {two} * {number}\n",
                f"# {one} of {two} says {call} {number}\n",
                f"# see KEY-{number} and #{number}\n",
                "\n",
                f"{call}(\n    {one},\n    {two},\n)\n",
                "}\n",
            ]
        )


def branch_head(history: GrowingHistory, branch: str) -> str:
    """Commit that a branch points at."""
    return history.repository.heads[branch]
