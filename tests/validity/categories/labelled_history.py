"""Writes labelled rows as a Git history, which the product reads like any other.

A row is a commit on the default branch or on a merged branch. Time and content are invented, and the same for every
row, because the set lacks them.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.git_repository import Content, GitRepository, Text

Files = dict[Text, Text | Content | None]
PERSON = "Ada Lovelace <ada@people.example.org>"
# Repack after this many commits, because each loose object is a separate file.
_COMMITS_PER_PACK = 2000
# Every commit writes its whole tree.
_MAX_FILES = 50


@dataclass(frozen=True)
class Lines:
    """How many lines the commit adds to its file and deletes from it."""

    added: int = 1
    deleted: int = 0


class LabelledHistory:
    """A bare repository under construction. `say` commits a row and returns the SHA."""

    def __init__(self, path: Path) -> None:
        self.repository = GitRepository(path, bare=True)
        # Repositories without an address are distinguished by their first commit.
        self.repository.commit({"src/start.py": "start = 1\n"}, f"Start {path.stem}")
        self._told = 0
        self._repacked = 0
        self._stale: list[str] = []

    @property
    def path(self) -> Path:
        return self.repository.path

    def say(
        self,
        message: str,
        *,
        author: str = PERSON,
        committer: str | None = None,
        branch: str | None = None,
        lines: Lines | None = None,
    ) -> str:
        """One row. With a branch, the commit is made there and merged as hosts do it.

        Each row has a separate file. If the row deletes lines, an unlabelled commit adds them first.
        """
        lines = lines or Lines()
        self._told += 1
        path = f"src/row_{self._told}.py"
        if lines.deleted or len(self._stale) == _MAX_FILES:
            prepared: Files = dict.fromkeys(self._stale)
            if lines.deleted:
                prepared[path] = self._text("old", lines.deleted)
            self.repository.commit(prepared, "Prepare the next row")
            self._stale.clear()
        files: Files = {path: self._text("new", lines.added) or None} if lines.added or lines.deleted else {}
        if files.get(path):
            self._stale.append(path)
        if branch is None:
            sha = self.repository.commit(files, message, author=author, committer=committer or author)
        else:
            self.repository.branch(branch)
            sha = self.repository.commit(
                files, message, author=author, committer=committer or author, branch=branch
            )
            title = f"Merge pull request #{self._told} from someone/{branch}"
            self.repository.merge(branch, message=title)
            self.repository.delete(branch)
        self._keep_packed()
        return sha

    def finish(self) -> Path:
        """Pack and return the repository."""
        self.repository.repack()
        return self.path

    def _text(self, kind: str, count: int) -> str:
        return "".join(f"{kind}_{self._told}_{number} = {number}\n" for number in range(count))

    def _keep_packed(self) -> None:
        if self._told - self._repacked >= _COMMITS_PER_PACK:
            self._repacked = self._told
            self.repository.repack()
