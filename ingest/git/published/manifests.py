"""Manifests and titles that say what a repository is: the library itself, whatever its address is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_MANIFESTS: Final = re.compile(
    r"(?i)(?:package|bower|component|composer|manifest)\.json|setup\.(?:py|cfg)|(?:pyproject|cargo)\.toml|pom\.xml"
    r"|[\w.-]+\.(?:gemspec|podspec|nuspec|cabal|rockspec)|cmakelists\.txt|configure\.(?:ac|in)|mix\.exs|description"
)
_README: Final = re.compile(r"(?i)read[-_]?me(?:\.\w+)?")
_NAMES: Final = re.compile(
    r"(?im)[\"']?\b(?:name|package)\b[\"']?\s{0,9}[:=]\s{0,9}[\"']?(?P<named>[@\w./-]{2,60})"
    r"|<(?:artifactId|name|id)>\s{0,9}(?P<tagged>[^<\n]{2,60})</"
    r"|\b(?:project|AC_INIT)\s{0,9}\(\s{0,9}\[?(?P<called>[\w.-]{2,60})"
)
_TITLE: Final = re.compile(r"\w[^\n]{1,80}")
_TITLE_END: Final = re.compile(r"[:|(<\u2013\u2014]|\s-")
# What a project of Maven depends on, and of which it is a part
_PARENT: Final = re.compile(r"<parent>.{0,2000}?</parent>", re.DOTALL)
_DEPENDENCIES: Final = re.compile(r"<(?:dependencies|dependencyManagement|build|modules|profiles)>")
_MOST: Final = 4_096
_WORD: Final = re.compile(r"[^a-z0-9]+")
_KIND: Final = re.compile(r"(?<=\w) (?:js|css)$")


def words(name: str) -> str:
    """A name as its words, so that `jquery-ui` and `jQuery UI` are one."""
    return _WORD.sub(" ", name.lower()).strip()


def is_manifest(path: str) -> bool:
    """Whether a file at the top of the tree may name the project."""
    return "/" not in path and (_MANIFESTS.fullmatch(path) or _README.fullmatch(path)) is not None


def named_library(path: str, data: bytes, libraries: Sequence[str]) -> str | None:
    """The library that a manifest, or the title of a README, names as the project itself."""
    text = data[:_MOST].decode("utf-8", "replace")
    if _README.fullmatch(path) is not None:
        title = _TITLE.search(text)
        named = [] if title is None else [words(_TITLE_END.split(title[0], maxsplit=1)[0])]
    else:
        text = _DEPENDENCIES.split(_PARENT.sub("", text), maxsplit=1)[0]
        named = [words(match[match.lastgroup or 0].rpartition("/")[2]) for match in _NAMES.finditer(text)]
    # `Moment.js` is the package `moment`.
    names = {_KIND.sub("", name) for name in named}
    return next((library for library in libraries if _KIND.sub("", words(library)) in names), None)
