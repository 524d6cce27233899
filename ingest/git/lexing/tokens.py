"""Tokens, hashes and shapes of lines.

Everything here is a pure function of the bytes of a line. Histories repeat their lines, so results are cached by
line. Keep out: facts that need neighbouring lines (`comments`, `line_features`), comparing two sides (`token_diff`).

All hashes are xxHash, which is the same on every machine; Python's own `hash` is not.
"""

import re
from typing import Final

from xxhash import xxh3_64_intdigest

from ingest.git.lexing.languages import Language, Names

# Bytes from 0x80 belong to words: letters of other scripts in any encoding. Commas are not tokens.
_WORD: Final = rb"[0-9A-Za-z_\x80-\xff]+"
_SIGN: Final = rb"[!-+\-./:-@\[-^`{-~]"
_find_tokens: Final = re.compile(_WORD + rb"|" + _SIGN).findall
# Scripts without spaces between words (U+3000 … U+DFFF in UTF-8) give a token per character; as one word a whole
# sentence would be one token.
_find_tokens_of_scripts: Final = re.compile(
    rb"(?:[0-9A-Za-z_]|[\xc2-\xe2][\x80-\xbf]+)+|[\xe3-\xed][\x80-\xbf]{2}|[\xee-\xf4][\x80-\xbf]*|[\x80-\xff]|"
    + _SIGN
).findall
_split_words: Final = re.compile(_WORD).sub
_find_words: Final = re.compile(_WORD).findall

_WORD_BYTES: Final = b"_" + bytes(c for c in range(256) if c >= 0x80 or bytes([c]).isalnum())
_WHITE: Final = b" \t\r\f\v\n"
_UNIFY_QUOTES: Final = bytes.maketrans(b"'", b'"')
_DIGITS: Final = re.compile(rb"[0-9]+")

# A cache is emptied above this number of entries: some tens of megabytes in each worker process.
_LINE_LIMIT: Final = 40_000
_TEXT_LIMIT: Final = 10_000
_TOKEN_LIMIT: Final = 100_000


def tokens_of(text: bytes) -> list[bytes]:
    """The tokens of `text`: words and single signs; quotes are unified, commas left out."""
    text = text.translate(_UNIFY_QUOTES)
    return _find_tokens(text) if text.isascii() else _find_tokens_of_scripts(text)


def is_word(token: bytes) -> bool:
    """Whether a token is a word, or part of one, and no sign."""
    return token[:1] in _WORD_BYTES


def count_tokens(text: bytes) -> int:
    """Count the tokens of `text`."""
    return len(tokens_of(text))


def normalised(line: bytes) -> bytes:
    """`line` stripped, with each run of blanks and tabs replaced by one blank."""
    line = line.strip()
    return b" ".join(line.split()) if b"  " in line or b"\t" in line else line


def line_hash(line: bytes) -> int:
    """64-bit hash of the normalised `line`, independent of the kind of quotes and of `;` and `,` at its end.

    Formatters change these, and a file that is moved and formatted at once keeps its lines.
    """
    text = normalised(line)
    text = text.rstrip(b" ;,") or text
    return xxh3_64_intdigest(text.translate(_UNIFY_QUOTES))


def layout_hash(text: bytes) -> int:
    """64-bit hash of `text`, independent of white space, wrapping, kind of quotes, and `;` and `,` at an end."""
    text = text.translate(_UNIFY_QUOTES, _WHITE)
    if b"," in text:
        text = text.replace(b",)", b")").replace(b",]", b"]").replace(b",}", b"}")
    text = text.rstrip(b";,")
    if b'\\"' in text:
        text = text.replace(b'\\"', b'"')
    return xxh3_64_intdigest(text)


_NOTHING: Final = (0, 0, 0)
_LineFacts = tuple[int, int, int]


class _Lines(dict[bytes, _LineFacts]):
    def __missing__(self, line: bytes) -> _LineFacts:
        if len(self) >= _LINE_LIMIT:
            self.clear()
        facts = (count_tokens(line), line_hash(line), layout_hash(line)) if line else _NOTHING
        self[line] = facts
        return facts


LINES: Final = _Lines()
"""Stripped line → (number of tokens, line hash, layout hash); all 0 for a blank line."""


class _Texts(dict[bytes, list[bytes]]):
    def __missing__(self, text: bytes) -> list[bytes]:
        if len(self) >= _TEXT_LIMIT:
            self.clear()
        found = self[text] = tokens_of(text)
        return found


