"""Invented work of several developers on one branch: they write functions, and change how the others' functions stand.

The steps after the writing would earn nothing or nearly nothing on the mainline: formats, sorts, renames of one word,
moves to another file, and removals that are taken back. Keep out: how the steps are delivered, and what they earn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.git_repository import GitRepository

PEOPLE = (
    "Ada Lovelace <ada@example.org>",
    "Grace Hopper <grace@example.org>",
    "Edsger Dijk <edsger@example.org>",
)
FILES = ("app/accounts.py", "app/billing.py", "lib/reports.py")
WORDS = (
    "amount", "balance", "branch", "charge", "client", "country", "credit", "currency", "deadline", "delivery",
    "discount", "entry", "fee", "folder", "holder", "invoice", "ledger", "limit", "margin", "market",
)  # fmt: skip
_CHANGES = ("format", "sort", "rename", "move", "return", "edit")


@dataclass(frozen=True)
class Step:
    """One commit: its kind, its author, and the files that it changes (None deletes)."""

    kind: str
    author: str
    files: Mapping[str, str | None]


class BranchWork:
    """The steps of one branch over `before`, the files of the mainline. The same seed gives the same steps."""

    def __init__(self, seed: int, functions: int = 12, changes: int = 4) -> None:
        self._random = Random(f"branch work {seed}")
        self._number = 0
        self._files = {path: [self._function()] for path in FILES}
        self._indent = dict.fromkeys(FILES, "    ")
        self.before = self._texts()
        self.steps: list[Step] = []
        for author in self._random.sample(PEOPLE, self._random.choice((2, 3))):
            self._step("write", author, self._write, functions)
        kinds = self._random.sample(_CHANGES, min(changes, len(_CHANGES)))
        for kind in kinds:
            author = self._random.choice(PEOPLE)
            self._step(kind, author, getattr(self, f"_{kind}"))
            if kind == "return":
                self._step(kind, author, self._restore)

    def _step(self, kind: str, author: str, change: Callable[..., None], *arguments: object) -> None:
        earlier = self._texts()
        change(*arguments)
        texts = self._texts()
        files = {path: texts.get(path) for path in {*earlier, *texts} if earlier.get(path) != texts.get(path)}
        self.steps.append(Step(kind, author, dict(sorted(files.items()))))

    def _texts(self) -> dict[str, str]:
        return {
            path: "\n\n".join(
                "\n".join(lines).replace("    ", self._indent[path]) + "\n" for lines in functions
            )
            for path, functions in self._files.items()
        }

    def _path(self) -> str:
        return self._random.choice(sorted(self._files))

    def _write(self, functions: int) -> None:
        path = self._path()
        self._files[path] += [self._function() for _ in range(functions)]

    def _format(self) -> None:
        self._indent[self._path()] = self._random.choice(("\t", "  "))

    def _sort(self) -> None:
        for functions in self._files.values():
            functions.sort(key=lambda lines: lines[0][::-1])

    def _rename(self) -> None:
        old = self._random.choice(WORDS)
        new = f"new_{old}"
        for path, functions in self._files.items():
            self._files[path] = [
                [" ".join(new if word == old else word for word in line.split(" ")) for line in lines]
                for lines in functions
            ]

    def _move(self) -> None:
        source = max(self._files, key=lambda path: len(self._files[path]))
        target = f"app/moved_{self._number}.py"
        self._files[target] = self._files[source][1:]
        self._files[source] = self._files[source][:1]
        self._indent[target] = self._indent[source]

    def _return(self) -> None:
        self._taken = max(self._files, key=lambda path: len(self._files[path]))
        self._kept = self._files[self._taken]
        self._files[self._taken] = self._kept[:1]

    def _restore(self) -> None:
        self._files[self._taken] = self._kept

    def _edit(self) -> None:
        for functions in self._files.values():
            functions[-1].insert(1, f"    {self._statement()}")

    def _function(self) -> list[str]:
        self._number += 1
        pick = self._random.choice
        names = ", ".join(self._random.sample(WORDS, self._random.randint(1, 4)))
        lines = [f"def {pick(WORDS)}_{pick(WORDS)}_{self._number}( {names.replace(', ', ' , ')} ):"]
        for _ in range(self._random.randint(4, 9)):
            if self._random.random() < 0.25:
                lines.append(f"    if {self._expression(2)} :")
                lines.append(f"        {self._statement()}")
            else:
                lines.append(f"    {self._statement()}")
        return [*lines, f"    return {self._expression(2)}"]

    def _statement(self) -> str:
        return f"{self._random.choice(WORDS)} = {self._expression(self._random.randint(1, 3))}"

    def _expression(self, depth: int) -> str:
        pick = self._random.choice
        if depth == 0:
            return pick((pick(WORDS), pick(WORDS), str(self._random.randint(2, 99)), f"'{pick(WORDS)}'"))
        left, right = self._expression(depth - 1), self._expression(self._random.randrange(depth))
        return pick(
            (
                f"{left} {pick('+-*/%')} {right}",
                f"{pick(WORDS)} ( {left} , {right} )",
                f"[ {left} , {right} ]",
                f"{left} if {right} else {pick(WORDS)}",
                f"not {left} or {right}",
                f"{pick(WORDS)} . {pick(WORDS)} [ {left} ]",
                f"{{ {left} : {right} }}",
            )
        )


def deliver(work: BranchWork, repository: GitRepository, how: str) -> None:
    """Deliver the work: `each` commit on the mainline, one `merge` of all, or one `squash`.

    Of the squashed pull request only the review ref remains, as in a clone of the product. `develop` is squashed twice,
    half of it each time, and then merged; what a step takes away and the next one brings back is in one half.
    """
    repository.commit(work.before, at=repository.clock)
    repository.clock += 30 * 86_400
    branch = repository.default_branch
    if how != "each":
        branch = "work"
        repository.branch(branch)
    half = len(work.steps) // 2
    half += [step.kind for step in work.steps[half : half + 2]] == ["return", "return"]
    files: dict[str, str | None] = {}
    for number, step in enumerate(work.steps):
        files |= step.files
        repository.commit(step.files, step.kind.capitalize(), branch=branch, author=step.author)
        if how == "develop" and number in (half, len(work.steps) - 1):
            repository.commit(files, "Release", author=PEOPLE[0])
            files = {}
    if how in ("merge", "develop"):
        repository.merge(branch, author=PEOPLE[0])
    elif how == "squash":
        repository.git("update-ref", "refs/eas/review/7", repository.heads[branch])
        repository.delete(branch)
        repository.commit({"README": "Notes of another change.\n"}, "Note", author=PEOPLE[0])
        repository.commit(files, "Accounts (#7)", author=PEOPLE[0])
