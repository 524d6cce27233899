"""What a repository's `.gitattributes` says of its files, by Git's own pattern rules.

Keep out: what is told by path and content (roles.py). Only the file at the root is read.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

# The file comes from outside: more patterns than this are no description of a repository.
_PATTERN_LIMIT: Final = 5_000
_LINE = re.compile(rb'\s*("(?:[^"\\]|\\.)*"|\S+)\s+(.*)', re.DOTALL)
_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "space": r"\s",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
    "graph": "!-~", "print": " -~",
}  # fmt: skip


class FileAttributes(NamedTuple):
    """What the attributes say of one file; None where they say nothing."""

    is_generated: bool | None = None
    is_vendored: bool | None = None
    is_documentation: bool | None = None
    is_binary: bool | None = None
    """`-diff`, which the macro `binary` also sets; False for `diff` in any other form."""


_NOTHING: Final = FileAttributes()
_INTERESTING: Final = {
    "linguist-generated": "is_generated",
    "linguist-vendored": "is_vendored",
    "linguist-documentation": "is_documentation",
    "diff": "is_binary",
}


@dataclass(frozen=True, slots=True)
class _Rule:
    components: tuple[re.Pattern[str] | None, ...]
    """One pattern per component of the path; None stands for `**`."""
    by_name: bool
    states: tuple[tuple[str, bool | None], ...]

    def matches(self, path: list[str]) -> bool:
        if self.by_name:
            pattern = self.components[0]
            return pattern is not None and pattern.fullmatch(path[-1]) is not None
        return _matches(self.components, path)


class Attributes:
    """The rules of one `.gitattributes`."""

    __slots__ = ("_rules", "lookup")

    def __init__(self, rules: tuple[_Rule, ...]) -> None:
        self._rules = rules
        self.lookup = lru_cache(maxsize=65_536)(self._lookup) if rules else _say_nothing

    @classmethod
    def parse(cls, data: bytes) -> "Attributes":
        """The rules that `data` holds; lines that Git would not take are passed over."""
        macros: dict[str, tuple[tuple[str, bool | None], ...]] = {"binary": (("is_binary", True),)}
        rules: list[_Rule] = []
        for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            match = _LINE.match(raw)
            if match is None or raw.lstrip().startswith(b"#"):
                continue
            pattern = _unquoted(match[1])
            states = _states(match[2].decode("utf-8", "surrogateescape").split(), macros)
            if pattern.startswith("[attr]"):
                macros[pattern.removeprefix("[attr]")] = states
            elif (
                states
                and not pattern.startswith("!")
                and not pattern.endswith("/")
                and len(rules) < _PATTERN_LIMIT
            ):
                rules.append(_rule(pattern, states))
        return cls(tuple(rules))

    def _lookup(self, path: str) -> FileAttributes:
        """What the rules say of the file at `path` (from the root, with `/`)."""
        states: dict[str, bool | None] = {}
        components = path.split("/")
        for rule in self._rules:
            if rule.matches(components):
                states.update(rule.states)
        return FileAttributes(**states) if states else _NOTHING


def _say_nothing(_path: str) -> FileAttributes:
    return _NOTHING


def _unquoted(pattern: bytes) -> str:
    if pattern[:1] == b'"':
        pattern = re.sub(rb"\\(.)", rb"\1", pattern[1:-1])
    return pattern.decode("utf-8", "surrogateescape")


def _states(
    words: list[str], macros: dict[str, tuple[tuple[str, bool | None], ...]]
) -> tuple[tuple[str, bool | None], ...]:
    states: list[tuple[str, bool | None]] = []
    for word in words:
        name, equals, value = word.lstrip("-!").partition("=")
        if name in macros and not equals and word[0] not in "-!":
            states.extend(macros[name])
        field = _INTERESTING.get(name)
        if field is None:
            continue
        state: bool | None = value.lower() not in {"false", "0", "no"} if equals else word[0] != "-"
        if field == "is_binary":
            state = word == "-diff"
        states.append((field, None if word[0] == "!" else state))
    return tuple(states)


def _rule(pattern: str, states: tuple[tuple[str, bool | None], ...]) -> _Rule:
    by_name = "/" not in pattern
    components = pattern.removeprefix("/").split("/")
    return _Rule(
        tuple(None if part == "**" and not by_name else _component(part) for part in components),
        by_name,
        states,
    )


def _matches(pattern: tuple[re.Pattern[str] | None, ...], path: list[str]) -> bool:
    """Whether the components of `pattern` match those of `path`, all of them; time is their product."""
    reachable = {0}
    for at, component in enumerate(pattern):
        if component is None:
            # `**/` is any number of directories; at the end it is anything beneath, so not nothing.
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

    Each star takes as little as it can and never gives back (atomic groups), so that no pattern from outside
    takes exponential time.
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
        # Never closed: Git matches nothing.
        return "(?!)", len(pattern)
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return "(?!)", at + 1
    return f"[{'^' if negated else ''}{inside}]" if at > start else "(?!)", at + 1
