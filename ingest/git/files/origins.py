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
    b" copy of ",
    b": https://",
    b"orked from",
    b"aken from",
    b"orrowed from",
    b"ifted from",
    b"mported from",
    b"lightly modified",
    b"icensed under ",
)
_TAKEN: Final = re.compile(
    r" from:? <?https?:|atest version: <?https?:|opied |(?:aken|orrowed|ifted|mported|orked) from|lightly modified"
    r"|icensed under [^\n]{2,60} by https?:|\bFrom [^\n]{2,40}: <?https?:|\b[Cc]opy of "
)
_COMMENT: Final = re.compile(
    r"(?:/\*[*!]?|//[/!]?|<!--|\"{3}|'{3}|\(\*|\{-|#(?=[\s#]|$)#*|--(?=[\s-]|$)|[;%\"]+(?=\s|$)| ?\*(?![\w/]))"
    r"[ \t]{0,3}(?P<text>.*)"
)
_BLOCKS: Final = {"/*": "*/", "<!--": "-->", '"""': '"""', "'" * 3: "'" * 3, "(*": "*)", "{-": "-}"}
_CLOSING: Final = re.compile(r"[ \t]{0,9}(?:\*/|-->|\"{3}|'{3}|\*\)|-\})$")
_WHOLE: Final = r"(?:file|module|class|component|script|plugin|source code|style ?sheet|theme)"
_TEXT: Final = r"(?:file|module|class|source code|style ?sheet)"
_REPOSITORY: Final = (
    r"https?://(?:www\.)?(?:github\.com|raw\.githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org)"
    r"/(?P<owner>[\w.-]{1,60})/(?P<name>[\w.-]{1,60})(?P<path>(?:/[\w.@+~%-]{1,100}){0,20})"
    r"/?>?[.]?[ \t]*(?:\*/|-->|\"{3}|'{3}|\*\)|-\})?\s*$"
)
# Of a library that it uses, a file also says "plugin taken from" or "this module is imported from".
_ORIGIN: Final = re.compile(
    rf"(?:(?P<latest>latest version:)|(?P<whole>(?:(?:this {_WHOLE}|{_TEXT}) (?:is |was )?"
    r"(?:copied|taken|borrowed|vendored|lifted)"
    rf"|this {_WHOLE} was imported|(?:this )?(?:file|source code) (?:is |was )?imported) from:?"
    r"|licen[sc]ed under [\w .,()-]{2,60} by)"
    # The name of a project stands before the address of its file: From Grid V1: https://github.com/…
    rf"|from (?:the )?(?-i:[A-Z])[\w.'-]{{1,30}}(?: v?\d[\w.]{{0,9}})?:"
    rf"|(?:is |was )?(?:copied|taken|borrowed|vendored|forked) from:?) <?{_REPOSITORY}",
    re.IGNORECASE,
)
# The path of a file in a package of others. Folders of one's own have the other names.
_COPY: Final = re.compile(
    r"(?:this (?:file )?is )?an? (?:exact |verbatim |unmodified )?copy of "
    r"(?P<package>(?!(?:app|apps|api|backend|client|cmd|common|core|frontend|internal|lib|libs|main|modules|packages|pkg"
    r"|plugins|public|scripts|server|services|shared|src|static|test|tests|tools|utils|web|www)/)[a-z][a-z0-9-]{1,40})"
    r"/(?:lib|src|dist)/(?:[\w.-]{1,60}/){0,8}(?P<file>[\w.-]{1,80}\w)[.]?(?=$|,? that is (?:slightly )?hacked\b)",
    re.IGNORECASE,
)
# Where hardly anything is new, the address ends the sentence, stands alone or behind a word that says origin.
_SLIGHTLY: Final = re.compile(
    rf"(?:this (?:{_WHOLE} )?(?:is |was ))?(?:an? |the )?slightly modified "
    r"(?:(?P<purpose>for)|from|(?:version|copy) of(?! (?:our|my)\b))\b:?",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(rf" (?:(?:the )?[\w.'-]{{1,40}} (?:from|at) )?<?{_REPOSITORY}")
_BESIDE: Final = re.compile(
    r"(?:(?:(?:original )?(?:source|version|code|file)|original|origin|(?:copied |taken )?from)(?:: ?| ))?"
    rf"<?{_REPOSITORY}",
    re.IGNORECASE,
)
# Folders of a host between a repository and its files.
FILES_OF_HOST: Final = ("blob", "raw", "tree", "commit", "src")
_FEWEST_PARTS: Final = 2
"""Parts of the address of a file below its repository: a branch and the name."""
# The repository of a standard library, and the endings of its files: a copy in another language is a port.
_HOMES: Final = {
    "rust": ("rust-lang/rust", (".rs",)),
    "go": ("golang/go", (".go", ".s")),
    "python": ("python/cpython", (".py", ".pyi", ".pyx")),
    "cpython": ("python/cpython", (".py", ".pyi", ".pyx", ".c", ".h")),
    "java": ("openjdk/jdk", (".java",)),
    "openjdk": ("openjdk/jdk", (".java", ".c", ".cpp", ".h", ".hpp")),
    "scala": ("scala/scala", (".scala",)),
    "kotlin": ("jetbrains/kotlin", (".kt",)),
    "swift": ("swiftlang/swift", (".swift",)),
    "ruby": ("ruby/ruby", (".rb",)),
    "haskell": ("ghc/ghc", (".hs",)),
    "glibc": ("gnu/glibc", (".c", ".h", ".S")),
    "musl": ("musl-libc/musl", (".c", ".h", ".S", ".s")),
}
# `core` and `alloc` are usual names of people's own crates, so only modules that are hardly theirs count.
_CRATES: Final = (
    r"std::\w{1,40}|core::(?:slice|str|iter|fmt|num|ptr)\b"
    r"|alloc::(?:slice|str|vec|string|collections|fmt|boxed|raw_vec)\b"
)
# The sentence ends behind the name, or says that hardly anything is new. Otherwise the name may be that of something
# else: the conventions of a library, or tests in its style.
_COPIED_LIBRARY: Final = re.compile(
    r"this (?:file|module|implementation|code|class|header|package|script) (?:is|was) "
    r"(?:(?:mostly|largely|almost|entirely|directly) ){0,2}"
    r"(?:copied(?: (?:verbatim|directly|straight|over|mostly|almost|entirely)){0,2}|taken|borrowed|lifted) from "
    r"(?:the )?[`'\"]?"
    rf"(?:(?P<crate>(?:{_CRATES})(?:::\w{{1,40}}){{0,4}})|(?P<project>cpython|openjdk|glibc|musl)\b"
    r"|(?P<language>rust|go|python|java|scala|kotlin|swift|ruby|haskell)(?:'s)? standard library\b)"
    r"[`'\"]?(?: (?:module|crate|package))?"
    r"(?:,? with (?:only |very |some )?(?:minimal|minor|small|trivial|few|no) (?:changes|modifications|tweaks|edits)\b"
    r"|(?:,? for (?:old|older|earlier|previous) (?:versions?|releases?))?(?=\.?[ \t]*(?:$|\n)|\. ))",
    re.IGNORECASE,
)
# Words by which an author says, in the comments at the top, that the copy was reworked.
REWORKED_WORDS = (
    r"modified|modifications?|adapted|adaptations?|adjusted|changed|changes|simplified|patched|patches|trimmed|ported"
    r"|tweaked|added|additions|extended|rewritten|rewrote|reworked|redesigned|refactored|restructured|reduced|stripped"
    r"|removed|replaced|renamed|converted|translated|generali[sz]ed|speciali[sz]ed|optimi[sz]ed|improved|customi[sz]ed"
    r"|enhanced|tuned|reimplemented|re-implemented|paralleli[sz]ed|diverged"
)
_REWORKED: Final = re.compile(rf"\b(?:{REWORKED_WORDS})\b", re.IGNORECASE)
_PERHAPS_REWORKED: Final = re.compile(
    rf"\b(?:{REWORKED_WORDS}|fixed|cleaned|merged|combined|split|differs?|differences?|heavily|loosely|partly|but|however|since"
    r"|then|instead|documentation|docs|api|example|we|i)\b",
    re.IGNORECASE,
)


def origins(text: str, name: str) -> Iterator[str]:
    """The repositories, as `owner/name`, or packages from which the first comment says that the file was taken."""
    if _TAKEN.search(text, 0, _ORIGIN_SIZE) is None:
        return
    said = " ".join(line for comment in comments(text) for line in comment)
    lines = [*next(comments("\n".join(text[:_ORIGIN_SIZE].split("\n")[:_ORIGIN_LINES])), []), ""]
    for number, line in enumerate(lines[:-1]):
        if number and not _begins(line, lines[number - 1]):
            continue
        paragraph = " ".join(lines[number : lines.index("", number)])
        library = _COPIED_LIBRARY.match(paragraph)
        if library is not None:
            beside = said.replace(library[0], "", 1)
            home, endings = _HOMES[(library["project"] or library["language"] or "rust").lower()]
            if name.endswith(endings) and _PERHAPS_REWORKED.search(beside) is None:
                yield home
            continue
        copy = _COPY.match(paragraph)
        if copy is not None:
            yield from _package_of(copy, said, name)
            continue
        slightly = _SLIGHTLY.match(line)
        if slightly is not None:
            behind = None if slightly["purpose"] else _BEHIND.match(line, slightly.end())
            addresses = [each for each in (behind, *map(_BESIDE.match, lines)) if each is not None]
            files = [each for each in addresses if _are_files(_parts(each), name)]
            if files and _REWORKED.search(_SLIGHTLY.sub("", said)) is None:
                yield _name_of(files[0])
            continue
        match = _ORIGIN.match(line)
        if match is None or lines[number + 1][:1].islower():
            continue
        if match["latest"] is None and _REWORKED.search(said.replace(line, "", 1)) is not None:
            continue
        parts = _parts(match)
        is_own_name = len(parts) >= _FEWEST_PARTS and parts[-1] == name
        if is_own_name or (match["whole"] is not None and _are_files(parts, name)):
            yield _name_of(match)


def _package_of(copy: re.Match[str], said: str, name: str) -> Iterator[str]:
    """The package whose file of this name was copied, unless a comment at the top says that it was reworked."""
    if copy["file"] == name and _REWORKED.search(said.replace(copy[0], "", 1)) is None:
        yield copy["package"].lower()


def _name_of(match: re.Match[str]) -> str:
    return f"{match['owner']}/{match['name'].rstrip('.').removesuffix('.git')}".lower()


def _parts(match: re.Match[str]) -> list[str]:
    """What an address names below its repository."""
    return match["path"].rstrip(".").split("/")[1:]


def _are_files(parts: list[str], name: str) -> bool:
    """Whether an address is that of a repository, of one of its versions, or of a file of the same kind."""
    if not parts:
        return True
    ending = parts[-1].rpartition(".")[2] if "." in parts[-1] else None
    return parts[0] in FILES_OF_HOST and (ending is None or name.endswith(f".{ending}"))


def _begins(line: str, before: str) -> bool:
    """Whether a line begins a sentence: after an empty line, after the end of a sentence, or with a capital."""
    return line[:1].isupper() or not before or before.endswith((".", ":", "!", "?", "-", "="))


def comments(text: str) -> Iterator[list[str]]:
    """The lines of each comment at the top without their signs: only empty lines and the interpreter stand between."""
    closing = None
    found: list[str] = []
    for number, line in enumerate(text.split("\n")):
        is_between = closing is None and (not line.strip() or (number == 0 and line.startswith("#!")))
        match = None if is_between else _COMMENT.match(line)
        # Inside a block the sign is that of the line, or none.
        is_code = not is_between and closing is None and (match is None or line.startswith((" ", "*")))
        opening = None
        if closing is None and not is_between and not is_code:
            opening = next((one for one in _BLOCKS if line.startswith(one)), None)
        if found and (is_between or is_code or opening is not None):
            yield found
            found = []
        if is_code:
            return
        if is_between:
            continue
        closing = closing if opening is None else _BLOCKS[opening]
        found.append(_CLOSING.sub("", (line if match is None else match["text"]).strip()))
        if closing is not None and closing in line[len(opening or "") :]:
            yield found
            found, closing = [], None
    if found:
        yield found
