"""Commit messages taken apart: subject, body, trailers, and what they say about merges and reverts.

Add: facts that a message states in a fixed form. Keep out: issue references (references.py), AI signals and
categories (rules over these facts, in dbt).

Messages are written by anyone and may hold anything, so every pattern here takes time linear in the text:
possessive or bounded repetition only, anchored where it can be. Rules for subject and trailers are Git's own
(`%s`, `%b`, `%(trailers:only,unfold)`).
"""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

from ingest.errors import UnsupportedTarget
from ingest.git import origin as origins

BLANK = " \t\r\n"
"""What Git takes for white space in messages (form feeds are text)."""

# Declared encodings that are text of people; others (punycode, unicode_escape) are slow or change meaning.
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


class Person(NamedTuple):
    """Name and address as written; the address is empty where there is none."""

    name: str
    email: str


class MergeFacts(NamedTuple):
    """What a message says of the branches and the pull request that a commit brought in.

    `is_squash_hint` says that the subject has the form that hosts give a squashed pull request.
    """

    branches: list[str]
    pull_request: str | None
    is_squash_hint: bool


def decode(raw: bytes, encoding: str | None = None) -> str:
    """Text of a message: in its declared encoding, else as UTF-8 with U+FFFD for what is none."""
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
    """Take a message apart. It ends at the first NUL, as it does for Git."""
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
    """Trailers of the last paragraph, if Git takes it for a block of trailers.

    It is one when all of its lines are trailers, or when a quarter are and Git itself wrote one of them.
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


# A subject longer than this is no merge's or pull request's: the forms below are tried on its beginning.
_SUBJECT_LIMIT = 1000
_MERGED_SIDE = re.compile(
    r"(?:, | and |(?: of [^\s;]++)?; )?+"
    r"(?:(?P<remote>remote-tracking branch(?:es)?|remote branch) |(?P<local>branch(?:es)?|topic) |(?P<other>\w+) )?+"
    r"'(?P<name>[^'\n]*+)'"
)
# `branch` is empty where the form does not name it. The owner before a slash is no part of a branch.
_PULL_REQUEST = (
    # GitHub, Gitea
    re.compile(r"Merge pull request #(?P<number>\d{1,9}) from (?:[^/\s]+/)?(?P<branch>\S+)"),
    re.compile(r"Merge pull request '.*' \(#(?P<number>\d{1,9})\) from (?:[^/\s]+/)?(?P<branch>\S+)"),
    # Bitbucket Data Center and Cloud
    re.compile(r"Merge pull request #(?P<number>\d{1,9}) in \S+ from (?P<branch>\S+) to \S"),
    re.compile(r"Pull request #(?P<number>\d{1,9}): (?P<branch>)"),
    re.compile(r"Merged in (?P<branch>\S+) \(pull request #(?P<number>\d{1,9})\)"),
    # Azure DevOps, the first for merges and squashes alike
    re.compile(r"Merged PR (?P<number>\d{1,9}): (?P<branch>)"),
    re.compile(r"Merge pull request (?P<number>\d{1,9}) from (?P<branch>\S+) into \S"),
    # bors
    re.compile(r"Auto merge of #(?P<number>\d{1,9}) - [^:\s]+:(?P<branch>\S+), r="),
    re.compile(r"Merge #(?P<number>\d{1,9})(?P<branch>)(?![\w-])"),
)
_SQUASHED = re.compile(r"\((?:pull request )?[#!](\d{1,9})\)$|^(?:Merged PR|Pull request #?) ?(\d{1,9}): ")
_MERGE_REQUEST = re.compile(r"^See merge request (?:\S*?)!(\d{1,9})$", re.MULTILINE)
_BITBUCKET_BODY = re.compile(r"^Merge in \S+ from (\S+) to \S+$", re.MULTILINE)

_DEFAULT_MERGED = re.compile(
    r"Merge (?:branch '(?P<local>[^'\n]+)'|remote(?:-tracking)? branch '(?:refs/remotes/)?"
    r"(?P<remote>origin|upstream)/(?P<tracked>[^'\n]+)')"
    r"(?: of (?P<place>\S+))?(?: into (?P<into>\S+))?[ \t\r]*(?:\n|$)"
)
_RENAMED = ("main", "master")


def merge_facts(subject: str, body: str) -> MergeFacts:
    """Branches and pull request that a message names, in the forms of Git and of the usual hosts."""
    subject = subject[:_SUBJECT_LIMIT]
    squashed = _SQUASHED.search(subject)
    number = (squashed[1] or squashed[2]) if squashed else None
    branches: list[str] = []
    if subject.startswith(("Merge", "Auto merge", "Pull request")):
        match = next((m for form in _PULL_REQUEST if (m := form.match(subject))), None)
        if match:
            number = match["number"]
            branches = [match["branch"]] if match["branch"] else []
            if not branches and (found := _BITBUCKET_BODY.search(body)):
                branches = [found[1]]
        else:
            branches = _merged_branches(subject)
    if number is None and (found := _MERGE_REQUEST.search(body)):
        number = found[1]
    return MergeFacts(branches, number, squashed is not None)


def _merged_branches(subject: str) -> list[str]:
    """Branches of Git's own merge message, without the name of their remote; tags and commits are none."""
    branches: list[str] = []
    position = len("Merge ")
    is_branch = is_remote = False
    while subject.startswith("Merge ") and (match := _MERGED_SIDE.match(subject, position)):
        if match["remote"] or match["local"] or match["other"]:  # the kind holds until another one is named
            is_branch, is_remote = match["other"] is None, match["remote"] is not None
        if is_branch:
            branches.append(match["name"].partition("/")[2] if is_remote else match["name"])
        position = match.end()
    return branches


