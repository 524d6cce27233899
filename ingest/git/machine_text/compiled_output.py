"""Files that a compiler wrote from another file of the same tree: TypeScript and its JavaScript, SCSS and its CSS.

Names find the pair and words confirm it. Add: an ending that a compiler writes, with the endings that it reads. Keep
out: marks of compilers (`marks`), copied blocks of lines (`classify.copied`).
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

COMPARED_BYTES: Final = 131_072
"""Bytes at the start of both files that are compared."""

# Endings that a compiler writes, and those of the files that it reads.
_TRANSLATED: Final = {
    ".d.ts": ".ts .tsx",
    ".d.mts": ".mts",
    ".d.cts": ".cts",
    ".bs.js": ".res .re .ml",
    ".res.js": ".res",
    ".js": ".ts .tsx .jsx .coffee .litcoffee .ls .res .civet",
    ".jsx": ".tsx",
    ".mjs": ".mts .ts .res",
    ".cjs": ".cts .ts",
    ".css": ".scss .sass .less .styl",
    ".rtl.css": ".css .scss .sass .less .styl",
    ".lua": ".fnl .moon .tl",
    ".el": ".org",
    ".1": ".1.md .1.ronn .1.adoc .1.scd .1.rst .1.pod .md .adoc .scd .pod",
    ".5": ".5.md .5.ronn .5.adoc .5.scd .5.rst .5.pod",
    ".7": ".7.md .7.ronn .7.adoc .7.scd .7.rst .7.pod",
    ".8": ".8.md .8.ronn .8.adoc .8.scd .8.rst .8.pod",
    ".html": ".pug .jade .haml .slim",
}
# The same for compilers that add much text of their own.
_EXPANDED: Final = {
    ".tab.c": ".y",
    ".tab.h": ".y",
    ".yy.c": ".l",
    ".c": ".pyx .vala .y .l .rl .re .gperf .ec .pgc",
    ".cpp": ".pyx .yy .ypp .ll .lpp .rl .re",
    ".cc": ".pyx .yy .ll .l .rl",
    ".h": ".y .vala .gperf",
    ".py": ".ui",
}
_ENDINGS: Final = {ending: tuple(sources.split()) for ending, sources in (_TRANSLATED | _EXPANDED).items()}
_OUTPUT: Final = re.compile(
    r"(?:^|/)[^/]*?(\.(?:d\.[mc]?ts|(?:bs|res)\.js|rtl\.css|tab\.[ch]|yy\.c|[a-z]+|[1578]))$"
)

_OUTPUT_FOLDERS: Final = frozenset(
    {
        "lib", "libs", "dist", "build", "out", "output", "js", "css", "stylesheets", "javascripts", "es", "esm", "cjs",
        "commonjs", "public", "static", "compiled", "lua", "www",
    }
)  # fmt: skip
_SOURCE_FOLDERS: Final = (
    "src", "source", "ts", "typescript", "coffee", "scss", "sass", "less", "styles", "fnl", "app",
)  # fmt: skip

_WORD: Final = re.compile(rb"[A-Za-z_$][\w$-]{3,}")
_LEAST_WORDS: Final = 8
_TRANSLATED_SHARE, _STYLE_SHARE, _EXPANDED_SHARE = 0.6, 0.3, 0.5
"""Shares of the words that both files have. Compilers of style sheets join names and write out imports."""
_IMPORTED_SHARE: Final = 0.8
"""The same of a style sheet and all that its source imports."""
_STYLE_SOURCES: Final = (".scss", ".sass", ".less", ".styl")
_IMPORT: Final = re.compile(rb"@import\s{1,9}(?:\([\w, ]{1,40}\)\s{0,9})?([^;\n]{1,1000})")
_IMPORTED: Final = re.compile(rb"['\"]([\w./-]{1,200})['\"]")
_MOST_IMPORTS: Final = 64
_LISTED_BYTES: Final = 4_096
"""The largest source that only lists imports: the search for comments takes the square of the size."""
_STYLE_COMMENT: Final = re.compile(rb"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
# Below the folder of the source: packages and files of other folders are used by style sheets that people write.
_IMPORT_BELOW: Final = re.compile(
    rb"\s*@import\s{1,9}['\"](?:\./)?[\w-]{1,60}(?:/[\w.-]{1,60}){1,9}['\"]\s{0,9}(?:;|\Z)"
)
_FOLDERS_OF_PACKAGES: Final = re.compile(
    rb"['\"](?:\./)?(?:node_modules|bower_components|vendors?|packages)/"
)
_COMPILER_WORDS: Final = frozenset(
    b"strict exports require __esModule defineProperty Object value true default prototype function return this void"
    b" undefined arguments apply call module string object typeof null number __importDefault __importStar"
    b" __awaiter __generator __createBinding __extends __assign __rest __decorate hasOwnProperty".split()
)


@lru_cache(maxsize=65_536)
def sources_of(path: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Folders and names of the files that a compiler may have read: beside it, and where sources would lie."""
    return tuple(_sources_of(path))


