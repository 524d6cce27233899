"""Commits of three repositories, day after day; one repository is on another machine.

Keep out: who reads them.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.end_to_end.histories import ASSISTED, varied
from tests.git_repository import ADA, GRACE, HOUR, GitRepository

PEOPLE = (ADA, GRACE, "Lin Lee <lin@houses.dev>", "Kim Park <kim@houses.dev>")
SUBJECTS = ("feat: count {}", "fix: {} was rounded down", "Rename {}", ASSISTED, "Measure {} again")


class Deliveries:
    """The repositories and what they got."""

    def __init__(self, folder: Path, remote: Path, chance: Random) -> None:
        self._chance, self._count = chance, 0
        self._repositories = [
            varied(GitRepository(folder / "house")),
            GitRepository(folder / "shed"),
            GitRepository(remote / "barn.git", bare=True),
        ]

    def of_day(self, now: float) -> None:
        """Commit to two or three repositories in the hours before now, now and then by way of a branch."""
        count = 3 if self._count == 0 else self._chance.choice([2, 3])
        for repository in self._chance.sample(self._repositories, count):
            repository.clock = max(repository.clock, int(now) - 9 * HOUR)
            for _ in range(self._chance.randrange(1, 4)):
                self._commit(repository)
            if self._chance.random() < 0.4:
                branch = f"topic-{self._count}"
                repository.branch(branch)
                self._commit(repository, branch)
                repository.merge(branch)

    def shas(self) -> set[str]:
        """All commits that a branch reaches."""
        return {
            sha for one in self._repositories for sha in one.git("rev-list", "--branches", "--tags").split()
        }

    def _commit(self, repository: GitRepository, branch: str | None = None) -> None:
        self._count += 1
        name = f"part_{self._count}"
        lines = "".join(
            f"def {name}_{row}(size):\n    return round(size * {row + 1} + offset('{name}'), {row % 7})\n\n\n"
            for row in range(self._chance.randrange(1, 20))
        )
        changed = f"src/area_{self._chance.randrange(6)}.py"
        repository.commit(
            {f"src/{name}.py": lines, changed: f"area = {name}_0({self._count})\nlast = area + 1\n"},
            self._chance.choice(SUBJECTS).format(name),
            branch=branch,
            author=self._chance.choice(PEOPLE),
        )
