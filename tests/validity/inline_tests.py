"""Lines inside tests of source files: those of Rust by another way of reading, on the newest files of projects.

A formatter ends an item at the indentation at which it began. So the lines of a test follow from indentation alone,
without brackets, texts or characters, in every project that formats its code.
"""

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.git.files.roles import SOURCE, role_of
from ingest.git.lexing.inline_tests import RUST, mark_tests
from ingest.git.lexing.languages import LANGUAGES
from ingest.settings import Settings
from orchestration.deployment import Deployment
from tests.validity import bootstrap, labelled_sets
from tests.validity.claims import Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result

CLAIM = "Inline tests"
PROJECTS = (
    "BurntSushi/ripgrep",
    "GitoxideLabs/gitoxide",
    "biomejs/biome",
    "orhun/git-cliff",
    "rolldown/rolldown",
    "tauri-apps/tauri",
)
BAR = Bar(at_least=0.99, aim=0.999)

_ATTRIBUTE = re.compile(
    rb"([ \t]*)#\[(?:cfg\(test\)|cfg\(all\(test, [^\]]*\)\)|(?:\w+::)*test(?:\(.*\))?|(?:\w+::)?bench(?:\(.*\))?"
    rb"|rstest|(?:\w+::)*test_case.*|wasm_bindgen_test|quickcheck)\](?:\s*//.*)?$"
)
_ITEM = re.compile(
    rb"\s*(?:pub(?:\([^)]*\))?\s+)?(?:default |unsafe |async |const )*(?:fn|mod|impl|struct|enum|trait|macro_rules)\b"
)
_RAW_TEXT = re.compile(rb'\bb?r(#+)".*?"\1', re.DOTALL)


@dataclass(frozen=True)
class _File:
    project: str
    marked: int
    indented: int
    both: int


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Precision and recall by lines, against indentation."""
    files: list[_File] = []
    for project in PROJECTS:
        try:
            files += _compared(project, labelled_sets.repository(inputs, project))
        except Missing as missing:
            yield NotMeasured(CLAIM, project, str(missing))
    if files:
        yield _result(files, "precision by lines", lambda file: file.marked)
        yield _result(files, "recall by lines", lambda file: file.indented)


def indented_tests(data: bytes) -> bytes:
    """A byte for each line, 1 for a line of an item with a test attribute, by indentation."""
    lines = _RAW_TEXT.sub(lambda text: b" ".join([b"\n"] * text[0].count(b"\n")), data).split(b"\n")
    marks = bytearray(len(lines))
    at = 0
    while at < len(lines):
        attribute = _ATTRIBUTE.match(lines[at])
        if attribute is None:
            at += 1
            continue
        indent, first, item = attribute[1], at, at + 1
        while first and lines[first - 1].startswith((indent + b"///", indent + b"#[")):
            first -= 1
        while item < len(lines) - 1 and lines[item].strip().startswith((b"#[", b"//")):
            item += 1
        last = _last_line(lines, item, indent)
        marks[first : last + 1] = b"\1" * (last + 1 - first)
        at = last + 1
    return bytes(marks)


def _last_line(lines: Sequence[bytes], item: int, indent: bytes) -> int:
    """The last line of the item that begins at a line."""
    if not _ITEM.match(lines[item]):
        return next(
            (n for n in range(item, len(lines)) if lines[n].rstrip().endswith((b";", b",", b"}"))),
            len(lines) - 1,
        )
    if lines[item].rstrip().endswith((b";", b"}")):
        return item
    ends = (indent + b"}", indent + b");")
    return next((n for n in range(item + 1, len(lines)) if lines[n].startswith(ends)), len(lines) - 1)


def _compared(project: str, clone: Path) -> Iterator[_File]:
    for path, data in _newest(clone):
        if role_of(path, LANGUAGES[RUST]) == SOURCE and b"\0" not in data:
            marked, indented = mark_tests(RUST, data), indented_tests(data)
            both = sum(one and other for one, other in zip(marked, indented, strict=False))
            if any(marked) or any(indented):
                yield _File(project, sum(marked), sum(indented), both)


def _newest(clone: Path) -> Iterator[tuple[str, bytes]]:
    """The Rust files of the newest commit."""
    git = ["git", "-c", "safe.directory=*", "-C", str(clone)]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout
    files = [line.split(b"\t", 1) for line in listing.split(b"\0") if line.endswith(b".rs")]
    asked = b"".join(entry.split()[2] + b"\n" for entry, _ in files)
    answer = subprocess.run(
        [*git, "cat-file", "--batch"], input=asked, capture_output=True, check=True
    ).stdout
    at = 0
    for _, path in files:
        header, _, _ = answer[at : at + 200].partition(b"\n")
        at += len(header) + 1
        if not header.endswith(b"missing"):
            size = int(header.split()[2])
            yield path.decode("utf-8", "replace"), answer[at : at + size]
            at += size + 1


def _result(files: Sequence[_File], name: str, whole: Callable[[_File], int]) -> Result:
    def share(picks: Iterable[int]) -> float:
        chosen = [files[pick] for pick in picks]
        lines = sum(map(whole, chosen))
        return sum(file.both for file in chosen) / lines if lines else float("nan")

    every = range(len(files))
    return Result(
        CLAIM,
        name,
        "newest files of six projects",
        len(files),
        "file",
        share(every),
        bootstrap.interval(bootstrap.grouped(every), share, draws=300),
        Deployment(Settings()).calculation_version,
        can_show="whether tests of Rust begin and end where a formatter lets them, in files that are no tests as a "
        "whole.",
        cannot_show="texts of several lines at the margin, which end an item too early for the indentation, and tests "
        "that a macro writes for others: both count as errors here. Other languages.",
        bar=BAR,
        baselines=(Baseline("role of the file", 0.0),),
        parts=tuple(
            Part(project, len(own), share(own), baselines=(0.0,))
            for project in PROJECTS
            if (own := [at for at in every if files[at].project == project])
        ),
    )
