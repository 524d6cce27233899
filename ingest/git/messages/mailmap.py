"""The `.mailmap` of a repository, a file that maps commit addresses to people.

It is read as Git reads it, peculiarities included. Keep out: joining people (identity, in dbt): any committer can
write any address into this file.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pygit2

from ingest.git.diff.texts import read_blob
from ingest.git.objects.contents import ObjectProblem, Problem
from ingest.git.objects.trees import TreeReader

PATH: Final = ".mailmap"
MAX_BYTES: Final = 4 * 1024 * 1024
"""About twenty times the largest file of known projects."""
_FILE_MODES: Final = (b"100644", b"100755", b"100664")


class MailmapEntry(NamedTuple):
    """The proper name and address for commits with this address (and name, if given); None keeps the commit's own."""

    commit_address: str
    commit_name: str | None
    proper_address: str | None
    proper_name: str | None


def parse(data: bytes) -> list[MailmapEntry]:
    """The effective entries: one per address and name, in order of first appearance."""
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
                # A later line for the same address replaces only the parts that it gives.
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
    """Name (None if empty), address and the rest of the line; None without an address in angle brackets."""
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
    """The entries of the file at the top of a tree, or the problem that prevents reading it."""
    try:
        entry = TreeReader(repo).difference(None, tree)[1].get(PATH.encode())
        if entry is None or entry[0] not in _FILE_MODES:
            return [], []
        text = read_blob(repo, entry, verify_hash=verify_hash)
    except ObjectProblem as problem:
        return [], [Problem(PATH, problem.sha, problem.reason, str(problem))]
    assert text is not None
    if text.size > MAX_BYTES:
        message = f"The mailmap has {text.size:,} bytes, more than the limit of {MAX_BYTES:,}: shorten it."
        return [], [Problem(PATH, text.sha, "too_large", message)]
    return parse(text.data), []
