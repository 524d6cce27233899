"""The known library of the changed files of a commit, as the extraction stores it."""

from datetime import UTC, datetime

import pytest

from ingest.git.published import known_libraries
from ingest.git.published.known_libraries import SECONDS_A_DAY
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.published.test_known_libraries import INDEX, LATER, OWN, PUBLISHED, SLIDER, lines_of

COLUMNS = ("known_library", "published_lines", "published_later_lines", "compared_lines")
WRITTEN = datetime.fromtimestamp(10_500 * SECONDS_A_DAY, UTC)


@pytest.fixture(autouse=True)
def _index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_libraries, "library_index", lambda: INDEX)


def text(*lines: bytes) -> bytes:
    return b"\n".join(lines) + b"\n"


def stored(extraction: Extraction, path: str) -> list[tuple[object, ...]]:
    """What the changes of a path say, the oldest first."""
    extraction.run()
    return [tuple(row[name] for name in COLUMNS) for row in extraction.rows("file_changes", path=path)]


def test_a_file_and_added_lines_of_a_library(extraction: Extraction, repository: GitRepository) -> None:
    page = text(*OWN[:40])
    repository.commit({"slider.js": text(*SLIDER[:40]), "page.js": page}, at=WRITTEN)
    repository.commit({"page.js": page + text(*SLIDER[40:80])}, at=WRITTEN)
    assert stored(extraction, "slider.js") == [("Slider", 40, 0, 40)]
    assert sorted(map(str, stored(extraction, "page.js"))) == sorted(
        map(str, [(None,) * 4, ("Slider", 40, 0, 40)])
    )


def test_lines_of_a_merged_branch(extraction: Extraction, repository: GitRepository) -> None:
    repository.commit({"a.js": "a();\n"}, at=WRITTEN)
    repository.branch("work")
    repository.commit({"slider.js": text(*SLIDER[:40])}, branch="work", at=WRITTEN)
    repository.commit({"a.js": "b();\n"}, at=WRITTEN)
    repository.merge("work", at=WRITTEN)
    assert stored(extraction, "slider.js") == [("Slider", 40, 0, 40)]


def test_a_library_published_what_its_repository_had_before(
    extraction: Extraction, repository: GitRepository
) -> None:
    repository.commit({"chart.js": text(*lines_of("chart")[:40])}, at=WRITTEN)
    assert stored(extraction, "chart.js") == [("Chart", 40, 40, 40)]


@pytest.mark.parametrize("path", ["vendor/slider.js", "slider.min.js", "yarn.lock"])
def test_files_that_nobody_wrote_are_not_compared(
    extraction: Extraction, repository: GitRepository, path: str
) -> None:
    repository.commit({path: text(*SLIDER[:40])}, at=WRITTEN)
    assert stored(extraction, path) == [(None,) * 4]


def test_a_document_is_compared_as_it_comes_alone(extraction: Extraction, repository: GitRepository) -> None:
    own = text(*OWN[:9])
    repository.commit({"page.md": own, "slider.md": text(*SLIDER[:40])}, at=WRITTEN)
    repository.commit({"page.md": own + text(*SLIDER[40:80])}, at=WRITTEN)
    assert stored(extraction, "page.md") == [(None,) * 4] * 2
    assert stored(extraction, "slider.md") == [("Slider", 40, 0, 40)]


def test_small_changes_and_removals_are_not_compared(
    extraction: Extraction, repository: GitRepository
) -> None:
    repository.commit({"slider.js": text(*SLIDER[:20])}, at=WRITTEN)
    repository.commit({"slider.js": None}, at=WRITTEN)
    assert stored(extraction, "slider.js") == [(None,) * 4] * 2


def test_a_manifest_that_names_a_library(extraction: Extraction, repository: GitRepository) -> None:
    repository.commit({"package.json": '{"name": "slider"}\n', "web/package.json": '{"name": "slider"}\n'})
    assert stored(extraction, "package.json") == [("Slider", 0, 0, 0)]
    assert stored(extraction, "web/package.json") == [(None,) * 4]


def test_days_of_the_index_are_those_of_authors(extraction: Extraction, repository: GitRepository) -> None:
    assert PUBLISHED < WRITTEN.timestamp() // SECONDS_A_DAY < LATER
    late = datetime.fromtimestamp((LATER + 9) * SECONDS_A_DAY, UTC)
    lines = text(*lines_of("chart")[:40])
    repository.commit({"chart.js": lines}, at=WRITTEN, committed_at=late)
    repository.commit({"again.js": lines + b"// late\n"}, at=late)
    assert stored(extraction, "chart.js") == [("Chart", 40, 40, 40)]
    assert stored(extraction, "again.js") == [("Chart", 40, 0, 40)]