TOKENS: Final = _Texts()
"""Text → its tokens."""


class _Symbols(dict[bytes, bytes]):
    """Token → its form in a shape."""

    def __init__(self, keywords: frozenset[bytes]) -> None:
        super().__init__((word, word) for word in keywords)
        self._keywords = keywords

    def __missing__(self, token: bytes) -> bytes:
        if len(self) >= _TOKEN_LIMIT:
            self.clear()
            self.update((word, word) for word in self._keywords)
        symbol = self[token] = self._symbol(token)
        return symbol

    def _symbol(self, token: bytes) -> bytes:
        first = token[0]
        if not (first >= 0x80 or first == 0x5F or token[:1].isalnum()):
            if first in b"\"'" and token[-1] not in b":=":
                return b'"'
            return _folded(b"".join(token.split())) if len(token) > 1 else token
        if token[-1] in b"(:=":
            # `if(` and `if (` have the same shape.
            name = token[:-1].rstrip()
            return name + b" " + token[-1:] if name in self._keywords else _folded(name) + token[-1:]
        return b"0" if token[:1].isdigit() else b"a"


def _folded(name: bytes) -> bytes:
    """`name` with every number replaced by the same sign, so that numbering does not make new shapes."""
    return _DIGITS.sub(b"0", name)


_SHAPE_TOKENS: Final = {
    Names.CALLS: _WORD + rb"\(?|" + _SIGN,
    Names.COMMANDS: _WORD + rb"\(?|" + _SIGN,
    Names.NESTED_COMMANDS: rb"[\[(|;&][ \t]*" + _WORD + rb"|" + _WORD + rb"\(?|" + _SIGN,
    Names.KEYS: rb"[\"']?[0-9A-Za-z_\x80-\xff.-]+[\"']?[ \t]*[:=(]|" + _WORD + rb"|" + _SIGN,
    Names.TAGS: rb"</?[0-9A-Za-z_:.-]+|[0-9A-Za-z_:.@-]+=|" + _WORD + rb"|" + _SIGN,
}
_COMMANDS: Final = (Names.COMMANDS, Names.NESTED_COMMANDS)


class Shapes(dict[bytes, int]):
    """Code with its literals masked → 64-bit hash of its shape, for one language.

    Keywords, operators and the names selected by the language's `names` stay; other names, numbers and literals are
    abstracted. Prose and text between tags is its own shape.
    """

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._is_prose = language.is_prose
        self._names = language.names
        self._keywords = language.keywords
        pattern = _SHAPE_TOKENS[language.names]
        if language.names is Names.KEYS and language.strings:
            key, _, rest = pattern.partition(rb"|")
            pattern = key + rb"|" + language.strings + rb"|" + rest
        self._find = re.compile(pattern).findall
        self._symbol = _Symbols(language.keywords).__getitem__

    def __missing__(self, code: bytes) -> int:
        if len(self) >= _LINE_LIMIT:
            self.clear()
        found = self[code] = self.hash(code) if code else 0
        return found

    def hash(self, code: bytes) -> int:
        """The hash of the shape of `code`, without the cache."""
        return xxh3_64_intdigest(self.shape(code))

    def shape(self, code: bytes) -> bytes:
        """The abstracted text of `code`."""
        if self._is_prose or (self._names is Names.TAGS and b"<" not in code and b"{" not in code):
            return normalised(code)
        tokens: list[bytes] = self._find(code)
        symbols = list(map(self._symbol, tokens))
        if self._names in _COMMANDS and symbols[:1] == [b"a"] and tokens[1:2] != [b"="]:
            symbols[0] = _folded(tokens[0])
        return b" ".join(symbols)


def between_words(line: bytes) -> bytes:
    """The text of `line` without its words. It is equal for two lines that differ only in words."""
    return line.strip().translate(None, _WORD_BYTES)


def words_substituted(old: bytes, new: bytes) -> tuple[int, ...]:
    """64-bit hashes of the distinct (old word, new word) pairs where `new` is `old` with words replaced.

    Empty where the lines are equal, or differ in more than words: in their number or in the text between them.
    White space at the ends does not count.
    """
    old, new = old.strip(), new.strip()
    if old == new or _split_words(b"w", old) != _split_words(b"w", new):
        return ()
    pairs = {
        before + b"\0" + after
        for before, after in zip(_find_words(old), _find_words(new), strict=True)
        if before != after
    }
    return tuple(sorted(map(xxh3_64_intdigest, pairs)))
