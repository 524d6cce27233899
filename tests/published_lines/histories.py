"""Reads the Git history of a library: texts of its versions, and the day on which each line came out.

A history is read every second week, and at each tag where these are few. Its lines are as old as the first such
version with them.
Keep out: which library a text belongs to (`attribution`).
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from ingest.git.published.compared_lines import compared_lines
from ingest.git.published.known_libraries import SECONDS_A_DAY
from tests.published_lines.archives import FIRST_DAY, PublishedText, is_named, is_read
from tests.published_lines.library_list import Library

_VERSION: Final = re.compile(r"\d+[._-]\d+")
_TAG: Final = re.compile(r"tag: refs/tags/([^,]+)")
_PREVIEW: Final = re.compile(r"(?i)alpha|beta|rc\d*$|[.-]m\d+$")
_DAYS_BETWEEN: Final = 14
_MOST_TAGS: Final = 400
"""Tags from which on each change has one."""
_CONVERTED: Final = 100
"""Commits of one day, written over more than a year, from which on a tool wrote them: their authors tell the day."""
_YEAR: Final = 365
_LATEST: Final = 2**16 - 1
_PART: Final = 500
"""Files that are read at once."""


class _Version(NamedTuple):
    """A state of the history, the day since 1970 on which it came out, and the tag, where it has one."""

    day: int
    commit: str
    tag: str | None = None


class _File(NamedTuple):
    blob: str
    path: str


def read_older(library: Library, repository: Path, before: int) -> Iterator[PublishedText]:
    """The texts of states of a library's history before a day."""
    older = library._replace(most=library.older, versions=(), parts=library.older_parts)
    return read_versions(older, repository, before)


def read_versions(library: Library, repository: Path, before: int = _LATEST) -> Iterator[PublishedText]:
    """The texts of spread versions of a library before a day, each once, or of those that the list names."""
    found = [one for one in _versions(repository, library.dates) if one.day < before]
    chosen = _spread(found, library.most)
    if library.versions:
        chosen = [one for one in found if one.tag in library.versions]
    seen: set[str] = set()
    for version in chosen:
        files = {
            file.blob: file
            for file in _files(repository, version.commit, library.parts)
            if file.blob not in seen
        }
        seen |= files.keys()
        for file, data in _texts(repository, list(files.values())):
            if is_read(f"package/{file.path}", len(data)):
                yield PublishedText(library.name, version.day, file.path, data)


def line_days(library: Library, repository: Path, names: Collection[str]) -> dict[int, int]:
    """The day on which a history first had each line of the files with these names, by the line's number."""
    days: dict[int, int] = {}
    seen: set[str] = set()
    before = -_DAYS_BETWEEN
    # Sources have the folders of the history, packages for users do not.
    parts = library.parts if library.source in ("git", "debian") else ()
    versions = _versions(repository, library.dates)
    are_few = sum(version.tag is not None for version in versions) <= _MOST_TAGS
    for version in versions:
        is_read_anyway = (version.tag is not None and are_few) or version is versions[-1]
        if version.day - before < _DAYS_BETWEEN and not is_read_anyway:
            continue
        before = version.day
        files = {
            file.blob: file
            for file in _files(repository, version.commit, parts)
            if file.blob not in seen and file.path.rpartition("/")[2] in names
        }
        seen |= files.keys()
        for _, text in _texts(repository, list(files.values())):
            for number in compared_lines(text).tolist():
                days.setdefault(number, version.day)
    return days


def add_package_days(found: Sequence[PublishedText], days: dict[int, int]) -> None:
    """Add lines of packages that the history lacks, as one may hold what a tool built: they are
    younger than the version before.
    """
    before: int | None = None
    for day, texts in groupby(sorted(found, key=lambda text: text.day), key=lambda text: text.day):
        for text in texts:
            for number in compared_lines(text.data).tolist():
                days.setdefault(number, day if before is None else before + 1)
        before = day


def _spread(versions: Sequence[_Version], most: int) -> list[_Version]:
    """At most so many states, evenly spread over the years: of each part the last one with a tag, or the last one."""
    if not versions:
        return []
    first, last = versions[0].day, versions[-1].day
    chosen: dict[int, _Version] = {}
    for version in versions:
        part = (version.day - first) * most // (last - first + 1)
        if version.tag is not None or part not in chosen or chosen[part].tag is None:
            chosen[part] = version
    return list(chosen.values())


def _versions(repository: Path, dates: Mapping[str, date]) -> list[_Version]:
    """The states of the main line and those with a tag of a version, the oldest first."""
    days = _days(repository)
    tags: dict[str, str] = {}
    output = _git(repository, "log", "--no-walk", "--tags", "--decorate=full", "--format=%H %D")
    for line in output.decode("utf-8", "replace").splitlines():
        commit, _, decorations = line.partition(" ")
        for name in sorted(_TAG.findall(decorations)):
            if _VERSION.search(name) and not _PREVIEW.search(name):
                tags.setdefault(commit, name)
    main = _git(repository, "rev-list", "--first-parent", "HEAD").decode().split()
    days |= {commit: (dates[tag] - FIRST_DAY).days for commit, tag in tags.items() if tag in dates}
    found = {commit: _Version(days[commit], commit, tags.get(commit)) for commit in [*tags, *main]}
    return sorted(found.values(), key=lambda one: one.day)


def _days(repository: Path) -> dict[str, int]:
    """The day of each commit: that of its committer, or of its author where a tool converted the history."""
    output = _git(repository, "log", "--format=%H %at %ct", "--tags", "HEAD").decode()
    rows = [
        (commit, int(author) // SECONDS_A_DAY, int(committer) // SECONDS_A_DAY)
        for commit, author, committer in (line.split() for line in output.splitlines())
    ]
    commits = Counter(committed for _, _, committed in rows)
    first = dict.fromkeys(commits, _LATEST)
    for _, written, committed in rows:
        first[committed] = min(first[committed], written)
    converted = {day for day, count in commits.items() if count >= _CONVERTED and day - first[day] > _YEAR}
    return {
        commit: min(max(written if committed in converted else committed, 0), _LATEST)
        for commit, written, committed in rows
    }


def _files(repository: Path, commit: str, parts: Sequence[str] = ()) -> Iterator[_File]:
    """The texts below these folders that people may copy."""
    listed = _git(repository, "ls-tree", "-r", "-z", commit, "--", *parts).decode("utf-8", "replace")
    for line in filter(None, listed.split("\0")):
        facts, _, path = line.partition("\t")
        _, kind, blob = facts.split()
        if kind == "blob" and is_named(f"package/{path}"):
            yield _File(blob, path)


def _texts(repository: Path, files: Sequence[_File]) -> Iterable[tuple[_File, bytes]]:
    for first in range(0, len(files), _PART):
        part = files[first : first + _PART]
        packed = subprocess.run(
            ["git", "-C", repository, "cat-file", "--batch"],
            input="".join(f"{file.blob}\n" for file in part).encode(),
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        start = 0
        for file in part:
            end = packed.index(b"\n", start)
            *_, size_or_missing = packed[start:end].split()
            if size_or_missing == b"missing":
                # A copy of a repository may lack its largest files.
                start = end + 1
                continue
            size = int(size_or_missing)
            yield file, packed[end + 1 : end + 1 + size]
            start = end + size + 2


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], stdout=subprocess.PIPE, check=True).stdout
