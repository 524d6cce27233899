"""The `.mailmap` of a repository: addresses of which a line in a file says that they are one person's.

Read as Git reads it, peculiarities included. Keep out: whom it joins, which is decided where all people are known
(dbt, identity): anybody who may commit can write anybody's address into it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pygit2

from ingest.git.diff.texts import read_blob
from ingest.git.objects.contents import ObjectProblem, Problem
from ingest.git.objects.trees import TreeReader

PATH: Final = ".mailmap"
MAX_BYTES: Final = 4 * 1024 * 1024
"""Some twenty times the largest of known projects."""
_FILE_MODES: Final = (b"100644", b"100755", b"100664")


class MailmapEntry(NamedTuple):
    """Commits of this address (and name, where given) are by this person; None: the commit's own stays."""

    commit_address: str
    commit_name: str | None
    proper_address: str | None
    proper_name: str | None


def parse(data: bytes) -> list[MailmapEntry]:
    """What holds in the end: one entry per address and name, in the order in which they come first."""
    found: dict[tuple[str, str | None], MailmapEntry] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        entry = _entry(line)
        if entry is not None:
            key = (
                _folded(entry.commit_address),
                None if entry.commit_name is None else _folded(entry.commit_name),
            )
            before = found.get(key)
            if before is not None and entry.commit_name is None:
                # Of an address alone a later line changes what it says and leaves the rest.
                entry = entry._replace(
                    proper_address=entry.proper_address or before.proper_address,
                    proper_name=entry.proper_name or before.proper_name,
                )
            found[key] = entry
    return list(found.values())


def _entry(line: str) -> MailmapEntry | None:
    if line.startswith("#"):
        return None
    first = _name_and_address(line)
    if first is None or not first[1]:
        return None
    name, address, rest = first
    second = _name_and_address(rest)
    if second is None:
        return MailmapEntry(address, None, None, name)
    return MailmapEntry(second[1], second[0], address, name)


def _name_and_address(text: str) -> tuple[str | None, str, str] | None:
    """Name (None for none), address, and what follows; None where no address in angle brackets stands."""
    name, opened, behind = text.partition("<")
    address, closed, rest = behind.partition(">")
    if not opened or not closed:
        return None
    return name.strip(" \t\r\v\f") or None, address, rest


def _folded(text: str) -> str:
    return text.encode().lower().decode()


def read_mailmap(
    repo: pygit2.Repository, tree: bytes | None, *, verify_hash: bool
) -> tuple[list[MailmapEntry], list[Problem]]:
    """The entries of the file at the top of a tree, and why there are none where it cannot be read."""
    try:
        entry = TreeReader(repo).difference(None, tree)[1].get(PATH.encode())
        if entry is None or entry[0] not in _FILE_MODES:
            return [], []
        text = read_blob(repo, entry, verify_hash=verify_hash)
    except ObjectProblem as problem:
        return [], [Problem(PATH, problem.sha, problem.reason, str(problem))]
    assert text is not None
    if text.size > MAX_BYTES:
        told = f"A mailmap of {text.size:,} bytes is not read, {MAX_BYTES:,} is the most: shorten it."
        return [], [Problem(PATH, text.sha, "too_large", told)]
    return parse(text.data), []
