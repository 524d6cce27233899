"""References to issues and commits in messages, added code lines and branch names.

These are candidates: `UTF-8`, `ISO-8859` and `CVE-2021` have the shape of a tracker's key and are found too. dbt
decides which references resolve to a known issue.

| shape     | written as                                                                  | target        |
|-----------|-----------------------------------------------------------------------------|---------------|
| key       | ABC-123; in any case in branches, issue trailers and after a closing keyword | ABC-123       |
| number    | #45, fixes#45, bug 45, `Issue: 45`, `Bugzilla ID: 45`, branch 45-title       | 45            |
| qualified | owner/repo#45, group/sub/repo#45                                             | owner/repo#45 |
| gh        | GH-45                                                                        | 45            |
| ab        | AB#45                                                                        | 45            |
| url       | address of an issue or pull request; any address in a trailer                | https address |
| sha       | `This reverts commit <sha>`, `Fixes: <sha>`                                  | as written    |

Add: forms that people write. Keep out: resolving them, spelling of addresses (`issue_urls`). The texts are
untrusted: patterns are bounded, and so is the number of references per text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ingest.git.messages.issue_urls import issue_address, plain_address
from ingest.git.messages.parse import Trailer, reverted_shas

MAX_IN_MESSAGE = 500
MAX_IN_LINE = 50


class Reference(NamedTuple):
    """`found_in` is subject, body, trailer, code or branch; `text` as written, `target` normalized."""

    found_in: str
    trailer_key: str | None
    shape: str
    text: str
    target: str


Found = tuple[str, str, str]
"""Shape, text and target."""

_END = r"(?![A-Za-z0-9]|[.-]\d)"
_CAPITALS = re.compile(rf"(?<![\w&.-])[A-Z][A-Z0-9_]{{1,14}}-[1-9]\d{{0,8}}{_END}", re.ASCII)
_LETTERS = re.compile(rf"(?<![\w&.-])[A-Za-z][A-Za-z0-9_]{{1,14}}-[1-9]\d{{0,8}}{_END}", re.ASCII)
_CLOSING = r"clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed)?|ref(?:s|erences)?"
_CLOSED_KEY = re.compile(
    rf"\b(?:{_CLOSING}|part of|related to):? ([a-z][a-z0-9_]{{1,14}}-[1-9]\d{{0,8}}){_END}",
    re.ASCII | re.IGNORECASE,
)
_HASH = re.compile(r"(?<!#)#([1-9]\d{0,8})(?![\w#])", re.ASCII)
# Characters before the # that belong to the same word.
_STEM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-&@%+~"
_STEM_LIMIT = 300
_QUALIFIED = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+){1,9}", re.ASCII)
_HASH_WORD = re.compile(rf"{_CLOSING}|issues?|bugs?|tickets?|see|pr|pull|gh", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:issues?|bugs?|tickets?|bugzilla|coverity)(?: (?:id|no\.?|number|issue|bug|report))?(?: |: ?)#?([1-9]\d{0,8})"
    r"(?![\w-]|\.\d)",
    re.ASCII | re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]{3,2000}")
_TRAILING = ".,;:!?)*_'"
_DIGIT = re.compile(r"\d", re.ASCII)


_BRANCH_KEY = re.compile(
    r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,14})-([1-9]\d{0,8})(?![A-Za-z0-9]|[.-]\d)", re.ASCII
)
_BRANCH_NUMBER = re.compile(
    r"(?:^|/)([1-9]\d{0,8})(?=[-_][A-Za-z])|(?:^|[/_-])(?:issues?|bugs?|tickets?|tasks?|gh)[/_]?#?([1-9]\d{0,8})(?![\w.])"
    r"|#([1-9]\d{0,8})(?!\w)",
    re.ASCII | re.IGNORECASE,
)
_BRANCH_WORDS = frozenset({"issue", "issues", "bug", "bugs", "ticket", "tickets", "task", "tasks", "fix"})
# These trailers name people, and addresses and names can look like references.
_NO_REFERENCE = re.compile(r".*-by|cc|change-id|git-svn-id|message-id", re.IGNORECASE)
_ISSUE_KEY = re.compile(
    rf"(?:{_CLOSING}|issues?|bugs?|tickets?|story|task|jira|bugzilla|coverity|redmine|related(?:-to)?|see(?:-also)?"
    r"|part-of|work[ -]?items?)(?:[ -](?:ids?|issues?|bugs?|url|link|numbers?|no|keys?))?",
    re.IGNORECASE,
)
# Lines in the form of trailers that Git does not accept: a blank in the key, or not in the last paragraph.
_LOOSE_TRAILER = re.compile(
    r"((?:bugzilla|coverity|bug|issue|ticket|jira|story|task|work item)(?: (?:ids?|issues?|bugs?|numbers?|keys?))?"
    r"|fix(?:es)?|close[sd]?|resolves?|refs?)[ \t]?:[ \t]*(\S.*)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"#?[1-9]\d{0,8}(?:[,;\s]+#?[1-9]\d{0,8})*(?:[,;.\s]*$|\b)", re.ASCII)
# Trackers without keys: a number refers to them even where words follow it.
_NUMBERING = re.compile(r"bugzilla|coverity", re.IGNORECASE)
_FIXED_SHA = re.compile(r"([0-9a-f]{7,40})(?=\s*(?:\(|$))")


def find_in_message(subject: str, body: str, trailers: list[Trailer]) -> list[Reference]:
    """References of a commit message, each once per place; `body` includes the trailers' lines."""
    return _distinct(_in_message(subject, body, trailers), MAX_IN_MESSAGE)


