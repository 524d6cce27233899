"""Days of lines by the tags of a library's repository, where a package has only one version.

Only the days are taken from there: the lines are those of the package. Keep out: lines that the package lacks.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from ingest.git.published.compared_lines import compared_lines
from ingest.git.published.known_libraries import SECONDS_A_DAY

_VERSION: Final = re.compile(r"\d+[._-]\d+")
_PREVIEW: Final = re.compile(r"(?i)alpha|beta|rc\d*$|[.-]m\d+$")
_MOST_TAGS: Final = 24


def tag_days(repository: Path, names: Collection[str]) -> dict[int, int]:
    """The day on which a tagged version first had each line of the files with these names, by the line's number."""
    days: dict[int, int] = {}
    seen: set[str] = set()
    for tag, day in _tags(repository):
        listed = _git(repository, "ls-tree", "-r", tag).decode("utf-8", "replace").splitlines()
        entries = [line.split(maxsplit=3) for line in listed]
        blobs = {
            entry[2] for entry in entries if entry[1] == "blob" and entry[3].rpartition("/")[2] in names
        } - seen
        seen |= blobs
        for text in _texts(repository, sorted(blobs)):
            for number in compared_lines(text).tolist():
                days.setdefault(number, day)
    return days


def _tags(repository: Path) -> list[tuple[str, int]]:
    """Versions and their days, the oldest first, at most `_MOST_TAGS` spread ones; commits where nothing is tagged."""
    form = "--format=%(refname) %(creatordate:unix)"
    lines = _git(repository, "for-each-ref", "--sort=creatordate", form, "refs/tags").decode().splitlines()
    found = [(name, int(time) // SECONDS_A_DAY) for name, time in (line.split() for line in lines)]
    versions = [one for one in found if _VERSION.search(one[0]) and not _PREVIEW.search(one[0])]
    if not versions:
        commits = (
            _git(repository, "log", "--first-parent", "--reverse", "--format=%H %ct").decode().splitlines()
        )
        versions = [(sha, int(time) // SECONDS_A_DAY) for sha, time in (line.split() for line in commits)]
    step = max(1, len(versions) // _MOST_TAGS)
    return versions[::step]


def _texts(repository: Path, blobs: list[str]) -> Iterator[bytes]:
    packed = subprocess.run(
        ["git", "-C", repository, "cat-file", "--batch"],
        input="".join(f"{blob}\n" for blob in blobs).encode(),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    start = 0
    for _ in blobs:
        end = packed.index(b"\n", start)
        size = int(packed[start:end].split()[-1])
        yield packed[end + 1 : end + 1 + size]
        start = end + size + 2


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], stdout=subprocess.PIPE, check=True).stdout
