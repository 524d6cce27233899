"""Sentences of the first comment that say from where a file was taken.

Keep out: lines of copyright (`copyrights`).
"""

import re
from collections.abc import Iterator
from typing import Final

# Only the first comment speaks of the whole file, in a sentence of its own.
_ORIGIN_LINES, _ORIGIN_SIZE = 12, 1_200
# What the head of a file holds that states an origin.
ORIGIN_WORDS: Final = (
    b" from http",
    b" from <http",
    b"atest version: http",
    b"opied ",
    b"aken from",
    b"orrowed from",
    b"ifted from",
)
_TAKEN: Final = re.compile(r" from <?https?:|atest version: <?https?:|opied |(?:aken|orrowed|ifted) from")
_COMMENT: Final = re.compile(
    r"(?:/\*[*!]?|//[/!]?|<!--|\"{3}|'{3}|\(\*|\{-|#(?=[\s#]|$)#*|--(?=[\s-]|$)|[;%\"]+(?=\s|$)| ?\*(?![\w/]))"
    r"[ \t]{0,3}(?P<text>.*)"
)
_BLOCKS: Final = {"/*": "*/", "<!--": "-->", '"""': '"""', "'" * 3: "'" * 3, "(*": "*)", "{-": "-}"}
_ORIGIN: Final = re.compile(
    r"(?:latest version:|(?P<whole>(?:this )?file )?(?:is |was )?(?:copied|taken|borrowed|vendored) from)"
    r" <?https?://(?:www\.)?(?:github\.com|raw\.githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org)"
    r"/(?P<owner>[\w.-]{1,60})/(?P<name>[\w.-]{1,60})(?P<path>(?:/[\w.@+~%-]{1,100}){0,20})"
    r"/?>?[.]?[ \t]*(?:\*/|-->|\"{3}|'{3}|\*\)|-\})?\s*$",
    re.IGNORECASE,
)
_FEWEST_PARTS: Final = 2
"""Parts of the address of a file below its repository: a branch and the name."""
# The standard library of a language by the words for it, as the repository in which it is kept.
_HOMES: Final = {
    "core": "rust-lang/rust",
    "alloc": "rust-lang/rust",
    "std": "rust-lang/rust",
    "rust": "rust-lang/rust",
    "go": "golang/go",
    "python": "python/cpython",
    "cpython": "python/cpython",
    "openjdk": "openjdk/jdk",
    "java": "openjdk/jdk",
    "scala": "scala/scala",
    "kotlin": "jetbrains/kotlin",
    "swift": "swiftlang/swift",
    "ruby": "ruby/ruby",
    "haskell": "ghc/ghc",
    "glibc": "gnu/glibc",
    "musl": "musl-libc/musl",
}
_COPIED_LIBRARY: Final = re.compile(
    r"this (?:file|module|implementation|code|class|header|package|script) (?:is|was) "
    r"(?:(?:mostly|largely|almost|entirely|directly) ){0,2}"
    r"(?:copied(?: (?:verbatim|directly|straight|over|mostly|almost|entirely)){0,2}|taken|borrowed|lifted) from "
    r"(?:the )?[`'\"]?"
    r"(?:(?P<crate>core|alloc|std)::|(?P<project>cpython|openjdk|glibc|musl)\b"
    r"|(?P<language>rust|go|python|java|scala|kotlin|swift|ruby|haskell)(?:'s)? standard library\b)",
    re.IGNORECASE,
)
# Whoever worked on the copy says so.
_REWORKED: Final = re.compile(
    r"\b(?:but|however|since|then|rewritten|reworked|redesigned|heavily|extended|documentation|docs|api|example)\b",
    re.IGNORECASE,
)


def origins(text: str, name: str) -> Iterator[str]:
    """The repositories, as `owner/name`, that the first comment of a file with this name states as its origin."""
    if _TAKEN.search(text, 0, _ORIGIN_SIZE) is None:
        return
    lines = [*_first_comment(text), ""]
    for number, line in enumerate(lines[:-1]):
        if number and not _begins(line, lines[number - 1]):
            continue
        library = _COPIED_LIBRARY.match(line)
        if library is not None:
            if _REWORKED.search(line, library.end()) is None and _REWORKED.search(lines[number + 1]) is None:
                yield _HOMES[next(word for word in library.groups() if word is not None).lower()]
            continue
        match = _ORIGIN.match(line)
        if match is None or lines[number + 1][:1].islower():
            continue
        parts = match["path"].rstrip(".").split("/")[1:]
        is_own_name = len(parts) >= _FEWEST_PARTS and parts[-1] == name
        if is_own_name or (match["whole"] is not None and not parts):
            yield f"{match['owner']}/{match['name'].rstrip('.').removesuffix('.git')}".lower()


def _begins(line: str, before: str) -> bool:
    """Whether a line begins a sentence: after an empty line, after the end of a sentence, or with a capital."""
    return line[:1].isupper() or not before or before.endswith((".", ":", "!", "?", "-", "="))


def _first_comment(text: str) -> Iterator[str]:
    """The lines of the first comment without their signs, if nothing but an empty line or the interpreter precedes."""
    closing = None
    is_begun = False
    for number, line in enumerate(text[:_ORIGIN_SIZE].split("\n")[:_ORIGIN_LINES]):
        if not is_begun and (not line.strip() or (number == 0 and line.startswith("#!"))):
            continue
        match = _COMMENT.match(line)
        # Inside a block the sign is that of the line, or none.
        if closing is None and (match is None or line.startswith((" ", "*"))):
            return
        if closing is None:
            opening = next((one for one in _BLOCKS if line.startswith(one)), None)
            closing = None if opening is None else _BLOCKS[opening]
            is_open_from = 0 if opening is None else len(opening)
        else:
            is_open_from = 0
        is_begun = True
        yield (line if match is None else match["text"]).strip()
        if closing is not None and closing in line[is_open_from:]:
            return
