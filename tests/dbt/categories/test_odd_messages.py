"""Messages without terms of the category model: other languages, single words, merges, reverts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.git_repository import GitRepository
from tests.validity.analysed import analyse

OTHER_LETTERS = [
    "メモリリークを修正",
    "修复登录错误",
    "新功能",
    "исправлена ошибка входа",
    "إصلاح خطأ",
]
# A word that happens to be English, or a letter of one ("d'accueil"), may tip the decision, but not make it sure.
OTHER_LANGUAGES = [
    "Behebt Abstürze beim Übersetzen",
    "Ajout de la page d'accueil",
    "agrega soporte para exportar",
]
WITHOUT_WORDS = ["", "...", "1.2.3", "🚀", "#45"]
UNKNOWN_WORDS = ["wip", "asdf", "oops", "qwertz uiop"]
# A word of the model, and the category that it must decide.
WORDS = {
    "Fix": "fixes",
    "bug": "fixes",
    "Refactor": "maintenance",
    "Bump": "maintenance",
    "Add": "features",
}
REVERTS = ['Revert "Add an export"', 'Revert "Fix the crash"']
LINTERS = [
    "Run black",
    "cargo fmt",
    "Fix flake8 errors.",
    "Setup Rubocop (#12)",
    "Reformat code with prettier",
    "Ran isort and black",
]
# A part of the code, a rule or a product beside the name of the tool may be any work.
NO_LINTERS = ["Fix eslint crash", "Add black theme", "Support mypy plugins", "Fix black screen", "Fix errors"]
ANNOTATIONS = [
    "add __future__ annotations",
    "Add more type hints to the parser (#3)",
    "Fix type annotations.",
]
NO_ANNOTATIONS = ["Add annotations to charts", "Add type hints for completions", "Show type hints on hover"]
MERGES = [
    "Merge branch 'fix/crash'",
    "Merge pull request #12 from ann/add-export",
    "Merge remote-tracking branch 'x'",
]


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Decisions of a warehouse by message; every commit edits a line of code, merges do so on their own. Those of which
    a single word is to decide edit a document, which says nothing of the kind of a change."""
    folder = tmp_path_factory.mktemp("odd")
    repository = GitRepository(folder / "repository")
    repository.commit({"src/a.py": "a = 0\n"}, "Start")
    shas = {}
    plain = [
        *LINTERS,
        *NO_LINTERS,
        *ANNOTATIONS,
        *NO_ANNOTATIONS,
        *OTHER_LETTERS,
        *OTHER_LANGUAGES,
        *WITHOUT_WORDS,
        *UNKNOWN_WORDS,
        *REVERTS,
    ]
    for number, message in enumerate(plain, start=1):
        shas[repository.commit({"src/a.py": f"a = {number}\n"}, message)] = message
    for number, message in enumerate(WORDS):
        shas[repository.commit({"docs/a.md": f"Page {number}\n"}, message)] = message
    for number, message in enumerate(MERGES):
        repository.branch(f"work{number}")
        repository.commit({f"src/b{number}.py": "b = 1\n"}, "Add b", branch=f"work{number}")
        own = {"src/a.py": f"a = 'merged {number}'\n"}
        shas[repository.merge(f"work{number}", files=own, message=message)] = message
    found = analyse({"odd": repository.path}, folder / "analysed", select=["+int_categories__commits"])
    rows = found.rows("select * from int_categories__commits")
    return {shas[row["commit_sha"]]: row for row in rows if row["commit_sha"] in shas}


@pytest.mark.parametrize("message", [*OTHER_LETTERS, *WITHOUT_WORDS, *UNKNOWN_WORDS])
def test_a_message_without_terms_leaves_a_low_probability(
    decided: dict[str, dict[str, Any]], message: str
) -> None:
    row = decided[message]
    # One edited line is hardly a feature; it may be a fix or maintenance.
    assert row["features_probability"] < 0.2
    assert row["confidence"] < 0.6
    assert '"' not in row["evidence"]


def test_every_language_without_latin_letters_gets_the_same_decision(
    decided: dict[str, dict[str, Any]],
) -> None:
    found = {
        (row["category"], row["confidence"], row["evidence"])
        for message, row in decided.items()
        if message in OTHER_LETTERS + WITHOUT_WORDS
    }
    assert len(found) == 1


@pytest.mark.parametrize("message", OTHER_LANGUAGES)
def test_another_language_in_latin_letters_gets_a_low_probability(
    decided: dict[str, dict[str, Any]], message: str
) -> None:
    assert decided[message]["confidence"] < 0.7


@pytest.mark.parametrize(("message", "category"), WORDS.items())
def test_a_single_learned_word_decides(
    decided: dict[str, dict[str, Any]], message: str, category: str
) -> None:
    assert decided[message]["category"] == category


@pytest.mark.parametrize(
    ("message", "kind"), [*((m, "revert") for m in REVERTS), *((m, "merge") for m in MERGES)]
)
def test_a_merge_or_revert_ignores_the_words_of_other_commits(
    decided: dict[str, dict[str, Any]], message: str, kind: str
) -> None:
    row = decided[message]
    assert (row["category"], row["method"], row["evidence"]) == ("maintenance", "declared_type", kind)


@pytest.mark.parametrize(
    ("message", "kind"), [*((m, "lint") for m in LINTERS), *((m, "types") for m in ANNOTATIONS)]
)
def test_a_subject_that_only_names_a_linter_or_annotations_is_maintenance(
    decided: dict[str, dict[str, Any]], message: str, kind: str
) -> None:
    row = decided[message]
    assert (row["category"], row["method"], row["evidence"]) == ("maintenance", "declared_type", kind)


@pytest.mark.parametrize("message", [*NO_LINTERS, *NO_ANNOTATIONS])
def test_a_subject_with_further_words_is_left_to_the_model(
    decided: dict[str, dict[str, Any]], message: str
) -> None:
    assert decided[message]["method"] == "model"