def names_default_branch_as_merged_side(message: str, default_branch: str, origin: str | None = None) -> bool:
    """Whether a merge says that it merged the default branch into something else.

    True for `Merge branch 'main' [of <this repository>] [into work]` and `Merge remote-tracking branch
    'origin/main' [into main]`; `master` counts for `main` and the other way round, since branches get renamed.
    `upstream` is what those who work in a fork call this repository: it counts where they merged it into a branch of
    theirs. Never for a pull request, for another remote's branch, or for a branch of the same name of another
    repository (told by the normalized `origin`, where it is known).
    """
    match = _DEFAULT_MERGED.match(message.lstrip(BLANK)[:_SUBJECT_LIMIT])
    if match is None or _MERGE_REQUEST.search(message):
        return False
    names = {default_branch, *(_RENAMED if default_branch in _RENAMED else ())}
    place, into = match["place"], match["into"]
    if (match["local"] or match["tracked"]) not in names:
        return False
    if match["remote"] == "upstream":
        return place is None and into is not None and into.strip("'") not in names
    if place is None:
        # A branch merged into its own namesake comes from a fork.
        return match["local"] is None or into is None or into.strip("'") not in names
    return origin is None or place == "." or _is_same_repository(place, origin)


def _is_same_repository(address: str, origin: str) -> bool:
    """Same owner and name: the host may go by another name in somebody's ssh configuration."""
    try:
        normalized = origins.normalize(address)
    except UnsupportedTarget:
        return False
    return origins.display_name(normalized).lower() == origins.display_name(origin).lower()


# What `git revert` writes, also for merges, several commits and in part; and the type of Conventional Commits.
_REVERT_SUBJECT = re.compile(r"Revert \"|revert(?:\([^()\n]{0,100}\))?!?: ", re.IGNORECASE)
_REVERTS = re.compile(r"\bThis (?:partially )?reverts (?:the )?(?:merge )?commits? ", re.IGNORECASE)
_REVERTED = "everts "  # found at once, unlike the pattern
_SHA_LIST = re.compile(r"(?:, and |, | and )?([0-9a-f]{7,40})\b")


def is_revert(subject: str, body: str) -> bool:
    """Whether the message is that of a marked revert."""
    return _REVERT_SUBJECT.match(subject) is not None or (_REVERTED in body and bool(_REVERTS.search(body)))


def reverted_shas(body: str) -> list[str]:
    """Commits (possibly abbreviated) that the message says it reverts."""
    shas: list[str] = []
    if _REVERTED not in body:
        return shas
    for match in _REVERTS.finditer(body):
        position = match.end()
        while found := _SHA_LIST.match(body, position):
            shas.append(found[1])
            position = found.end()
    return list(dict.fromkeys(shas))


_PERSON = re.compile(r"([^<>]*+)<([^<>]*+)>")


def co_authors(trailers: list[Trailer]) -> list[Person]:
    """People of the `Co-authored-by` trailers, in order, each once."""
    people = []
    for key, value in trailers:
        if key.lower() == "co-authored-by":
            match = _PERSON.match(value)
            person = Person(match[1].strip(), match[2].strip()) if match else Person(value.strip(), "")
            people.append(person)
    return list(dict.fromkeys(people))


_FIX_WORDS = re.compile(
    r"fix|bug|fault|error|crash|leak|regress|repair|correct|prevent|avoid|wrong|broken|invalid|missing|race|overflow|"
    r"deadlock|hang|solve|behob|korrig|corrig|arregl|исправ|修复|修正|수정",
    re.IGNORECASE,
)


def may_be_fix(message: str) -> bool:
    """Whether anything in a message hints at a fix; true for far more than fixes."""
    return _FIX_WORDS.search(message) is not None
