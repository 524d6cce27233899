"""The JSON of answers as values that can be stored: no answer is lost for one value in it.

What no column can hold (a number of thousands of digits, lists within lists without end) becomes UNREADABLE, so that
the row around it is counted as unreadable and the others are read. Texts lose NUL and halves of surrogate pairs before
anything takes one for an id, and the token however it is escaped. Keep out: the meaning of answers (`client`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from ingest.texts import is_storable, storable

MAX_DIGITS = 1_000
MAX_DEPTH = 200
"""Levels of an answer with more than the parser takes, which is about a thousand."""
MIN_SECRET_LENGTH = 8
"""Shorter texts are no tokens, and occur in answers by chance."""
HIDDEN = "***"
# Escapes of any sign, which may spell a token too, raw NUL and halves of surrogate pairs. Without them, and without the
# token, no text has to be looked at.
_SUSPICIOUS = re.compile(rb"\\[u/]|\x00|\xed[\xa0-\xbf]")
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class Unreadable:
    """A value that cannot be stored. Whatever makes a text, a number or a list of it raises TypeError."""

    def __str__(self) -> str:
        raise TypeError("a value that cannot be stored: a very long number, or very many levels")

    def __repr__(self) -> str:
        return "UNREADABLE"


UNREADABLE = Unreadable()


def _whole(digits: str) -> Any:
    return UNREADABLE if len(digits) > MAX_DIGITS else int(digits)


def _real(digits: str) -> Any:
    found = float(digits)
    return found if math.isfinite(found) else UNREADABLE


_PARSER = json.JSONDecoder(
    parse_int=_whole, parse_float=_real, parse_constant=lambda _: UNREADABLE, strict=False
)


def parsed(content: bytes, secrets: tuple[str, ...] = ()) -> Any:
    """The JSON of an answer, None for an empty one. Raises ValueError for anything else."""
    if not content:
        return None
    try:
        body = _PARSER.decode(_text(content))
    except RecursionError:
        body = _PARSER.decode(_text(_pruned(content)))
    if _SUSPICIOUS.search(content) is None and not any(spelled in content for spelled in _spelled(secrets)):
        return body
    hide = hiding(secrets)
    return _each_text(body, lambda text: hide(text if is_storable(text) else storable(text)))


def _spelled(secrets: tuple[str, ...]) -> list[bytes]:
    """The secrets as JSON has them where it escapes only what it must."""
    return [json.dumps(one, ensure_ascii=False)[1:-1].encode() for one in _hidden(secrets)]


def _hidden(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in secrets if len(one) >= MIN_SECRET_LENGTH)


def hiding(secrets: tuple[str, ...]) -> Callable[[str], str]:
    """A function that hides secrets in a text: an answer may bring them back, and is stored and quoted."""
    hidden = _hidden(secrets)

    def hide(text: str) -> str:
        for secret in hidden:
            if secret in text:
                text = text.replace(secret, HIDDEN)
        return text

    return hide


def _text(content: bytes) -> str:
    # As `json.loads` does.
    return content.decode(json.detect_encoding(content), "surrogatepass")


def _pruned(content: bytes) -> bytes:
    """The answer with an unreadable constant in the place of what lies deeper than MAX_DEPTH."""
    kept = bytearray()
    depth = start = 0
    for token in _TOKENS.finditer(content):
        sign = token[0]
        if sign in b"[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                kept += content[start : token.start()] + b"NaN"
        elif sign in b"]}":
            if depth == MAX_DEPTH + 1:
                start = token.end()
            depth -= 1
    return bytes(kept + content[start:]) if depth <= MAX_DEPTH else bytes(kept)


def _each_text(body: Any, changed: Callable[[str], str]) -> Any:
    """The body with changed texts, also those that name values. Lists and objects are changed in place."""
    whole = [body]
    waiting: list[Any] = [whole]
    while waiting:
        one = waiting.pop()
        if type(one) is dict:
            names = [name for name in one if changed(name) is not name]
            for name in names:
                one[changed(name)] = one.pop(name)
            places: Any = one.items()
        else:
            places = enumerate(one)
        for place, value in places:
            if type(value) is str:
                new = changed(value)
                if new is not value:
                    one[place] = new
            elif type(value) is dict or type(value) is list:
                waiting.append(value)
    return whole[0]
