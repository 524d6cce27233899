"""Git attributes of files, from the `.gitattributes` of their folders by Git's own pattern rules.

Keep out: facts from path and content (`roles`, `provenance`), finding the `.gitattributes`
(`changes.change_reader`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ingest.git.files.language_hints import names_origin

# The file is untrusted input; no real repository needs more patterns than this.
_PATTERN_LIMIT: Final = 5_000
_KNOWN_LIMIT: Final = 65_536
_LINE = re.compile(rb'\s*("(?:[^"\\]|\\.)*"|\S+)\s+(.*)', re.DOTALL)
_STARS_AFTER_TEXT: Final = re.compile(r"[^*?\[\\]*[^*?\[\\/](?=\*\*+(?:/|$))")
_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "space": r"\s",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
    "graph": "!-~", "print": " -~",
}  # fmt: skip


class FileAttributes(NamedTuple):
    """The attributes of one file; None where they are unspecified."""

    is_generated: bool | None = None
    is_vendored: bool | None = None
    is_documentation: bool | None = None
    is_binary: bool | None = None
    """`-diff`, which the macro `binary` also sets; False for `diff` in any other form."""


# An attribute and its state: True set, False unset, None unspecified, or its value.
_State = tuple[str, bool | str | None]
_NOTHING: Final = FileAttributes()
_INTERESTING: Final = frozenset({"linguist-generated", "linguist-vendored", "linguist-documentation", "diff"})


@dataclass(frozen=True, slots=True)
class _Rule:
    components: tuple[re.Pattern[str] | None, ...]
    """One pattern per component of the path; None stands for `**`."""
    by_name: bool
    prefix: str
    """A literal prefix of the path, removed before matching."""
    states: tuple[_State, ...]
    pattern: str

    def matches(self, path: list[str]) -> bool:
        if self.by_name:
            pattern = self.components[0]
            return pattern is not None and pattern.fullmatch(path[-1]) is not None
        if self.prefix:
            whole = "/".join(path)
            return whole.startswith(self.prefix) and _matches(
                self.components, whole[len(self.prefix) :].split("/")
            )
        return _matches(self.components, path)


class Attributes:
    """The rules of one `.gitattributes`, or of several on the way to a file."""

    __slots__ = ("_known", "_levels", "_macros")

    def __init__(
        self, levels: tuple[tuple[int, tuple[_Rule, ...]], ...], macros: dict[str, tuple[_State, ...]]
    ) -> None:
        self._levels = levels
        """Nearest first: the depth of their folder, whose components they do not match, and the rules."""
        self._macros = macros
        self._known: dict[str, FileAttributes] = {}

    @classmethod
    def parse(cls, files: Sequence[tuple[int, bytes]], *, with_hints: bool = True) -> "Attributes":
        """The rules of several files by depth, the root's (0) first.

        Lines that Git ignores are skipped, such as macros outside the root. Without hints, so are attributes of the
        root that only tell a host which language to show.
        """
        macros: dict[str, tuple[_State, ...]] = {"binary": (("diff", False),)}
        levels = [(depth, _rules(data, macros if depth == 0 else None)) for depth, data in files]
        if not with_hints:
            levels = [(depth, _without_hints(rules) if depth == 0 else rules) for depth, rules in levels]
        relevant = _INTERESTING.union(macros)
        kept = [
            (depth, tuple(rule for rule in rules if any(name in relevant for name, _ in rule.states)))
            for depth, rules in reversed(levels)
        ]
        return cls(tuple(level for level in kept if level[1]), macros)

    def lookup(self, path: str) -> FileAttributes:
        """The attributes of the file at `path` (from the root, with `/`), which lies below all the `.gitattributes`."""
        if not self._levels:
            return _NOTHING
        found = self._known.get(path)
        if found is None:
            if len(self._known) >= _KNOWN_LIMIT:
                self._known.clear()
            found = self._known[path] = self._lookup(path)
        return found

    def _lookup(self, path: str) -> FileAttributes:
        components = path.encode("utf-8", "surrogateescape").decode("latin-1").split("/")
        values: dict[str, bool | str | None] = {}
        # As in Git, the first match wins, from the nearest file's last rule to the root's first.
        for depth, rules in self._levels:
            own = components[depth:]
            for rule in reversed(rules):
                if rule.matches(own):
                    self._fill(values, rule.states)
        diff = values.get("diff")
        return FileAttributes(
            _truth(values.get("linguist-generated")),
            _truth(values.get("linguist-vendored")),
            _truth(values.get("linguist-documentation")),
            None if diff is None else diff is False,
        )

    def _fill(self, values: dict[str, bool | str | None], states: tuple[_State, ...]) -> None:
        for name, value in reversed(states):
            if name not in values:
                values[name] = value
                if value is True and name in self._macros:
                    self._fill(values, self._macros[name])


def _rules(data: bytes, macros: dict[str, tuple[_State, ...]] | None) -> list[_Rule]:
    """The rules of one file. The macros that it defines are added to `macros`."""
    rules: list[_Rule] = []
    for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        match = _LINE.match(raw)
        if match is None or raw.lstrip().startswith(b"#"):
            continue
        pattern = _unquoted(match[1])
        states = tuple(map(_state, match[2].decode("latin-1").split()))
        if pattern.startswith("[attr]"):
            if macros is not None:
                macros[pattern.removeprefix("[attr]")] = states
        elif not pattern.startswith("!") and not pattern.endswith("/") and len(rules) < _PATTERN_LIMIT:
            rules.append(_rule(pattern, states))
    return rules


def _without_hints(rules: list[_Rule]) -> list[_Rule]:
    return [
        replace(
            rule,
            states=tuple(
                (name, value)
                for name, value in rule.states
                if _truth(value) is not True or names_origin(rule.pattern, name)
            ),
        )
        for rule in rules
    ]


def _truth(value: bool | str | None) -> bool | None:
    return value.lower() not in {"false", "0", "no"} if isinstance(value, str) else value


def _state(word: str) -> _State:
    name, equals, value = word.partition("=")
    if equals:
        return name, value
    return (word[1:], {"-": False, "!": None}[word[0]]) if word[0] in "-!" else (word, True)


def _unquoted(pattern: bytes) -> str:
    if pattern[:1] == b'"':
        pattern = re.sub(rb"\\(.)", rb"\1", pattern[1:-1])
    # One character per byte, as Git matches.
    return pattern.decode("latin-1")


def _rule(pattern: str, states: tuple[_State, ...]) -> _Rule:
    by_name = "/" not in pattern
    written = pattern
    pattern = pattern.removeprefix("/")
    # Git compares the text before the first special character separately, so the stars of `dir**` stand at a
    # beginning and match at any depth.
    quirk = None if by_name else _STARS_AFTER_TEXT.match(pattern)
    prefix = quirk[0] if quirk else ""
    components = pattern[len(prefix) :].split("/")
    return _Rule(
        tuple(None if _is_any_depth(part) and not by_name else _component(part) for part in components),
        by_name,
        prefix,
        states,
        written,
    )


def _is_any_depth(component: str) -> bool:
    return len(component) > 1 and not component.strip("*")


def _matches(pattern: tuple[re.Pattern[str] | None, ...], path: list[str]) -> bool:
    """Whether all components of `pattern` match all those of `path`, in time proportional to the product of both."""
    reachable = {0}
    for at, component in enumerate(pattern):
        if component is None:
            # `**/` matches any number of directories; at the end `**` needs at least one component.
            first = min(reachable) + (at == len(pattern) - 1)
            reachable = set(range(first, len(path) + 1))
        else:
            reachable = {
                position + 1
                for position in reachable
                if position < len(path) and component.fullmatch(path[position]) is not None
            }
        if not reachable:
            return False
    return len(path) in reachable


def _component(pattern: str) -> re.Pattern[str]:
    """One component of a pattern as a regular expression.

    Each star takes as little as it can and never backtracks (atomic groups), so an untrusted pattern cannot take
    exponential time.
    """
    pieces: list[str] = [""]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
        elif character == "?":
            pieces[-1] += "."
        elif character == "[":
            piece, at = _bracket(pattern, at)
            pieces[-1] += piece
        else:
            if character == "\\" and at < len(pattern):
                character = pattern[at]
                at += 1
            pieces[-1] += re.escape(character)
    first, *others = pieces
    if not others:
        return re.compile(first, re.DOTALL)
    *middle, last = others
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + ".*" + last, re.DOTALL)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The expression for the `[…]` whose inside begins at `at`, and where it ends."""
    start = at
    negated = pattern[at : at + 1] in {"!", "^"}
    at += negated
    inside = ""
    while at < len(pattern) and (pattern[at] != "]" or not inside):
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0:
            inside += _CLASSES.get(pattern[at + 2 : end], "")
            at = end + 2
            continue
        if pattern[at] == "\\" and at + 1 < len(pattern):
            at += 1
            inside += re.escape(pattern[at])
        else:
            inside += "-" if pattern[at] == "-" else re.escape(pattern[at])
        at += 1
    if at >= len(pattern):
        # An unclosed bracket matches nothing in Git.
        return "(?!)", len(pattern)
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return "(?!)", at + 1
    return f"[{'^' if negated else ''}{inside}]" if at > start else "(?!)", at + 1
