"""The list of libraries whose lines the index holds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

LIST: Final = Path(__file__).with_name("libraries.toml")


class Library(NamedTuple):
    """One library: its name, which its own repositories have too, and where to get it.

    `source` is npm, pypi or debian, and `package` the name there. `versions` are those to read, else `most` spread
    ones. Where `parts` is not empty, only files below these folders are read. `dates` has the days of versions that
    their packages hide, `tags` the repository whose tags tell how old the lines of a package are.
    """

    name: str
    source: str
    package: str
    most: int
    versions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    dates: Mapping[str, date] = {}
    tags: str | None = None


def read_list(path: Path = LIST) -> list[Library]:
    """The libraries, in the order of the list. Raises ValueError for an entry that is not complete."""
    with path.open("rb") as file:
        entries = tomllib.load(file)["library"]
    libraries = [_library(entry) for entry in entries]
    names = [library.name for library in libraries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{path} names {', '.join(twice)} twice. Join the entries.")
    return libraries


def _library(entry: dict[str, object]) -> Library:
    known = {"name", "npm", "pypi", "debian", "most", "versions", "parts", "dates", "tags"}
    sources = [source for source in ("npm", "pypi", "debian") if source in entry]
    if len(sources) != 1 or "name" not in entry or entry.keys() - known:
        raise ValueError(
            f"Give {entry} a name and one of npm, pypi and debian. It may also have {sorted(known)}."
        )
    return Library(
        str(entry["name"]),
        sources[0],
        str(entry[sources[0]]),
        int(str(entry.get("most", 8))),
        tuple(_words(entry.get("versions", []))),
        tuple(_words(entry.get("parts", []))),
        _dates(entry.get("dates", {})),
        str(entry["tags"]) if "tags" in entry else None,
    )


def _words(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} should be a list of words.")
    return [str(word) for word in value]


def _dates(value: object) -> dict[str, date]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} should have a day for each version.")
    return {str(version): date.fromisoformat(str(day)) for version, day in value.items()}
