"""Repositories and files of others with the name of a file, which its comment names as the origin.

Who says that a file was adapted may have written most of it, and who thanks somebody may use a library. Where the file
has the distinct name of what it was taken from, it is that. Keep out: sentences that say so of a file of any name
(`origins`).
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

from ingest.git.files.origins import FILES_OF_HOST, REWORKED_WORDS, comments

NAMESAKE_WORDS: Final = (
    b"dapted from",
    b"daption of",
    b"daptation of",
    b"orted from",
    b" port of",
    b"Port of",
    b"hanks to",
)
"""What the head of a file with such an origin holds, beside the words of `origins`."""
_SHORTEST_NAME: Final = 10
"""Letters and digits of a name that hardly two projects give: shorter ones are words such as `settings`."""
_ORIGIN: Final = re.compile(
    r"\b(?:adapted from|adapt(?:at)?ion of|ported from|port of|(?:taken|copied|borrowed|lifted) from"
    r"|thanks to \S{1,40}(?: \S{1,40}){0,3} for (?:building|writing|creating|making|providing|sharing) th(?:is|e))\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"https?://(?:www\.)?(?:github\.com|raw\.githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org)"
    r"/(?P<owner>[\w.-]{1,60})/(?P<name>[\w.-]{1,60})(?P<path>(?:/[\w.@+~%-]{1,100}){0,20})"
)
# The next sentence begins. It may only lead to the address; initials and short forms end none.
_SENTENCE: Final = re.compile(
    r"(?:(?<=[\w)\]'\"`]{2})[.!?] |;)[^\w\n]{0,9}(?!(?:see|source|original|https?)\b)\w", re.IGNORECASE
)
# Words of a port are those of its origin.
_REWORKED: Final = re.compile(
    rf"\b(?!(?:adapted|adaptations?|ported|converted|translated)\b)(?:{REWORKED_WORDS})\b", re.IGNORECASE
)
# What stands above the class of a file, which its comment describes
_IMPORTS: Final = re.compile(
    r"(?:(?:package|import|using|module|@file:|#import|#include|use|open|from \S+ import)\b[^\n]*|[ \t]*)(?:\n|$)"
)
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")


def namesakes(text: str, name: str) -> Iterator[str]:
    """The repositories, as `owner/name`, that have the name of the file or hold a file of its name and kind."""
    stem, _, ending = name.rpartition(".")
    wanted = _plain(stem)
    if len(wanted) < _SHORTEST_NAME or _ORIGIN.search(text) is None:
        return
    for comment in _first_comments(text):
        said = " ".join(comment)
        if _REWORKED.search(said) is not None:
            continue
        for match in _addresses(said):
            repository = match["name"].rstrip(".").removesuffix(".git")
            parts = match["path"].rstrip(".").split("/")[1:]
            is_file = bool(parts) and parts[0] in FILES_OF_HOST and parts[-1] == name
            if is_file or (not parts and _plain(repository.removesuffix(f".{ending}")) == wanted):
                yield f"{match['owner']}/{repository}".lower()


def _addresses(comment: str) -> Iterator[re.Match[str]]:
    """The addresses to which words of an origin belong: the first one behind them, in their sentence."""
    origins = deque(_ORIGIN.finditer(comment))
    for address in _ADDRESS.finditer(comment):
        origin = None
        while origins and origins[0].start() < address.start():
            origin = origins.popleft()
        if origin is not None and _SENTENCE.search(comment, origin.end(), address.start()) is None:
            yield address


def _first_comments(text: str) -> Iterator[list[str]]:
    """The comments at the top, and the next ones behind the imports."""
    yield from comments(text)
    code = 0
    for line in text.splitlines(keepends=True):
        if _IMPORTS.fullmatch(line) is None:
            break
        code += len(line)
    if code:
        yield from comments(text[code:])


def _plain(name: str) -> str:
    return _NO_NAME.sub("", name.lower())
