"""Documents and converted files of one change as the searches for words take them, which have own oracles.

Keep out: what the found lines are worth (`judge`, `branch`).
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ingest.git.changes.rewording.conversions import are_relatives, find_conversion, find_renamed
from ingest.git.changes.rewording.extracted_texts import LEAST_LINES, QUOTED, find_taken
from ingest.git.changes.rewording.phrases import ChangedText, Rewordings
from ingest.git.changes.rewording.rewordings import find_rewordings
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, language_of
from tests.ingest.git.naive.lines import Added, Removed

Runs = tuple[str, str | None, str, Sequence[Sequence[Removed]], Sequence[Sequence[Added]]]
"""Path, the path before, language, and the removed and added lines of each hunk."""


def reworded(files: Sequence[Runs]) -> Iterator[tuple[str, Rewordings]]:
    """The path of each document and each converted file, with its reworded lines."""
    converted = list(_converted(files))
    yield from converted
    yield from _extracted([file for file in files if file[0] not in {path for path, _ in converted}])
    documents = [
        ChangedText(path, _lines(removed), _lines(added))
        for path, _, language, removed, added in sorted(files, key=lambda file: file[0].encode())
        if LANGUAGES.get(language, UNKNOWN).is_prose
    ]
    yield from zip((one.path for one in documents), find_rewordings(documents), strict=True)


def _converted(files: Sequence[Runs]) -> Iterator[tuple[str, Rewordings]]:
    """Files that only lost lines beside files of their name in another language that only got lines."""
    for path, before, language, removed, added in files:
        if before not in (None, path) and any(removed) and not _is_no_code(language):
            assert before is not None
            renamed = find_conversion(path, _plain(removed), _plain(added), least_lines=1)
            old_name = language_of(before).name
            is_other = old_name not in (language, UNKNOWN.name) and not are_relatives(old_name, language)
            if renamed is not None and is_other:
                yield path, renamed
        if any(removed) or _is_no_code(language):
            continue
        for old_path, _, old_language, old_removed, old_added in files:
            if any(old_added) or _is_no_code(old_language) or old_language == language or path == old_path:
                continue
            one, old = PurePosixPath(path), PurePosixPath(old_path)
            if not {one.name, one.stem} & {old.name, old.stem}:
                continue
            find = find_renamed if are_relatives(old_language, language) else find_conversion
            found = find(old_path, _plain(old_removed), _plain(added))
            if found is not None:
                yield path, Rewordings(found.added)
                yield old_path, Rewordings(kept=found.kept)


def _extracted(files: Sequence[Runs]) -> Iterator[tuple[str, Rewordings]]:
    """New files with texts that left programs."""
    for path, before, language, _, added in files:
        if before is not None or language not in QUOTED or len(_plain(added)) < LEAST_LINES:
            continue
        programs = [
            ChangedText(one, _lines(removed), [])
            for one, _, other, removed, _ in files
            if other not in QUOTED and not _is_no_code(other) and len(_plain(removed)) >= LEAST_LINES
        ]
        found = find_taken(programs, ChangedText(path, [], _lines(added))) if programs else None
        if found is not None:
            yield path, Rewordings(found[-1].added)
            for program, left in zip(programs, found[:-1], strict=True):
                yield program.path, Rewordings(kept=left.kept)


def _is_no_code(name: str) -> bool:
    language = LANGUAGES.get(name, UNKNOWN)
    return language is UNKNOWN or language.is_prose


def _plain(runs: Sequence[Sequence[Added | Removed]]) -> list[bytes]:
    return [line for line in _lines(runs) if line is not None]


def _lines(runs: Sequence[Sequence[Added | Removed]]) -> list[bytes | None]:
    return [text for run in runs for text in (*(one.line.text for one in run), None)]
