"""The list of mutations: small changes of the product, each of which is a fault that the tests ought to find.

Add: a fault that somebody could make by mistake, in `lists/`. Keep out: changes that no user could notice, and text
that is no valid program: any test would find it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "lists"
# Sources that are compiled before the tests can see them.
COMPILED = frozenset({".pyx", ".pxi"})


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: `old`, which stands once in `file`, is replaced by `new`.

    `targets` are files, folders or ids of tests, the likeliest finder first. `only_on_postgresql` marks a fault that
    SQLite hides.
    """

    name: str
    area: str
    file: str
    old: str
    new: str
    targets: tuple[str, ...]
    only_on_postgresql: bool = False

    @property
    def is_compiled(self) -> bool:
        """Whether the file has to be compiled."""
        return Path(self.file).suffix in COMPILED

    def mutated(self, root: Path) -> str:
        """The text of the file with the fault. Raises ValueError where `old` does not stand exactly once."""
        text = (root / self.file).read_text()
        if (found := text.count(self.old)) != 1:
            raise ValueError(f"{self.file} has the text to replace {found} times: {self.name}")
        return text.replace(self.old, self.new)


def mutations() -> list[Mutation]:
    """All mutations, in the order of the files in `lists/`."""
    return [
        Mutation(area=file.stem.replace("_", " "), **one | {"targets": tuple(one["targets"])})
        for file in sorted(LISTS.glob("*.toml"))
        for one in tomllib.loads(file.read_text())["mutation"]
    ]


def path_of(target: str) -> str:
    """The file or folder of a target."""
    return target.partition("::")[0]
