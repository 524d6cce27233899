"""Contents of objects as bytes, checked against their ids where no fetch has done so.

libgit2 can check too, but its collision-detecting SHA-1 is four times slower and runs at every read. Our own fetch
has checked every object; in a local repository each version is checked once, with the commit that added it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pygit2

MISSING, CORRUPT, MALFORMED = "object_missing", "object_corrupt", "malformed"
_CACHE_BYTES = 16 * 1024 * 1024
"""Limit of libgit2's cache of commits and trees, per process. Its default is 256 MB, and a history is read once."""
_KINDS = {
    b"commit": pygit2.enums.ObjectType.COMMIT,
    b"tree": pygit2.enums.ObjectType.TREE,
    b"blob": pygit2.enums.ObjectType.BLOB,
}


class ObjectProblem(Exception):
    """An object that cannot be read: `reason` is MISSING or CORRUPT. The message names the object and the remedy."""

    def __init__(self, reason: str, sha: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.sha = reason, sha

    def __reduce__(self) -> tuple[type[ObjectProblem], tuple[str, str, str]]:
        return ObjectProblem, (self.reason, self.sha, str(self))


@dataclass(frozen=True, slots=True)
class Problem:
    """An object that could not be read, or not in full: the file and object concerned, the reason, what to do."""

    path: str | None
    object_sha: str | None
    reason: str
    message: str


def missing(sha: str, kind: bytes) -> ObjectProblem:
    """The problem of an absent object."""
    message = f"The {kind.decode()} is not in this clone (partial or damaged): fetch it and run again."
    return ObjectProblem(MISSING, sha, message)


def corrupt(sha: str, kind: bytes, what: object) -> ObjectProblem:
    """The problem of an object that is present and unusable."""
    message = f"The {kind.decode()} cannot be read ({what}): run `git fsck`, then fetch or clone again."
    return ObjectProblem(CORRUPT, sha, message)


def unread(odb: pygit2.Odb, sha: str, kind: bytes, error: Exception) -> ObjectProblem:
    """The problem behind an error of libgit2, which reports some damaged objects as "not found"."""
    if not isinstance(error, KeyError):
        return corrupt(sha, kind, error)
    return corrupt(sha, kind, "the object is damaged") if odb.exists(sha) else missing(sha, kind)


def read(odb: pygit2.Odb, sha: str, kind: bytes, *, verify_hash: bool) -> bytes:
    """The content of an object that should be of `kind` (commit, tree, blob). Raises ObjectProblem."""
    try:
        found, data = odb.read(sha)
    except (KeyError, pygit2.GitError, ValueError) as error:
        raise unread(odb, sha, kind, error) from None
    if found != _KINDS[kind]:
        raise corrupt(sha, kind, "the object has another type")
    if verify_hash:
        check(sha, kind, data)
    return data


def check(sha: str, kind: bytes, data: bytes) -> None:
    """Raise ObjectProblem unless `data` is the object `sha`."""
    found = hashlib.sha1(b"%s %d\0" % (kind, len(data)), usedforsecurity=False)
    found.update(data)
    if found.hexdigest() != sha:
        raise corrupt(sha, kind, "its content does not match its hash")


def is_readable(odb: pygit2.Odb, sha: str) -> bool:
    """Whether an object that was a problem can be read now."""
    try:
        if not odb.exists(sha):
            return False
        kind, data = odb.read(sha)
        check(sha, next(name for name, number in _KINDS.items() if number == kind), data)
    except (ObjectProblem, KeyError, ValueError, StopIteration, pygit2.GitError):
        return False
    return True


def set_up_libgit2() -> None:
    """Switch off libgit2's own hash verification in this process, and keep its object cache small."""
    pygit2.option(pygit2.enums.Option.ENABLE_STRICT_HASH_VERIFICATION, False)
    pygit2.option(pygit2.enums.Option.SET_CACHE_MAX_SIZE, _CACHE_BYTES)
