"""A repository in which the same work is committed in one way: honestly, or so that it could earn more.

Each scenario has its own repository in one organization, so one build scores all of them. The code is the standard
library's. Its names carry the number of the repository, because otherwise the repositories would be duplicates.
Keep out: how much a scenario may earn (scenario_bars.py).
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import keyword
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.git_repository import HOUR, START, GitRepository

DAY = 24 * HOUR
TASKS = [("textwrap", "fnmatch"), ("shlex", "sched"), ("csv", "netrc"), ("calendar", "cmd")]
"""Pairs of modules: the work extends the first one and adds the second one."""
LARGE = [
    "argparse",
    "tarfile",
    "pydoc",
    "typing",
    "doctest",
    "inspect",
    "subprocess",
    "zipfile",
    "difflib",
    "pickle",
]
NEW_STATEMENTS = 14
_KNOWN = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self"}
_NAME = re.compile(r"\b[a-z_]{4,}\b")

Files = dict[str, str]


@dataclass(frozen=True)
class Work:
    """The files of a repository before and after a task; `number` is the number of the task."""

    number: int
    before: Files
    after: Files

    @classmethod
    @cache
    def of_task(cls, number: int, *, plain: bool = False) -> Work:
        """Before: the first module without a third of its functions, with some other names. After: both modules."""
        rng = random.Random(number)
        old, new = (inspect.getsource(importlib.import_module(name)) for name in TASKS[number])
        if plain:
            old, new = plain_code(old), plain_code(new)
        lines = old.splitlines(keepends=True)
        missing: set[int] = set()
        for function in ast.walk(ast.parse(old)):
            if isinstance(function, ast.FunctionDef) and rng.random() < 0.35:
                missing |= set(range(function.lineno - 1, function.end_lineno or function.lineno))
        before = [
            with_names(line, "earlier_") if rng.random() < 0.06 else line
            for at, line in enumerate(lines)
            if at not in missing
        ]
        first = "".join(statements(new)[:NEW_STATEMENTS])
        return cls(number, {"src/one.py": "".join(before)}, {"src/one.py": old, "src/two.py": first})

    def steps(self, count: int) -> list[Files]:
        """The files after each of `count` steps; a step applies whole hunks of the difference."""
        return self._cumulated([hunk * count // len(self._hunks) for hunk in range(len(self._hunks))], count)

    def backwards(self, count: int) -> list[Files]:
        """The files after each of `count` steps, with the last hunks first."""
        last = len(self._hunks) - 1
        return self._cumulated([(last - hunk) * count // (last + 1) for hunk in range(last + 1)], count)

    def interleaved(self, count: int) -> list[Files]:
        """The files after each step; a step adds every `count`-th line, the first step makes all removals."""
        found = []
        for step in range(count):
            files = {}
            for path, new in self.after.items():
                lines, position = [], 0
                for tag, _, _, start, stop in _places(self.before.get(path, ""), new):
                    for line in new.splitlines(keepends=True)[start:stop]:
                        position += tag != "equal"
                        if tag == "equal" or position % count <= step:
                            lines.append(line)
                files[path] = "".join(lines)
            found.append(files)
        return found

    def without_texts(self) -> Work:
        """The same task without comments and docstrings."""
        return self.of_task(self.number, plain=True)

    @property
    def _hunks(self) -> list[tuple[str, int]]:
        found = []
        for path, new in self.after.items():
            places = _places(self.before.get(path, ""), new)
            found += [(path, at) for at, place in enumerate(places) if place[0] != "equal"]
        return found

    def _cumulated(self, step_of: list[int], count: int) -> list[Files]:
        steps = dict(zip(self._hunks, step_of, strict=True))
        found = []
        for step in range(count):
            files = {}
            for path, new in self.after.items():
                old_lines = self.before.get(path, "").splitlines(keepends=True)
                new_lines = new.splitlines(keepends=True)
                lines = []
                for at, place in enumerate(_places(self.before.get(path, ""), new)):
                    tag, old_start, old_stop, start, stop = place
                    is_made = tag == "equal" or steps[path, at] <= step
                    lines += new_lines[start:stop] if is_made else old_lines[old_start:old_stop]
                if lines:
                    files[path] = "".join(lines)
            found.append(files)
        return found


@dataclass
class Scenario:
    """A repository with the work committed in one way. Only commits after `start` count."""

    work: Work
    number: int
    path: Path
    repository: GitRepository = field(init=False)
    start: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repository = GitRepository(self.path)
        self.worker = f"Worker{self.number:03} Smith <worker{self.number}@example.org>"
        self.other = f"Other{self.number:03} Jones <other{self.number}@example.org>"

    def begin(self, before: Mapping[str, str] | None = None) -> Scenario:
        """Commit old code of another author, two months before the work."""
        files = self.own(self.work.before if before is None else before)
        stranger = f"Stranger{self.number:03} Doe <stranger{self.number}@example.org>"
        self.start.append(self.repository.commit(files | {"README": "x\n"}, "Start", author=stranger))
        self.repository.clock = START + 60 * DAY
        return self

    def own(self, files: Mapping[str, str]) -> Files:
        """The files with names that are unique to this repository."""
        return {path: with_names(text, f"n{self.number:03}_") for path, text in files.items()}

    def commit(
        self,
        files: Mapping[str, str | None],
        message: str = "Do the work",
        *,
        branch: str = "main",
        author: str | None = None,
        after_days: float = 0,
    ) -> str:
        self.repository.clock += int(after_days * DAY)
        kept = self.own({path: text for path, text in files.items() if text is not None})
        gone = dict.fromkeys(path for path, text in files.items() if text is None)
        return self.repository.commit(kept | gone, message, branch=branch, author=author or self.worker)

    def merge(self, branch: str) -> str:
        return self.repository.merge(branch, author=self.worker)

    def do(self, message: str = "Do the work") -> Scenario:
        """Commit the whole work at once."""
        self.commit(self.work.after, message)
        return self


Variant = Callable[[Scenario], object]


@cache
def formatted(text: str, width: int, quotes: str = "double") -> str:
    """`text` formatted by ruff."""
    options = ["--isolated", f"--line-length={width}", f"--config=format.quote-style='{quotes}'"]
    command = [sys.executable, "-m", "ruff", "format", *options, "--stdin-filename=x.py", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode()


def names_changed(text: str, prefix: str = "other_") -> str:
    """`text` with every second name replaced, except called names."""
    called = set(re.findall(r"\w+(?=\()", text))
    names = sorted(set(_NAME.findall(text)) - _KNOWN - called)[::2]
    chosen = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")
    return chosen.sub(lambda match: prefix + match[0], text)


def plain_code(text: str) -> str:
    """`text` without comments and docstrings, a statement on each line."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            del node.body[0]
    return ast.unparse(tree) + "\n"


def library(start: int, count: int) -> list[str]:
    """`count` consecutive lines of large modules, without repetition."""
    whole = [line for name in LARGE for line in module(name)]
    assert count + start <= len(whole)
    return whole[start : start + count]


def module(name: str) -> list[str]:
    """Lines of a module of the standard library."""
    return inspect.getsource(importlib.import_module(name)).splitlines(True)


def statements(text: str) -> list[str]:
    """The top-level statements of a module, each with the comments above it."""
    lines = text.splitlines(keepends=True)
    ends = [0, *(node.end_lineno or 0 for node in ast.parse(text).body)]
    ends[-1] = len(lines)
    return ["".join(lines[start:stop]) for start, stop in pairwise(ends)]


def with_names(text: str, prefix: str) -> str:
    return _NAME.sub(lambda match: match[0] if match[0] in _KNOWN else prefix + match[0], text)


@cache
def _places(old: str, new: str) -> Sequence[tuple[str, int, int, int, int]]:
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
