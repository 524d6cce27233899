"""Objects of a repository as bytes, checked against their ids where nobody has done so before.

libgit2 can check too, but with a collision-detecting SHA-1 that is a quarter as fast, and each time an object
is read. A fetch of ours has checked everything; of a local repository each version is checked once, when the
commit that brought it is read.
"""

from __future__ import annotations

import hashlib

import pygit2


class CorruptObject(Exception):
    """The content of an object does not hash to its id."""


def check(oid: str, kind: bytes, data: bytes) -> None:
    """Raise CorruptObject unless `data` is the object `oid`. `kind` is blob, tree or commit."""
    found = hashlib.sha1(b"%s %d\0" % (kind, len(data)), usedforsecurity=False)
    found.update(data)
    if found.hexdigest() != oid:
        raise CorruptObject(f"object {oid} does not match its id; run `git fsck` to see what is damaged")


def leave_checks_to_us() -> None:
    """Switch libgit2's own hash verification off in this process."""
    pygit2.option(pygit2.enums.Option.ENABLE_STRICT_HASH_VERIFICATION, False)
