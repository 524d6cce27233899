"""Lines of copyright and of authors in the head of a file: whose work it says it is.

Keep out: sentences about the origin of a file (`origins`), and whether the holder belongs to the project, which SQL
judges over the whole history (`int_exclusions__foreign_holders`).
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from ingest.git.files.namesakes import NAMESAKE_WORDS, namesakes
from ingest.git.files.origins import ORIGIN_WORDS, origins


class Copyright(NamedTuple):
    """The name in a line of copyright or of an author, in lower case without years, legal form and address.

    A library that states its name and version in a kept comment, and a repository from which the file says it was
    taken, are names too. A repository is written `owner/name`.

    The last year is None beside a first one where the line goes on to the present.
    """

    holder: str
    address: str | None
    is_author: bool
    first_year: int | None = None
    last_year: int | None = None


MOST_HOLDERS: Final = 8
"""Names of one file that are kept. Longer lists are those of licences and of lists of authors."""
_LONGEST_HOLDER: Final = 120
_LONGEST_LINE: Final = 300
_SPELLINGS: Final = (
    b"opyright",
    b"OPYRIGHT",
    b"(c)",
    b"(C)",
    "©".encode(),
    b"uthor",
    b"AUTHOR",
    b"aintainer:",
    b"icensed to ",
    b"orted ",
    b"/*!",
    *ORIGIN_WORDS,
    *NAMESAKE_WORDS,
)
_SPELLED: Final = ("copyright", "(c)", "©", "author", "maintainer:", "licensed to ", "ported ")

# Signs of comments and few words stand before the statement; in code and in sentences it stands inside.
_LINE: Final = re.compile(
    r"[\W_]*(?:[\w.+-]{1,30}(?: [\w.+-]{1,30}){0,3}[,:;.] )?"
    r"(?:(?:spdx-file)?copyright(?:text)?\b[ \t:,>]*(?:copyright\b[ \t]*)?(?:\(c\)|©|&copy;|\ufffd)?"
    r"|(?:\(c\)|©)(?=[ \t]*\d{4}))[ \t:,]*(?P<rest>.*)",
    re.IGNORECASE,
)
_AUTHOR_LINE: Final = re.compile(
    # Behind the name and the version of a library too
    r"[\W_]*(?:(?:[\w./-]{2,40}[ \t]v?\d[\w.]{0,9}[ \t])?@author\b"
    r"|(?P<ported>ported)(?: to [\w.+#]{1,20})? by\b(?=[^\n]{3,60}(?:@|https?:))"
    # A name: `ported by hand from` names nobody.
    r"(?=[ \t:]*(?-i:(?![a-z\u00df-\u00ff])[^\W\d_]))"
    r"|(?:original |main |module )?(?:author|maintainer)s?(?:__)?[ \t]*(?::|=[ \t]*(?=[\"'])))"
    r"[ \t:=\"']*(?P<rest>.*)",
    re.IGNORECASE,
)
# Behind the name of who ported a file stands where it comes from.
_SOURCE_OF_PORT: Final = re.compile(r"\b(?:from|see)\b", re.IGNORECASE)
# A value of a program: `Author: info.Author,`. One letter before the point is an initial.
_CODE: Final = re.compile(r"[\w\[\]]{2,}(?:(?:\.|->|::)\w+[\w.()\[\]]*|\(.*\)),?;?\s*(?://.*)?$")
# A login behind the sign of a comment is no value: `# Author: jane.doe`.
_COMMENTED: Final = re.compile(r"\s*(?:#|/[/*]|\*|%|;|--|<!--|\.\\\")[^\n]*[^\s,;)]\s*$")
# A foundation to which many people gave their work names itself so. Next to it stands whose copyright it is.
_GRANT_LINE: Final = re.compile(
    r"[\W_]*licensed to (?!you\b|the user)(?P<rest>\S.{0,58}\S)(?: \([A-Za-z]{2,8}\))? under one\b",
    re.IGNORECASE,
)
_YEAR_PART: Final = (
    r"(?:\b(?:19|20)\d\d\b\+?|\b(?:present|now|today|onwards?|since(?=\s+\d))\b"
    # Names of companies have these words too.
    r"|(?<=\d)\s*[-\u2013\u2014]\s*(?:to[ -])?(?:current|date|ongoing|later)\b"
    r"|(?<=\d)\s+(?:to|until|till|and)\s+(?:current|date|present|now|today|later|onwards?)\b"
    r"|[-\u2013\u2014,/~]\s*\d{1,2}\b|[-\u2013\u2014,/~]|\(c\)|©|\band\b|\s)"
)
_YEARS: Final = re.compile(_YEAR_PART + "+", re.IGNORECASE)
_LAST_YEARS: Final = re.compile(rf"(?:\bsince\s+)?\b(?:19|20)\d\d\b\+?{_YEAR_PART}*[.]?$", re.IGNORECASE)
_LATER_YEARS: Final = re.compile(r"\b(?:19|20)\d\d(?:\s*[-\u2013,]\s*\d{1,4})*\b")
# The second number of a day is a month.
_YEAR: Final = re.compile(
    r"\b(?P<year>(?:19|20)\d\d)\b(?:\s?[-\u2013\u2014](?P<short>\d{1,2})\b(?!\s?[-\u2013\u2014]))?"
)
# A range that goes on to the present, in words or because nothing ends it.
_OPEN: Final = re.compile(
    r"\b(?:present|now|today|onwards?|since|current|date|ongoing|later)\b"
    r"|\d\s*(?:\+|[-\u2013\u2014]+\s*(?:$|[^\d\s\u2013\u2014-]))",
    re.IGNORECASE,
)
_SIGNS: Final = " \t*#/;-!%\"'"
_ADDRESS: Final = re.compile(
    r"[<(\[]?(?P<user>[\w.+-]{1,64})(?:@|[ (\[<]{1,2}at[)\]> ]{1,2})"
    r"(?P<host>[\w-]{1,64}(?:(?:\.|[ (\[<]{1,2}dot[)\]> ]{1,2})[\w-]{1,64}){1,5})[>)\]]?",
    re.IGNORECASE,
)
_DOTS: Final = re.compile(r"[ (\[<]{1,2}dot[)\]> ]{1,2}", re.IGNORECASE)
# What follows the name of a holder. A point after one letter is that of an initial.
_END: Final = re.compile(
    r"[;|*\"<(]|\{@|'(?:\s|$)|(?<!\b[^\W\d_])\.(?=\s|$)|\s[-\u2013\u2014/]\s|\s/|https?:|www\."
    r"|\b(?:all rights|(?:dual )?licen[sc]ed?|released|distributed|see|under|permission|use of|based on|derived from)\b"
    r"|\brfc[ -]?\d",
    re.IGNORECASE,
)
_FORMS: Final = re.compile(
    r"[,.]|\b(?:by|the|inc|incorporated|ltd|limited|llc|llp|corp|corporation|company|co|gmbh|ag|kg|bv|sas|srl|oy|ab"
    r"|et al|(?:(?:and|or|and/or|&) )?(?:its |all |other |individual )*"
    r"(?:contributors|others|affiliates|subsidiaries))\b",
    re.IGNORECASE,
)
# Words of licences, of code and of placeholders.
_NO_HOLDER: Final = re.compile(
    r"[{}\[\]$%=+\\`]|__|\b(?:notices?|holders?|owners?|statements?|permission|infringement|laws?|disclaimer|licenses?"
    r"|licences?|files?|years?|yyyy|your|fullname|name of|extent|string|above|shall|retain|must|protected|this|that|is"
    r"|was|are|if|not|author's|any|may|with|function|return|const|char|var|let|int|symbol|sign)\b",
    re.IGNORECASE,
)
# Builds keep such a comment: people who publish a library write its name, its version and its licence there.
_BANNER: Final = re.compile(
    r"\s{0,99}(?:@charset [^\n]{1,20}\s{1,9})?/\*!{1,3}[\s*=-]{1,99}"
    r"(?P<name>[A-Za-z][\w.+-]{1,39}(?: [A-Za-z][\w.+-]{1,39}){0,3}?)(?:,? (?:- )?v(?:ersion )?|[ @])\d+\.\d"
)
_LICENSED: Final = re.compile(r"licen[sc]ed?\b", re.IGNORECASE)
# People also name the terms of their own product.
_PUBLIC_LICENCE: Final = re.compile(
    r"\b(?:MIT|BSD|ISC|Apache|MPL|Mozilla|[AL]?GPL\w*|GNU|WTFPL|OFL|CC0|Creative Commons|Unlicense)\b"
)
# Words of sentences, which speak of a library that the file uses.
_NO_LIBRARY: Final = re.compile(
    r"\b(?:for|with|without|of|to|from|on|in|by|and|or|the|our|my|this|these|needs?|requires?|supports?|uses?|using"
    r"|works?|includes?|contains?|wraps?|extends?|overrides?|replaces?|based|built|tested|compatible|depends?|targets?"
    r"|fixes|fix|adds?|loads?|imports?|styles?|themes?|patch(?:es)?|see)\b",
    re.IGNORECASE,
)
_USES: Final = re.compile(
    r"\b(?:uses|requires|needs|supports|(?:depends|based|built) (?:up)?on)\b", re.IGNORECASE
)
_BANNER_SIZE: Final = 600
# A line of a comment that says a name and a version, and no more than an address or who published it.
_STATED: Final = re.compile(
    r"(?m)^[ \t]*(?:/\*+!?|\*|//+!?|#+|<!--|--|;+)[ \t]*(?P<name>[A-Za-z][\w.+-]{1,39}(?: [A-Za-z][\w.+-]{1,39}){0,4}?)"
    r"(?:,?[ \t]+(?:- )?v?(?:ersion )?|[@-]v?)\d+\.\d+[\w.+-]*(?:[ \t]*(?:[(|,;*-]|https?:|\u00a9)[^\n]{0,99})?\s?$"
)
_NO_LETTER: Final = re.compile(r"[^a-z]+")
_SHORTEST_LIBRARY: Final = 4
"""Letters of a name that says more than an ending."""
# Names of projects write it for the letter.
_MICRO: Final = str.maketrans("\u00b5\u03bc", "uu")
_NAME: Final = re.compile(r"[^\W\d_]{2}")


def may_hold_copyrights(head: bytes) -> bool:
    """Whether a head, or some of its lines, may have a name: a quick look that spares most heads the other."""
    return any(spelling in head for spelling in _SPELLINGS)


def copyrights(head: bytes, path: str | None = None) -> list[Copyright]:
    """The names in the lines of copyright and of authors of a head, in order, each once.

    With the path of the file, the head is the beginning of the file, which may also state an origin.
    """
    if not may_hold_copyrights(head):
        return []
    text = head.decode("utf-8", "replace")
    lines = text.split("\n")
    found: list[Copyright] = []
    if path is not None:
        library = released(head)
        name = path.rpartition("/")[2]
        found += [] if library is None else [library[0]]
        found += [
            Copyright(one, None, is_author=False) for one in (*origins(text, name), *namesakes(text, name))
        ]
    for number, line in enumerate(lines):
        lower = line.lower()
        if len(line) <= _LONGEST_LINE and any(spelled in lower for spelled in _SPELLED):
            below = lines[number + 1][:_LONGEST_LINE] if number + 1 < len(lines) else ""
            one = _named(line, below)
            found += [] if one is None else [one]
    return each_once(found)


def each_once(named: Iterable[Copyright]) -> list[Copyright]:
    """The names in order, each once with the years of all its lines, and not more than are kept."""
    found: dict[tuple[str, str | None, bool], Copyright] = {}
    for one in named:
        found[one[:3]] = _joined(found.get(one[:3]), one)
    return list(found.values())[:MOST_HOLDERS]


def released(head: bytes) -> tuple[Copyright, int] | None:
    """The library that states its name, version and licence in a kept comment, and the number of the line with them."""
    if b"/*!" not in head[:_BANNER_SIZE]:
        return None
    text = head[:_BANNER_SIZE].decode("utf-8", "replace")
    match = _BANNER.match(text)
    if match is None:
        return None
    comment = text[match.start("name") :].partition("*/")[0]
    is_licensed = _LICENSED.search(comment) is not None and _PUBLIC_LICENCE.search(comment) is not None
    if not is_licensed or _USES.search(comment) is not None:
        return None
    if _NO_HOLDER.search(match["name"]) is not None or _NO_LIBRARY.search(match["name"]) is not None:
        return None
    return Copyright(match["name"].lower(), None, is_author=False), text.count("\n", 0, match.end()) + 1


def stated_versions(lines: bytes, path: str) -> list[Copyright]:
    """The library of the file's own name that lines of its first comment state with a version, as next versions do."""
    stem = _NO_LETTER.sub("", path.rpartition("/")[2].partition(".")[0].lower())
    if len(stem) < _SHORTEST_LIBRARY:
        return []
    found = []
    for match in _STATED.finditer(lines.decode("utf-8", "replace")):
        name = _NO_LETTER.sub("", match["name"].lower())
        if len(name) >= _SHORTEST_LIBRARY and (stem.startswith(name) or name.startswith(stem)):
            found.append(Copyright(" ".join(match["name"].lower().split()), None, is_author=False))
    return found


