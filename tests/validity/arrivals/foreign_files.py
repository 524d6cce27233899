"""Foreign code: new files that the product takes for those of another project, compared with judgements by hand.

The list is part of the project: foreign_files.csv has new source files of at least 200 lines, judged by path, subject
and the copyright lines in their heads, mostly folder by folder. Of the histories that are not complete it has only
files that the names, subjects and holders of the rule find. Shorter files and new versions are there if the product
calls them foreign: they count for its precision only.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.claims import Bar, Inputs, Missing, NotMeasured, Outcome, Part, Result

CLAIM = "foreign code"
LIST = Path(__file__).with_name("foreign_files.csv")
SET = LIST.name
JUDGEMENTS = ("foreign", "own", "ambiguous")
COMPLETE = ("dragonflydb/dragonfly", "psf/black", "sinatra/sinatra")
"""Histories of which every new source file of 200 lines was judged; of the others, those with a sign."""
JUDGED_LINES = 200
"""Added lines of a file from which on the list is complete."""
_SHOWS = "whether files that earn nothing as those of another project came from there."
_NOT_SHOWN = (
    "shorter files, files in languages without a source ending, how many new versions of a file are found, and "
    "whether another person would judge as we did: one did."
)
# Other rules decide the rest: vendored, generated and copied files earn nothing anyway. Translations into many
# languages at once earn nothing as the work of others, and nobody judged them: 10,700 files of uBlock and Sphinx.
_FILES = """
    select repository_id, commit_sha, path, lines_added, novel_lines, zero_reason from fct_commit_files
    where
        novel_lines > 0
        and language <> 'Translation'
        and (zero_reason is null or zero_reason in ('FOREIGN', 'IMPORT', 'IMPORT_WAITING'))
"""


@dataclass(frozen=True)
class Judged:
    """A new file, by the abbreviated id of its commit."""

    repository: str
    judgement: str
    reason: str
    commit: str
    path: str


@dataclass(frozen=True)
class _File:
    repository: str
    is_foreign: bool
    is_long: bool
    lines: int
    zero_reason: str | None


def listed() -> list[Judged]:
    with LIST.open(newline="") as lines:
        return [Judged(**row) for row in csv.DictReader(lines)]


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Precision by files, and recall by lines in histories that were judged completely."""
    clones: dict[str, Path] = {}
    for name in sorted({one.repository for one in listed()}):
        try:
            clones[name] = labelled_sets.repository(inputs, name)
        except Missing as error:
            yield NotMeasured(CLAIM, name, str(error))
    if clones:
        found = analyse(clones, inputs.work / "foreign", select=["+fct_commit_files"])
        yield from measured(_files(found, clones), found.calculation_version)


def measured(files: Sequence[_File], version: str) -> Iterator[Result]:
    """The two lines of the claim."""
    called = [one for one in files if one.zero_reason == "FOREIGN"]
    hits = [one.is_foreign for one in called]
    yield Result(
        CLAIM,
        "files called foreign that are",
        SET,
        len(called),
        "file",
        bootstrap.mean(hits),
        bootstrap.share(hits) if hits else None,
        version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=Bar(at_least=0.8, aim=0.9),
        parts=_parts(called, lambda own: bootstrap.mean([one.is_foreign for one in own])),
    )
    foreign = [one for one in files if one.is_foreign and one.is_long and one.repository in COMPLETE]
    yield Result(
        CLAIM,
        "lines of foreign files that earn nothing",
        SET,
        len(foreign),
        "file",
        _left_out(foreign),
        _interval(foreign),
        version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=Bar(at_least=0.5, aim=0.7),
        parts=_parts(foreign, _left_out),
        notes=("Bursts of imports count as found too.",),
    )


def _interval(files: Sequence[_File]) -> bootstrap.Interval | None:
    groups = bootstrap.grouped(range(len(files)))
    return bootstrap.interval(groups, lambda rows: _left_out([files[row] for row in rows])) if files else None


def _left_out(files: Sequence[_File]) -> float:
    """Share of the lines that earn nothing."""
    lines = sum(one.lines for one in files)
    return sum(one.lines for one in files if one.zero_reason) / lines if lines else float("nan")


def _parts(files: Sequence[_File], figure: Callable[[Sequence[_File]], float]) -> tuple[Part, ...]:
    names = sorted({one.repository for one in files})
    by_name = {name: [one for one in files if one.repository == name] for name in names}
    return tuple(Part(name, len(own), figure(own)) for name, own in by_name.items())


def _files(found: Analysed, clones: Mapping[str, Path]) -> list[_File]:
    """The judged files that other rules leave, and those that the product calls foreign; unjudged ones count as own."""
    names = {found.repository_ids[name]: name for name in clones}
    judged = {(one.repository, one.commit, one.path): one.judgement for one in listed()}
    files = []
    for row in found.rows(_FILES):
        name, sha = names[str(row["repository_id"])], str(row["commit_sha"])
        judgement = judged.get((name, sha[:9], str(row["path"])))
        if judgement == "ambiguous" or (judgement is None and row["zero_reason"] != "FOREIGN"):
            continue
        is_long = int(row["lines_added"]) >= JUDGED_LINES
        files.append(
            _File(name, judgement == "foreign", is_long, int(row["novel_lines"]), row["zero_reason"])
        )
    return files