def _sources_of(path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    match = _OUTPUT.search(path)
    if match is None or match[1] not in _ENDINGS:
        return
    folder, _, name = path[: -len(match[1])].rpartition("/")
    names = tuple(name + source for source in _ENDINGS[match[1]])
    if match[1] == ".py":
        names += (re.sub("(?i)^ui_", "", name) + ".ui",)
    if name:
        for base in _folders(folder):
            yield base, names


def _folders(folder: str) -> Iterator[str]:
    """The folder itself, and with one folder of output replaced by one of sources or left out."""
    yield folder
    parts = folder.split("/") if folder else []
    for at, part in enumerate(parts):
        if part in _OUTPUT_FOLDERS:
            for other in _SOURCE_FOLDERS:
                yield "/".join((*parts[:at], other, *parts[at + 1 :]))
            yield "/".join((*parts[:at], *parts[at + 1 :]))


def may_import(path: str) -> bool:
    """Whether the file is a source of a style sheet, whose imports a compiler writes out."""
    return path.endswith(_STYLE_SOURCES)


def imports_of(path: str, source: bytes) -> list[tuple[str, tuple[str, ...]]]:
    """Folders and names of the files that a source of a style sheet imports."""
    if not may_import(path):
        return []
    found: list[tuple[str, tuple[str, ...]]] = []
    ending = path[path.rfind(".") :]
    for line in _IMPORT.finditer(source[:COMPARED_BYTES]):
        for name in _IMPORTED.findall(line[1]):
            folder, _, file = posixpath.normpath(f"{posixpath.dirname(path)}/{name.decode()}").rpartition("/")
            names = (file,) if file.endswith(_STYLE_SOURCES) else (file + ending, f"_{file}{ending}")
            found.append((folder.lstrip("/"), names))
    return found[:_MOST_IMPORTS]


def only_imports(source: bytes) -> bool:
    """Whether a source of a style sheet has nothing but imports of own files, in folders below its own.

    Where the tree has none of them, people keep what a compiler wrote, and the sources elsewhere.
    """
    if len(source) > _LISTED_BYTES:
        return False
    text = _STYLE_COMMENT.sub(b"", source)
    return (
        _IMPORT_BELOW.match(text) is not None
        and _FOLDERS_OF_PACKAGES.search(text) is None
        and not _IMPORT_BELOW.sub(b"", text).strip()
    )


def is_compiled_with_imports(output: bytes, sources: Sequence[bytes]) -> bool:
    """Whether a source of a style sheet and what it imports have the words of the output."""
    written = _words(output[:COMPARED_BYTES])
    read = {word for source in sources for word in _words(source[:COMPARED_BYTES])}
    return len(written) >= _LEAST_WORDS and len(written & read) >= _IMPORTED_SHARE * len(written)


def is_compiled(path: str, output: bytes, source: bytes) -> bool:
    """Whether the words of the two files say that one was written from the other."""
    if re.search(r"\.d\.[mc]?ts$", path):
        return True  # the compiler takes no declarations by people where it has the source
    written, read = (_words(text[:COMPARED_BYTES]) for text in (output, source))
    if len(written) < _LEAST_WORDS or len(read) < _LEAST_WORDS:
        return False
    both = len(written & read)
    ending = path[path.rfind(".") :]
    if ending in _EXPANDED:
        return both >= _EXPANDED_SHARE * len(read) and len(output) > len(source)
    return both >= (_STYLE_SHARE if ending == ".css" else _TRANSLATED_SHARE) * len(written)


def _words(text: bytes) -> set[bytes]:
    return set(_WORD.findall(text)) - _COMPILER_WORDS