# A project has few such lines.
@lru_cache(maxsize=4_096)
def _named(line: str, below: str) -> Copyright | None:
    match = _LINE.match(line)
    if match is None and (match := _GRANT_LINE.match(line)) is not None:
        return _holder(match["rest"], is_author=False)
    if match is None:
        match = _AUTHOR_LINE.match(line)
        if match is None or (
            _CODE.match(match["rest"]) is not None
            and "@author" not in line
            and _COMMENTED.match(line) is None
        ):
            return None
        rest = match["rest"]
        if match["ported"] is not None:
            rest = _SOURCE_OF_PORT.split(rest, maxsplit=1)[0]
        return _holder(rest, is_author=True)
    rest = match["rest"]
    # Long lists of years go on in the next line.
    if _YEARS.fullmatch(rest.rstrip(_SIGNS)) is not None:
        rest = f"{rest.rstrip(_SIGNS)} {below.lstrip(_SIGNS)}"
    return _holder(rest, is_author=False)


def _holder(rest: str, *, is_author: bool) -> Copyright | None:
    address = _ADDRESS.search(rest)
    shown = None if address is None else f"{address['user']}@{_DOTS.sub('.', address['host'])}".lower()
    named = rest if address is None else f"{rest[: address.start()]} {rest[address.end() :]}"
    years = _YEARS.match(named)
    front = "" if years is None else years[0]
    named = named[len(front) :]
    end = _END.search(named)
    named = named if end is None else named[: end.start()]
    # Other years of the line are those of standards and licences.
    last_years = _LAST_YEARS.search(named)
    back = "" if last_years is None else last_years[0]
    named = named[: len(named) - len(back)]
    if _NO_HOLDER.search(named) is not None:
        return None
    holder = " ".join(_FORMS.sub(" ", _LATER_YEARS.sub(" ", named)).lower().translate(_MICRO).split()).strip(
        " -&/'@\u2013\u2014\ufffd"
    )
    if _NAME.search(holder) is None or len(holder) > _LONGEST_HOLDER:
        return None
    return Copyright(holder, shown, is_author, *_span(front, back))


def _span(*parts: str) -> tuple[int | None, int | None]:
    """The first and the last year of the years before and after a name."""
    years = []
    for part in parts:
        for match in _YEAR.finditer(part):
            years.append(int(match["year"]))
            if match["short"] is not None:
                years.append(_full_year(match["year"], match["short"]))
    if not years:
        return None, None
    return min(years), None if any(_OPEN.search(part) for part in parts) else max(years)


def _full_year(first: str, short: str) -> int:
    """The year that a range writes short: 1998-99, 1999-02."""
    year = int(first[: -len(short)] + short)
    return year if year >= int(first) else year + 10 ** len(short)


def _joined(before: Copyright | None, one: Copyright) -> Copyright:
    """Two lines of one holder as one, with the years of both."""
    if before is None or before.first_year is None or one.first_year is None:
        return one if before is None or before.first_year is None else before
    goes_on = before.last_year is None or one.last_year is None
    last = None if goes_on else max(before.last_year or 0, one.last_year or 0)
    return one._replace(first_year=min(before.first_year, one.first_year), last_year=last)
