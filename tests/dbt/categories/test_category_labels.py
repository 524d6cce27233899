"""The words for a commit keep what its author meant to do where most of its ETV is elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.git_repository import GitRepository
from tests.validity.analysed import analyse


def _lines(name: str, count: int) -> str:
    """Lines of different shapes, as repeated shapes earn less."""
    signs = ("+", "- (", "* [", "/ (", "% {", "or not ", "and ", "is ", "in ")
    shaped = []
    for number in range(count):
        chosen = [signs[number // 9**place % 9] for place in range(3)]
        parts = [f"{name}_{number}_{place} {sign}" for place, sign in enumerate(chosen)]
        shaped.append(f"{name}_{number} = {' '.join(parts)} last_{number}\n")
    return "".join(shaped)


OLD = datetime(2024, 1, 1, tzinfo=UTC)
NEW = datetime(2024, 6, 1, tzinfo=UTC)
# Message: files, category, label.
COMMITS: dict[str, tuple[dict[str, str | None], str, str]] = {
    "fix: close the pool": (
        {"src/pool.py": "closed = pool.close(force=True)\n", "tests/test_pool.py": _lines("pool", 60)},
        "tests",
        "bug fix, mostly tests",
    ),
    "fix: wait for the server": ({"tests/test_wait.py": _lines("wait", 8)}, "tests", "bug fix, only tests"),
    "feat: export orders": (
        {"src/export.py": _lines("order", 30), "tests/test_export.py": _lines("export", 3)},
        "features",
        "feature",
    ),
    "feat: say how to export": (
        {"docs/export.md": "Orders leave with the export.\n"},
        "documentation",
        "feature, only documentation",
    ),
    "test: cover the pool": ({"tests/test_more.py": _lines("more", 9)}, "tests", "tests"),
    # A removal on purpose changes what the product does; clearing away unused code does not.
    "feat!: remove the old report": ({"src/old_report.py": None}, "features", "feature"),
    "Remove unused code of the old list": ({"src/old_list.py": None}, "maintenance", "maintenance"),
    "Add support for custom filters, allow new options": (
        {"src/filters.py": "filters = load(options, custom=True)\nallowed = filters.names()\n"},
        "features",
        "feature",
    ),
    # Upkeep is no purpose.
    "refactor: share the pool": (
        {"src/shared.py": "pool = shared\n", "tests/test_shared.py": _lines("shared", 60)},
        "tests",
        "tests",
    ),
    # The model knows no tests: what it says of a commit without other files is no purpose.
    "Fix the crash of the broken check": ({"tests/test_crash.py": _lines("crash", 9)}, "tests", "tests"),
}


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("labels")
    repository = GitRepository(folder / "repository")
    removed = {f"src/{name}.py": _lines(name, 40) for name in ("old_report", "old_list", "filters")}
    repository.commit(removed, "Start", at=OLD)
    shas = {repository.commit(files, message, at=NEW): message for message, (files, _, _) in COMMITS.items()}
    found = analyse({"labels": repository.path}, folder / "analysed", select=["+fct_commits"])
    rows = found.rows("select * from fct_commits")
    return {shas[row["commit_sha"]]: row for row in rows if row["commit_sha"] in shas}


@pytest.mark.parametrize("message", COMMITS)
def test_the_label_says_purpose_and_main_category(decided: dict[str, dict[str, Any]], message: str) -> None:
    _, category, label = COMMITS[message]
    assert (decided[message]["category"], decided[message]["category_label"]) == (category, label)


def test_the_lines_of_a_fix_that_is_mostly_tests_stay_in_both_categories(
    decided: dict[str, dict[str, Any]],
) -> None:
    row = decided["fix: close the pool"]
    assert row["fixes_etv_micro"] > 0
    assert row["tests_etv_micro"] > row["fixes_etv_micro"]
    assert row["fixes_etv_micro"] + row["tests_etv_micro"] == row["etv_micro"]
