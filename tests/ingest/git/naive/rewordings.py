"""Documents of one change as the search for rewordings takes them, which has an oracle of its own.

Keep out: what the found lines are worth (`judge`, `branch`).
"""

from collections.abc import Iterator, Sequence

from ingest.git.changes.rewordings import ChangedDocument, Rewordings, find_rewordings
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from tests.ingest.git.naive.lines import Added, Removed

Runs = tuple[str, str, Sequence[Sequence[Removed]], Sequence[Sequence[Added]]]
"""Path, language, and the removed and added lines of each hunk."""


def reworded(files: Sequence[Runs]) -> Iterator[tuple[str, Rewordings]]:
    """The path of each document, with its reworded lines."""
    documents = [
        ChangedDocument(path, _lines(removed), _lines(added))
        for path, language, removed, added in sorted(files, key=lambda file: file[0].encode())
        if LANGUAGES.get(language, UNKNOWN).is_prose
    ]
    return zip((one.path for one in documents), find_rewordings(documents), strict=True)


def _lines(runs: Sequence[Sequence[Added | Removed]]) -> list[bytes | None]:
    return [text for run in runs for text in (*(one.line.text for one in run), None)]
