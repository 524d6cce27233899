"""Limits on what one repository may contain, so that a hostile or damaged one fails alone and soon.

No real repository is known to come near them. Add: a limit on content, with its setting. Keep out: memory and time of
the processes that read (`supervision`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.errors import LimitExceeded

if TYPE_CHECKING:
    from ingest.settings import Settings

COMMIT_SHARE = 8
"""A commit may have an eighth of the bytes of a tree: the longest messages of known projects have some 100 kB."""


@dataclass(frozen=True)
class Limits:
    """Maximum numbers for one repository. The defaults are those of `Settings`."""

    refs: int = 200_000
    commit_paths: int = 1_000_000
    folder_depth: int = 200
    path_bytes: int = 16_384
    object_bytes: int = 64 * 1024 * 1024

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits of this machine."""
        return cls(
            settings.max_refs,
            settings.max_commit_paths,
            settings.max_folder_depth,
            settings.max_path_bytes,
            settings.max_object_mb * 1024 * 1024,
        )

    def check_refs(self, count: int) -> None:
        """Raise LimitExceeded for more branches and tags than the limit."""
        if count > self.refs:
            raise LimitExceeded(
                "EAS_MAX_REFS",
                f"it has {count:,} branches and tags, more than {self.refs:,}: delete some, or raise the limit",
            )

    def check_paths(self, count: int) -> None:
        """Raise LimitExceeded where more paths differ between two trees than the limit."""
        if count > self.commit_paths:
            raise LimitExceeded(
                "EAS_MAX_COMMIT_PATHS",
                f"it changes more than {self.commit_paths:,} files and folders: raise the limit if they are real",
            )

    def check_depth(self, depth: int) -> None:
        """Raise LimitExceeded for folders nested deeper than the limit."""
        if depth > self.folder_depth:
            raise LimitExceeded(
                "EAS_MAX_FOLDER_DEPTH",
                f"it has folders more than {self.folder_depth} levels deep: raise the limit if they are real",
            )

    def check_path(self, length: int) -> None:
        """Raise LimitExceeded for a path of more bytes than the limit."""
        if length > self.path_bytes:
            raise LimitExceeded(
                "EAS_MAX_PATH_BYTES",
                f"it has a path of {length:,} bytes, more than {self.path_bytes:,}: raise the limit if it is real",
            )

    def check_tree(self, sha: str, size: int) -> None:
        """Raise LimitExceeded for a tree of more bytes than the limit. Larger files are not read."""
        self._check_object("tree", sha, size, self.object_bytes)

    def check_commit(self, sha: str, size: int) -> None:
        """Raise LimitExceeded for a commit or tag of more bytes than its share of the limit.

        Messages stay in memory and become columns, so they may take less.
        """
        self._check_object("commit or tag", sha, size, self.object_bytes // COMMIT_SHARE)

    def _check_object(self, kind: str, sha: str, size: int, limit: int) -> None:
        if size > limit:
            raise LimitExceeded(
                "EAS_MAX_OBJECT_MB",
                f"the {kind} {sha} has {size:,} bytes, more than {limit:,}: raise the limit if it is real",
            )


DEFAULT_LIMITS = Limits()
