"""Reads the texts of downloaded packages that people copy, with the day on which each came out at the latest.

That is the day in the list, else the newest file of the package, else the day on which the registry took it. Packages
of Debian have one version, whose files tell how old they are.
Keep out: which library a text belongs to (`attribution`).
"""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from ingest.git.files import provenance
from ingest.git.files.names import is_licence_text
from tests.published_lines.downloads import TIMES
from tests.published_lines.library_list import Library

_LARGEST, _SMALLEST = 1_500_000, 200
# Built, translated and quoted texts, and lists of changes, which nobody copies or which are no work of the library
_SKIPPED: Final = re.compile(
    r"(?i)[.-]min\.|\.(?:map|json|lock|svg|po|pot|csv|tsv|xml|pem|sum|patch|diff|log|in|pyc|out|dat|d\.ts|flow|\w{2,3}proj|sln)$"
    r"|(?:^|/)(?:node_modules|i18n|locales?|lang(?!/.*\.java$)|l10n|fixtures?|testdata|samples?|examples?|demos?|tests?|specs?|benchmarks?|third[-_]?party|debian|\.git)/"
    r"|(?:^|/)(?:change(?:s|log)|news|release|history|licen[cs]e|copying|notice|authors|contributors|thanks)[^/]*$"
    r"|(?:^|/)(?:configure|missing|depcomp|compile|test-driver|install-sh|mkinstalldirs|config\.(?:guess|sub)|ltmain\.sh|aclocal\.m4|makefile\.in|package)$"
)
_LONG_LINES: Final = 400
FIRST_DAY: Final = date(1970, 1, 1)
_UNTIL_OUT: Final = timedelta(180)
"""Time from the last change of a file until a version has it, generously."""
_TOP: Final = 1_000
_HEAD: Final = 20_000
_LAST_CHANGE: Final = re.compile(r"(?i)last change:\s+(?P<year>(?:19|20)\d\d) (?P<month>[a-z]{3}) \d")
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
# Days that tools write instead of the time of a file
_INVENTED: Final = {FIRST_DAY, date(1980, 1, 1), date(1985, 10, 26), date(2016, 1, 1), date(2020, 2, 2)}


class PublishedText(NamedTuple):
    """A text of a library in one version, and the day since 1970 on which the version came out."""

    library: str
    day: int
    path: str
    data: bytes


def read_texts(library: Library, folder: Path) -> Iterator[PublishedText]:
    """The texts of all downloaded versions of a library."""
    times = json.loads((folder / TIMES).read_text()) if (folder / TIMES).exists() else {}
    for archive in sorted(folder.iterdir()):
        if "debian." in archive.name or not re.search(r"\.(?:tgz|whl|zip|tar\.\w+)$", archive.name):
            continue
        files = list(_files(archive))
        version = archive.name.removesuffix(".tgz").removeprefix(
            f"{library.package.replace('/', '-').lstrip('@')}-"
        )
        if library.source == "npm" and library.versions and version not in library.versions:
            continue
        days = [day for _, day, _ in files if day not in _INVENTED]
        if version in library.dates:
            out = library.dates[version]
        elif days:
            out = max(days)
        elif version in times:
            # The registry may have taken the version later.
            out = datetime.fromisoformat(times[version]).date()
        else:
            continue
        for path, changed, data in files:
            # A file that is much older than its version came out with an earlier one.
            day = min(out, _changed(changed, data) + _UNTIL_OUT) if library.source == "debian" else out
            name = path.partition("/")[2] or path
            if not library.parts or name.startswith(tuple(f"{part}/" for part in library.parts)):
                yield PublishedText(library.name, (day - FIRST_DAY).days, name, data)


def _changed(of_file: date, data: bytes) -> date:
    """The day on which a text was changed last, which texts of Vim say at the top."""
    said = _LAST_CHANGE.search(data[:_TOP].decode("utf-8", "replace"))
    if said is None or said["month"].lower() not in _MONTHS:
        return of_file
    return date(int(said["year"]), _MONTHS.index(said["month"].lower()) + 1, 28)


def _files(archive: Path) -> Iterator[tuple[str, date, bytes]]:
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as packed:
            for one in packed.infolist():
                if is_read(one.filename, one.file_size):
                    yield f"wheel/{one.filename}", date(*one.date_time[:3]), packed.read(one)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and is_read(member.name, member.size):
                file = tar.extractfile(member)
                if file is not None:
                    yield member.name, datetime.fromtimestamp(member.mtime, UTC).date(), file.read()


def is_read(path: str, size: int) -> bool:
    """Whether a file of a package may be a text that people copy."""
    return _SMALLEST <= size <= _LARGEST and is_named(path)


def is_named(path: str) -> bool:
    """Whether a file of a package has the name of a text that people copy."""
    inside = path.partition("/")[2] or path
    return _SKIPPED.search(inside) is None


def is_written(path: str, data: bytes) -> bool:
    """Whether people wrote the text for the library: no binary file, no lines of a build, no terms."""
    if b"\0" in data[:8_000] or len(data) > _LONG_LINES * (data.count(b"\n") + 1):
        return False
    return not provenance.is_minified(path, data) and not is_licence_text(path, data[:_HEAD], is_text=True)