def _in_message(subject: str, body: str, trailers: list[Trailer]) -> Iterator[Reference]:
    if _DIGIT.search(subject):
        yield from (Reference("subject", None, *f) for f in _scan(subject))
    if _DIGIT.search(body):
        for place, key, text in _body_parts(body, trailers):
            found = _scan(text) if key is None else _scan_trailer(key, text)
            yield from (Reference(place, key, *f) for f in found)
        yield from (Reference("body", None, "sha", sha, sha) for sha in reverted_shas(body))


def _distinct(references: Iterable[Reference], most: int) -> list[Reference]:
    """The first reference to each target per place, whatever its spelling."""
    found: dict[tuple[str, str | None, str, str], Reference] = {}
    for reference in references:
        found.setdefault((reference[0], reference[1], reference[2], reference[4]), reference)
        if len(found) == most:
            break
    return list(found.values())


def may_hold_reference(text: bytes) -> bool:
    """Whether added code (one line or several) may contain a reference: a cheap test without false negatives."""
    return b"://" in text or _KEY_HINT.search(text) is not None or _HASH_HINT.search(text) is not None


# The patterns start with a literal byte, which the regular expression engine finds at the speed of memchr.
_KEY_HINT = re.compile(rb"-(?<=[A-Z0-9_]-)[1-9]")
_HASH_HINT = re.compile(rb"#(?<=[\w.-]#)[1-9]")


def find_in_line(line: bytes) -> list[Reference]:
    """References in an added line of code. A bare `#45` does not count: in code it is a color or a comment."""
    text = line.decode("utf-8", "replace")
    return _distinct((Reference("code", None, *f) for f in _scan(text, is_code=True)), MAX_IN_LINE)


def find_in_branch(name: str) -> list[Reference]:
    """References in a branch name such as `feature/abc-123-title`, `45-title` or `issue/45`."""
    found: list[Found] = []
    for match in _BRANCH_KEY.finditer(name):
        word, number = match[1].lower(), match[2]
        if word in _BRANCH_WORDS:
            found.append(("number", match[0], number))
        else:
            found.append(("gh", match[0], number) if word == "gh" else ("key", match[0], match[0].upper()))
    for match in _BRANCH_NUMBER.finditer(name):
        number = match[1] or match[2] or match[3]
        found.append(("number", number, number))
    return _distinct((Reference("branch", None, *f) for f in found), MAX_IN_LINE)


def _body_parts(body: str, trailers: list[Trailer]) -> Iterator[tuple[str, str | None, str]]:
    """Place, trailer key and text of each part to search. The lines of a trailer belong to the trailer only."""
    for key, value in trailers:
        if not _NO_REFERENCE.fullmatch(key):
            yield "trailer", key, value
    keys = {key for key, _ in trailers}
    lines = body.split("\n")
    first = max((i for i, line in enumerate(lines) if not line.strip()), default=-1) if keys else len(lines)
    kept, is_trailer = [], False
    for index, line in enumerate(lines):
        if index > first:
            is_trailer = line.partition(":")[0].rstrip() in keys or (is_trailer and line[:1] in " \t\r")
        if is_trailer:
            continue
        if loose := _LOOSE_TRAILER.match(line):
            yield "trailer", loose[1], loose[2]
        else:
            kept.append(line)
    yield "body", None, "\n".join(kept)


def _scan_trailer(key: str, value: str) -> Iterator[Found]:
    yield from _scan(value)
    for match in _ADDRESS.finditer(value):
        url = match[0].rstrip(_TRAILING)
        if issue_address(url) is None:
            yield "url", url, plain_address(url)
    if _ISSUE_KEY.fullmatch(key):
        if sha := _FIXED_SHA.match(value):
            yield "sha", sha[1], sha[1]
        elif (found := _NUMBERS.match(value)) and (found.end() == len(value) or _NUMBERING.match(key)):
            yield from (("number", n, n) for n in re.findall(r"\d+", found[0]))
        else:
            yield from (_key(text) for text in _LETTERS.findall(_ADDRESS.sub(" ", value)))


def _scan(text: str, *, is_code: bool = False) -> Iterator[Found]:
    if "://" in text:
        for match in _ADDRESS.finditer(text):
            url = match[0].rstrip(_TRAILING)
            if target := issue_address(url):
                yield "url", url, target
        text = _ADDRESS.sub(" ", text)
    if "#" in text:
        yield from _scan_hashes(text, is_code=is_code)
    if "-" in text:
        yield from (_key(found) for found in _CAPITALS.findall(text))
        if not is_code:
            yield from (_key(found) for found in _CLOSED_KEY.findall(text))
    if not is_code:
        yield from (("number", match[0], match[1]) for match in _NAMED.finditer(text))


def _key(text: str) -> Found:
    prefix, _, number = text.rpartition("-")
    return ("gh", text, number) if prefix.upper() == "GH" else ("key", text, text.upper())


def _scan_hashes(text: str, *, is_code: bool) -> Iterator[Found]:
    for match in _HASH.finditer(text):
        before = text[max(0, match.start() - _STEM_LIMIT) : match.start()]
        stem = before[len(before.rstrip(_STEM)) :].lstrip(".-~")
        number = match[1]
        if stem == "AB":
            yield "ab", f"AB#{number}", number
        elif "/" in stem:
            if _QUALIFIED.fullmatch(stem):
                yield "qualified", f"{stem}#{number}", f"{stem}#{number}"
        elif not is_code and (not stem or _HASH_WORD.fullmatch(stem)):
            yield "number", f"#{number}", number
