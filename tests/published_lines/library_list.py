"""The list of libraries whose lines the index holds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

LIST: Final = Path(__file__).with_name("libraries.toml")
_SOURCES: Final = ("npm", "pypi", "debian", "git")
_KNOWN: Final = {"name", "most", "versions", "parts", "dates", "histories", "older", "older_parts"}


class Library(NamedTuple):
    """One library: its name, which its own repositories have too, and where to get it.

    `source` is npm, pypi, debian or git, and `package` the name there; of git, the owner and name of a repository.
    `versions` are those to read, else `most` spread ones. Where `parts` is not empty, only files below these folders
    are read. `dates` has the days of versions that their packages hide, `histories` the repositories that tell how old
    the lines of a package are. The first of them is read at `older` states before the first version of the package,
    below `older_parts`.
    """

    name: str
    source: str
    package: str
    most: int
    versions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    dates: Mapping[str, date] = {}
    histories: tuple[str, ...] = ()
    older: int = 0
    older_parts: tuple[str, ...] = ()


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
    sources = [source for source in _SOURCES if source in entry]
    if len(sources) != 1 or "name" not in entry or entry.keys() - _KNOWN - set(sources):
        raise ValueError(
            f"Give {entry} a name and one of {', '.join(_SOURCES)}. It may also have {', '.join(sorted(_KNOWN))}."
        )
    return Library(
        str(entry["name"]),
        sources[0],
        str(entry[sources[0]]),
        int(str(entry.get("most", 8))),
        tuple(_words(entry.get("versions", []))),
        tuple(_words(entry.get("parts", []))),
        _dates(entry.get("dates", {})),
        tuple(_words(entry.get("histories", [entry["git"]] if "git" in entry else []))),
        int(str(entry.get("older", 0))),
        tuple(_words(entry.get("older_parts", []))),
    )


def _words(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} should be a list of words.")
    return [str(word) for word in value]


def _dates(value: object) -> dict[str, date]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} should have a day for each version.")
    return {str(version): date.fromisoformat(str(day)) for version, day in value.items()}
