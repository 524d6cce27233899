"""Parts of a commit message: subject, body and trailers, and its hints at reverts and fixes.

Add: facts that a message states in a fixed form. Keep out: merge messages (`merges`), issue references
(`references`), AI signals and categories (rules over these facts, in dbt).

Messages are untrusted input, so every pattern here takes time linear in the text: only possessive or bounded
repetition, anchored where possible. Rules for subject and trailers are Git's own
(`%s`, `%b`, `%(trailers:only,unfold)`).
"""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

BLANK = " \t\r\n"
"""White space in messages as Git defines it (form feeds are text)."""

# Encodings that people write text in; others (punycode, unicode_escape) are slow or change the meaning.
_TEXT_ENCODING = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|iso2022_\w+|gb\w+|big5\w*|hz|johab|tis-620"
)
_KEY_LINE = re.compile(r"([A-Za-z0-9-]++)[ \t]*+:")
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_CUT_LINE = "# ------------------------ >8 ------------------------"
_FOLD = re.compile(r"\n[ \t\r\n]*+")


class Trailer(NamedTuple):
    """A `Key: value` line of the last paragraph, its continuation lines folded into one."""

    key: str
    value: str


class Message(NamedTuple):
    """`subject` is the first paragraph on one line; `body` is the rest, trailers included."""

    subject: str
    body: str
    trailers: list[Trailer]


def decode(raw: bytes, encoding: str | None = None) -> str:
    """Text of a message: in its declared encoding, else as UTF-8 with U+FFFD for invalid bytes."""
    if encoding and (codec := _codec(encoding)):
        try:
            return raw.decode(codec)
        except UnicodeDecodeError:
            pass
    return raw.decode("utf-8", "replace")


@lru_cache(maxsize=256)
def _codec(encoding: str) -> str | None:
    try:
        name = codecs.lookup(encoding[:40]).name
    except (LookupError, ValueError):  # unknown, or a name with a NUL
        return None
    return name if _TEXT_ENCODING.fullmatch(name) else None


def split(text: str) -> Message:
    """Split a message into its parts. It ends at the first NUL, as in Git."""
    if "\0" in text:
        text = text[: text.index("\0")]
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    start = _skip_blank(lines, 0)
    end = start
    title = []
    while end < len(lines) and (line := lines[end].rstrip(BLANK)):
        title.append(line)
        end += 1
    body_start = _skip_blank(lines, end)
    if body_start == len(lines):
        return Message(" ".join(title), "", [])
    body = "\n".join(lines[body_start:]).rstrip("\n")
    return Message(" ".join(title), body, _trailers(lines, end))


def _skip_blank(lines: list[str], index: int) -> int:
    while index < len(lines) and not lines[index].strip(BLANK):
        index += 1
    return index


def _trailers(lines: list[str], title_end: int) -> list[Trailer]:
    """Trailers of the last paragraph, if it is a block of trailers by Git's rules.

    It is one when all its lines are trailers, or when a quarter are and Git itself wrote one of them.
    """
    end = _end_of_text(lines)
    trailers = others = continuations = 0
    is_generated = is_inside = False
    for index in range(end - 1, title_end - 1, -1):
        line = lines[index]
        if line.startswith("#"):
            others, continuations = others + continuations, 0
        elif not line.strip(BLANK):
            if is_inside:
                others += continuations
                is_block = trailers * 3 >= others if is_generated else not others
                return _parse(lines[index + 1 : end]) if trailers and is_block else []
        else:
            is_inside = True
            if line.startswith(_GENERATED):
                trailers, continuations, is_generated = trailers + 1, 0, True
            elif _KEY_LINE.match(line):
                trailers, continuations = trailers + 1, 0
            elif line[0] in BLANK:
                continuations += 1
            else:
                others, continuations = others + 1 + continuations, 0
    return []


def _end_of_text(lines: list[str]) -> int:
    """Number of lines before the comments and lists of conflicts that end a message."""
    cutoff = lines.index(_CUT_LINE) if _CUT_LINE in lines else len(lines)
    first = cutoff
    while first and (
        not lines[first - 1] or lines[first - 1][0] in "#\t" or lines[first - 1] == "Conflicts:"
    ):
        first -= 1
    end, is_conflict = None, False
    for index in range(first, cutoff):
        line = lines[index]
        if not line or line[0] == "#":
            end = index if end is None else end
        elif line == "Conflicts:":
            end, is_conflict = (index if end is None else end), True
        elif not is_conflict:
            end = None
    return cutoff if end is None else end


