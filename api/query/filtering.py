"""`filter`: a subset of AIP-160 as SQL.

    category = FIXES AND etv > 2 AND (repositoryName:"web" OR isBot = true) AND NOT zeroReason:*

`= != < <= > >=` compare a column of the list with a value. `:` tests whether a text contains a word (without case),
whether a list holds a value, or, as `:*`, whether a value exists. OR binds tighter than AND, as in AIP-160. Functions,
bare words and wildcards are not supported. A build resolves ids (read/ids.py); until then they are
parameters of their own kind.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NoReturn

from api.errors import InvalidArgument
from api.query.columns import SQL_TYPES, Column, Kind, find, parse_instant
from api.query.conditions import TRUE, Condition

MAX_LENGTH = 2000
MAX_COMPARISONS = 50
MAX_DEPTH = 20

_TOKEN = re.compile(
    r"""
        (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<sign><=|>=|!=|=|<|>|:|\(|\))
      | (?P<word>[0-9]{4}-[0-9]{2}-[0-9]{2}T[^\s()"']+|[^\s()<>=!:"']+)
    """,
    re.VERBOSE,
)
_FLAGS = ("true", "false")
# Values that can be malformed, as messages name them.
_EXPECTED = {
    Kind.FLAG: "the value true or false",
    Kind.INTEGER: "a 64-bit integer",
    Kind.NUMBER: "a number",
    Kind.MICRO: "a number",
    Kind.INSTANT: "an instant such as 2026-11-20T09:30:00Z",
    Kind.DATE: "a date such as 2026-11-20",
}
_COMPARISONS = {"=", "!=", "<", "<=", ">", ">=", ":"}


@dataclass(frozen=True, slots=True)
class NamedId:
    """An id among the parameters of a filter, in lower case; of a developer it may be a former one."""

    text: str


def parse_filter(text: str, known: Mapping[str, Column]) -> Condition:
    """The condition of a filter, with ids as they were named. Raises InvalidArgument with the offset and the reason."""
    if not text.strip():
        return TRUE
    if len(text) > MAX_LENGTH:
        raise InvalidArgument("filter", f"the filter is longer than {MAX_LENGTH} characters; shorten it")
    parser = _Parser(_tokens(text), known)
    condition = parser.expression(0)
    if parser.current is not None:
        raise parser.refused("expected AND, OR or the end of the filter")
    return condition


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int


def _tokens(text: str) -> list[_Token]:
    found, offset = [], 0
    text = text.rstrip()
    while offset < len(text):
        offset += len(text[offset:]) - len(text[offset:].lstrip())
        match = _TOKEN.match(text, offset)
        if match is None or match.lastgroup is None:
            raise InvalidArgument(
                "filter", f"cannot be read at character {offset + 1}: {text[offset : offset + 20]!r}"
            )
        raw = match.group(match.lastgroup)
        if match.lastgroup == "text":
            raw = re.sub(r"\\(.)", r"\1", raw[1:-1])
        found.append(_Token(match.lastgroup, raw, match.start(match.lastgroup)))
        offset = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[_Token], known: Mapping[str, Column]) -> None:
        self._tokens = tokens
        self._known = known
        self._next = 0
        self._comparisons = 0

    @property
    def current(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def refused(self, expected: str) -> InvalidArgument:
        token = self.current
        found = f"found {token.text!r} at character {token.offset + 1}" if token else "the filter ends there"
        return InvalidArgument("filter", f"{expected}; {found}")

    def expression(self, depth: int) -> Condition:
        return self._chain("AND", lambda: self._chain("OR", lambda: self._term(depth)))

    def _chain(self, word: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._take_word(word):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        return Condition(
            f" {word.lower()} ".join(f"({p.sql})" for p in parts),
            tuple(value for p in parts for value in p.parameters),
        )

    def _term(self, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            raise InvalidArgument(
                "filter", f"the filter has more than {MAX_DEPTH} nested levels; remove parentheses"
            )
        if self._take_word("NOT"):
            inner = self._term(depth + 1)
            return Condition(f"not ({inner.sql})", inner.parameters)
        if self._take_sign("("):
            inner = self.expression(depth + 1)
            if not self._take_sign(")"):
                raise self.refused("expected )")
            return inner
        return self._comparison()

    def _comparison(self) -> Condition:
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            raise InvalidArgument(
                "filter", f"the filter has more than {MAX_COMPARISONS} comparisons; remove some"
            )
        name = self.current
        if name is None or name.kind != "word":
            raise self.refused("expected a column")
        column = find(self._known, name.text)
        if column is None:
            raise InvalidArgument(
                "filter", f"cannot filter by {name.text!r}; filter by {', '.join(self._known)}"
            )
        self._next += 1
        sign = self.current
        if sign is None or sign.kind != "sign" or sign.text not in _COMPARISONS:
            raise self.refused(f"expected a comparison after {name.text}")
        self._next += 1
        value = self.current
        if value is None or value.kind == "sign":
            raise self.refused(f"expected a value after {name.text} {sign.text}")
        self._next += 1
        found = _has(column, value) if sign.text == ":" else _compared(column, sign.text, value.text)
        # Two-valued logic: what has no value fails the comparison, and NOT of a failure holds.
        return Condition(f"coalesce({found.sql}, false)", found.parameters) if column.nullable else found

    def _take_word(self, word: str) -> bool:
        token = self.current
        taken = token is not None and token.kind == "word" and token.text == word
        self._next += taken
        return taken

    def _take_sign(self, sign: str) -> bool:
        token = self.current
        taken = token is not None and token.kind == "sign" and token.text == sign
        self._next += taken
        return taken


def _has(column: Column, value: _Token) -> Condition:
    if value.kind == "word" and value.text == "*":
        return Condition(f"{column.sql} is not null")
    if column.kind is Kind.LIST:
        return Condition(f"list_contains({column.sql}, ?)", (value.text,))
    if column.kind in (Kind.TEXT, Kind.ENUM):
        return Condition(f"contains(lower({column.sql}), lower(?))", (value.text,))
    if column.kind is Kind.ID:
        return Condition(f"contains({column.sql}, ?)", (NamedId(value.text.lower()),))
    raise InvalidArgument(
        "filter",
        f"{column.field} allows only `{column.field}:*` after a colon; use = != < <= > >= to compare",
    )


def _compared(column: Column, sign: str, text: str) -> Condition:
    if column.kind is Kind.LIST:
        raise InvalidArgument("filter", f"{column.field} is a list; use `{column.field}:value`")
    if column.kind in (Kind.FLAG, Kind.ENUM) and sign not in ("=", "!="):
        raise InvalidArgument("filter", f"{column.field} allows only the comparisons = and !=")
    try:
        value = _value(column, text)
    except (ValueError, OverflowError) as error:
        raise InvalidArgument(
            "filter", f"{column.field} needs {_EXPECTED[column.kind]}; {text!r} is none"
        ) from error
    typed = f"cast(? as {SQL_TYPES[column.kind]})"
    if column.kind is Kind.MICRO:
        # Compared as shown: six decimals, which doubles of this size hold exactly.
        return Condition(f"{column.shown} {sign} cast(? as double)", (value,))
    stored = f"lower({column.sql})" if column.kind is Kind.ENUM else column.sql
    if sign == "!=":
        return Condition(f"{stored} is distinct from {typed}", (value,))
    return Condition(f"{stored} {sign} {typed}", (value,))


def _value(column: Column, text: str) -> Any:
    match column.kind:
        case Kind.FLAG:
            return text.lower() == "true" if text.lower() in _FLAGS else _wrong(text)
        case Kind.INTEGER:
            return int(text) if -(2**63) <= int(text) < 2**63 else _wrong(text)
        case Kind.NUMBER | Kind.MICRO:
            return float(text) if math.isfinite(float(text)) else _wrong(text)
        case Kind.INSTANT:
            return parse_instant(text)
        case Kind.DATE:
            return date.fromisoformat(text)
        case Kind.ENUM:
            return text.lower()
        case Kind.ID:
            return NamedId(text.lower())
        case _:
            return text


def _wrong(text: str) -> NoReturn:
    raise ValueError(text)
