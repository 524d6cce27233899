"""Ids of repositories and commits, the same on every machine.

Keep out: how a remote URL is normalized (`remote.url`).
"""

import hashlib
import uuid
from collections.abc import Iterable
from functools import lru_cache

CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"})


def root_key(root_shas: Iterable[str]) -> str:
    """Natural key of a repository without a remote: its root commits."""
    return ",".join(sorted(root_shas))


def repository_id(organization_id: str, natural_key: str) -> str:
    """UUIDv5 of a repository from its normalized remote URL (or `root_key`)."""
    if natural_key.partition("/")[0] in CASELESS_HOSTS:
        natural_key = natural_key.lower()
    return str(uuid.uuid5(uuid.UUID(organization_id), f"repository:{natural_key}"))


@lru_cache(maxsize=64)
def _commit_hash(organization_id: str) -> "hashlib._Hash":
    return hashlib.sha1(uuid.UUID(organization_id).bytes + b"commit:", usedforsecurity=False)


_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def commit_id(organization_id: str, sha: str) -> str:
    """UUIDv5 of a commit: equals `uuid.uuid5(organization, "commit:" + sha)` at a fifth of its time."""
    digest = _commit_hash(organization_id).copy()
    digest.update(sha.encode())
    h = digest.hexdigest()
    return f"{h[:8]}-{h[8:12]}-5{h[13:16]}-{_VARIANT[h[16]]}{h[17:20]}-{h[20:32]}"
