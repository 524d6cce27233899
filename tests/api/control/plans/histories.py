"""Delivered commits for tests of grants: invented object ids, the same for the same name and number."""

import hashlib

from api.control.plans.grants import ID_BYTES, Commits


def ids(name: str, total: int) -> list[bytes]:
    """Ids of the first commits of a history."""
    return [hashlib.sha1(f"{name} {number}".encode()).digest()[:ID_BYTES] for number in range(total)]


def commits(name: str, total: int, before_start: int = 0) -> Commits:
    """A repository whose commits no other one has."""
    return Commits(name, ids(name, total), before_start)