def _parse(block: list[str]) -> list[Trailer]:
    found: list[tuple[str, list[str]]] = []
    is_open = False
    for line in block:
        if is_open and (not line or line[0] in BLANK):
            found[-1][1].append(line)
        elif match := _KEY_LINE.match(line):
            found.append((match[1], [line[match.end() :]]))
            is_open = True
        else:
            is_open = False
    return [Trailer(key, _FOLD.sub(" ", "\n".join(value).strip(BLANK))) for key, value in found]


# The forms of `git revert`, also for merges, several commits and partial reverts; and the type of Conventional
# Commits.
_REVERT_SUBJECT = re.compile(r"Revert \"|revert(?:\([^()\n]{0,100}\))?!?: ", re.IGNORECASE)
_REVERTS = re.compile(r"\bThis (?:partially )?reverts (?:the )?(?:merge )?commits? ", re.IGNORECASE)
_REVERTED = "everts "  # a plain search is much faster than the pattern
_SHA_LIST = re.compile(r"(?:, and |, | and )?([0-9a-f]{7,40})\b")


def is_revert(subject: str, body: str) -> bool:
    """Whether the message declares a revert."""
    return _REVERT_SUBJECT.match(subject) is not None or (_REVERTED in body and bool(_REVERTS.search(body)))


def reverted_shas(body: str) -> list[str]:
    """Commits (possibly abbreviated) that the message names as reverted."""
    shas: list[str] = []
    if _REVERTED not in body:
        return shas
    for match in _REVERTS.finditer(body):
        position = match.end()
        while found := _SHA_LIST.match(body, position):
            shas.append(found[1])
            position = found.end()
    return list(dict.fromkeys(shas))


# Nothing behind the address: a sentence that begins so speaks of the line.
_CO_AUTHOR = re.compile(
    r"( {0,4}+)(?:[*-] )?co-authored-by[ \t]*+:[ \t]*+([^<>\r\n]*+<[^<>\r\n]++>)[ \t\r]*+$", re.IGNORECASE
)
_SQUASH = "Squashed commit of the following:"
_AUTHOR = re.compile(r"Author: ([^\r\n<]++<[^\r\n>]++>)")
_INDENT = 2
"""Blanks before a line that still states something. Git indents the messages in its own squash message by four."""


def named_co_authors(message: Message) -> list[Trailer]:
    """Co-authors whom the message names above its trailers, each once, as trailers.

    Hosts join the messages of a squash, and people write a sign-off, an issue or a paragraph behind their co-authors.
    Lines that are indented or fenced, or that a line with a colon at its end announces, quote somebody.
    """
    is_squash = message.subject.startswith(_SQUASH)
    if "o-authored-by" not in message.body.lower() and not is_squash:
        return []
    found: dict[str, Trailer] = {}
    is_fenced, before = False, ""
    for line in message.body.split("\n"):
        text = line.strip(BLANK)
        if text.startswith(("```", "~~~")):
            is_fenced = not is_fenced
        match = None if is_fenced or before.endswith(":") else _CO_AUTHOR.match(line)
        if match is not None and (is_squash or len(match[1]) <= _INDENT):
            found.setdefault(match[2].strip(BLANK).lower(), Trailer("Co-authored-by", match[2].strip(BLANK)))
        elif is_squash and (author := _AUTHOR.match(line)):
            found.setdefault(author[1].lower(), Trailer("Co-authored-by", author[1]))
        before = text or before
    known = {value.lower() for key, value in message.trailers if key.lower() == "co-authored-by"}
    return [trailer for value, trailer in found.items() if value not in known]


_FIX_WORDS = (
    "fix", "bug", "fault", "error", "crash", "leak", "regress", "repair", "correct", "prevent", "avoid", "wrong",
    "broken", "invalid", "missing", "race", "overflow", "deadlock", "hang", "solve", "behob", "korrig", "corrig",
    "arregl", "исправ", "修复", "修正", "수정",
)  # fmt: skip
"""Searched one by one, which takes a tenth of the time of a pattern."""


def may_be_fix(message: str) -> bool:
    """Whether a message contains any hint at a fix. It is true for many other changes too."""
    message = message.lower()
    return any(word in message for word in _FIX_WORDS)
