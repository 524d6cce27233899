"""The terms that the model of categories was trained on are those that the warehouse computes."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dbt_project.training import agreement, categories, linear, messages
from dbt_project.training.labelled import Labelled
from tests.dbt import warehouse

SEED = warehouse.PROJECT / "seeds" / "category_terms.csv"
# Subject and body.
INVENTED = {
    "empty": ("", ""),
    "one word": ("wip", ""),
    "marks only": ("--- !!! 42", "..."),
    "plain": ("Fixed crashes while parsing nested lists", "They were closed twice.\nNow they are not."),
    "tracker key": ("ABC-123. QQ-7: Handles missing keys", ""),
    "part of the code": ("net/tcp, udp: stop using freed memory", "Fixes: 0123456789ab"),
    "part of the code, one": ("drivers/net: Added a queue [v2]", ""),
    "bracket": ("[docs] Renames things_with_underscores", ""),
    "unknown type": ("wibble(parser)!: new things", ""),
    "merge": ("Merge branch 'next' of https://git.example.org/a/b into main", "* next:\n  one\n  two"),
    "german": ("Behebt Abstürze beim Übersetzen großer Wörterbücher", "Größenänderung"),
    "japanese": ("メモリリークを修正", "解放する"),
    "turkish and kelvin": ("İSTANBUL DIŞI 300\u212a ISI", ""),
    "long s": ("fix\u017f claſses", ""),
    "emoji": ("🐛 fix: 🚑 broken build", "\U0001f468\u200d\U0001f469\u200d\U0001f467 " * 200 + "end"),
    "people": (
        "Reuses the buffer",
        "Why not.\n\nSigned-off-by: A Person <a@example.org>\ngit-svn-id: svn://example.org@1 ab\nTested twice",
    ),
    "template": (
        "Batch the writes of the queue",
        """<!-- Thanks!
/kind bug
-->
#### What type of PR is this?
- [ ] Bug fix
  * [x] New feature
1. [ ] crash\r
☐ Broken
> Bug: it crashes
| Bug fix? | no |
| New feature? | yes |
The queue writes in batches.""",
    ),
    "kinds": (
        "Batch writes",
        "/kind api-change\n/kind bug\n/kind cleanup\n/kind feature\n\nWrites in batches.",
    ),
    "chosen kind": ("Batch writes", "/kind bug\n/kind regression\nWrites in batches."),
    "open comment": ("Batch writes", "Batches.\n\n<!-- bug"),
    "quoted titles": (
        "Back out the batches",
        """Reverted "Fix the crash"
This reverts commit 0123456789abcdef, reversing bugs.
Since 0123456789ab ("queue: fix crash") it is slow.
Change-Id: Ibug
Or 1 > 0.""",
    ),
    "late": ("Batch writes", "<!--" + " fill in" * 200 + " -->\nThe queue writes in batches."),
    "cut": ("Adds much text", "word " * 79 + "ends here but not there"),
    "spaces": ("  \t tabs\tand   spaces \n", "\r\n windows \r\n lines"),
    "quotes": ("don't say \"it's\" \\ \\1 $1", "$2 'x' \\n"),
    "repeated": ("fix fix fix fixes fixed", "fix fix"),
    "declared": ("feat(api): new route", ""),
    "a chore": ("chore(deps)!: Moves the parser", "refactor: parser"),
}


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Terms by message: the compiled model over tables that stand where its inputs would."""
    folder = tmp_path_factory.mktemp("terms")
    answer = warehouse.run_dbt(["compile", "--select", "int_categories__terms"], folder, folder)
    query = next(r.node.compiled_code for r in answer.results if r.node.name == "int_categories__terms")
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as warehouse")
        connection.execute("use warehouse")
        connection.execute("create table int_delivered_commits (commit_sha text, repository_id text)")
        connection.execute(
            "create table stg_git__commits (commit_sha text, repository_id text, subject text, body text)"
        )
        connection.execute(
            "create table int_categories__commit_types (commit_sha text, is_overrulable boolean)"
        )
        connection.execute(
            "insert into int_categories__commit_types values ('declared', false), ('a chore', true)"
        )
        for name, (subject, body) in INVENTED.items():
            connection.execute("insert into int_delivered_commits values (?, 'r')", [name])
            connection.execute("insert into stg_git__commits values (?, 'r', ?, ?)", [name, subject, body])
        found: dict[str, list[str]] = defaultdict(list)
        for name, term in connection.execute(query).fetchall():
            found[name].append(term)
    return found


@pytest.mark.parametrize("name", [name for name in INVENTED if name not in ("declared", "a chore")])
def test_python_and_sql_find_the_same_terms(computed: dict[str, list[str]], name: str) -> None:
    assert sorted(computed[name]) == sorted(["bias", *messages.terms(*INVENTED[name])])


def test_the_model_ignores_declared_types(computed: dict[str, list[str]]) -> None:
    assert "declared" not in computed


def test_a_type_that_may_be_overruled_is_no_term(computed: dict[str, list[str]]) -> None:
    subject, body = INVENTED["a chore"]
    assert messages.without_type(subject) == "Moves the parser"
    assert sorted(computed["a chore"]) == sorted(["bias", *messages.terms("Moves the parser", body)])


def test_training_hides_the_types_that_the_lines_of_a_squash_declare() -> None:
    body = "* feat(api): new route\n* docs: say so\nfix is a word here\n  - Fix!: overflow"
    assert messages.without_types(body) == "* new route\n* say so\nfix is a word here\n  - overflow"


def test_a_message_without_latin_letters_leaves_the_decision_to_the_change(
    computed: dict[str, list[str]],
) -> None:
    assert computed["japanese"] == ["bias"]


@pytest.mark.parametrize(
    ("name", "said", "unsaid"),
    [
        (
            "template",
            {"featur", "queu", "batch", "yes"},
            {"bug", "kind", "crash", "broken", "type", "thank"},
        ),
        ("kinds", {"batch"}, {"bug", "kind", "cleanup"}),
        ("chosen kind", {"bug", "regression", "batch"}, set()),
        ("open comment", {"batch"}, {"bug"}),
        ("quoted titles", {"slow", "or"}, {"fix", "crash", "bug", "ibug", "revert"}),
        ("late", {"queu", "batch"}, {"fill"}),
    ],
)
def test_words_of_templates_and_of_other_commits_are_no_evidence(
    computed: dict[str, list[str]], name: str, said: set[str], unsaid: set[str]
) -> None:
    words = {term.removeprefix("body:") for term in computed[name] if term.startswith("body:")}
    assert said <= words
    assert not unsaid & words


def test_words_lose_common_endings_and_names_of_people() -> None:
    found = messages.terms(*INVENTED["people"])
    assert {"first:reus", "subject:the buffer", "body:test", "body:twic"} <= set(found)
    assert not {"body:person", "body:example", "body:svn"} & set(found)


@pytest.mark.parametrize(
    ("name", "first"),
    [("plain", "fix"), ("tracker key", "handl"), ("part of the code, one", "add"), ("emoji", "broken")],
)
def test_the_first_word_comes_after_keys_and_the_part_of_the_code(name: str, first: str) -> None:
    terms = messages.terms(*INVENTED[name])
    assert [term for term in terms if term.startswith("first:")] == [f"first:{first}"]


def test_the_seed_is_in_order_and_has_no_term_twice() -> None:
    with SEED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    seed_terms = [row["term"] for row in rows]
    assert seed_terms == ["bias", *sorted(set(seed_terms) - {"bias"})]
    assert [int(row["term_number"]) for row in rows] == list(range(1, len(rows) + 1))


def _labelled(
    project: str, words: tuple[str, ...], category: int = 0, changes: tuple[str, ...] = ()
) -> Labelled:
    return Labelled("declared", project, "", category, words, changes)


def test_only_words_of_five_projects_are_learned() -> None:
    def commits(word: str, projects: str) -> list[Labelled]:
        return [_labelled(project, (word,)) for project in projects]

    labelled = [
        *commits("everywhere", "abcde" * 3),
        *commits("four projects", "abcd" * 5),
        *commits("one project's", "a" * 20 + "bcdef"),
        *commits("seldom", "abcdef"),
        _labelled("a", (), changes=("change:files: 1",)),
    ]
    assert categories.shared_terms(labelled) == ["change:files: 1", "everywhere"]


def test_no_commit_is_scored_by_a_model_that_saw_its_project() -> None:
    # Each project has a word and a change of its own that tell its category: only a model that saw it could use them.
    chance = np.random.default_rng(5)
    commits = [
        _labelled(
            f"p{project}",
            (f"own word {project}", "shared"),
            (number + project) % 3,
            (f"change:{number % 2}",),
        )
        for project in range(12)
        for number in range(30)
        if chance.random() < 0.9
    ]
    scores = categories.scores_of_unseen_projects(commits, hides=("words",))
    classes = np.array([commit.category for commit in commits])
    assert abs(agreement.kappa(classes, scores[""].argmax(axis=1))) < 0.2
    assert scores["words"].shape == (len(commits), 3)


def test_the_fit_ends_at_the_minimum_of_the_loss() -> None:
    chance = np.random.default_rng(3)
    vocabulary = [f"t{n}" for n in range(6)]
    sets = [[t for t in vocabulary if chance.random() < 0.4] for _ in range(200)]
    classes = chance.integers(0, 3, 200)
    matrix = linear.incidence(sets, vocabulary)
    weights = linear.fitted(matrix, classes, np.ones(200), inverse_penalty=0.5)

    def loss(weights: np.ndarray) -> float:
        chosen = linear.probabilities(linear.Model(("bias", *vocabulary), weights).scores(sets))
        right = np.log(chosen[np.arange(200), classes])
        return -float(np.sum(right)) + float((weights[1:] ** 2).sum())

    for number in np.ndindex(weights.shape):
        nudge = np.zeros_like(weights)
        nudge[number] = 1e-4
        assert abs(loss(weights + nudge) - loss(weights - nudge)) / 2e-4 < 0.05


def test_kappa_of_a_textbook_table() -> None:
    # 20 + 15 of 50 agree, 5 and 10 do not: 0.7 observed, 0.5 by chance.
    one = np.array([0] * 25 + [1] * 25)
    other = np.array([0] * 20 + [1] * 5 + [0] * 10 + [1] * 15)
    assert agreement.kappa(one, other) == pytest.approx(0.4)


def test_precision_recall_and_share_weigh_lines() -> None:
    classes, decided = np.array([0, 0, 1, 2]), np.array([0, 1, 0, 2])
    lines = np.array([60.0, 20.0, 15.0, 5.0])
    assert agreement.line_precision(classes, decided, lines) == pytest.approx(60 / 75)
    assert agreement.line_recall(classes, decided, lines) == pytest.approx(60 / 80)
    # One project: 75 of 100 lines decided as features, 80 declared. Two: 80/80 against 60/80, and 0/20 against 15/20.
    assert agreement.share_error(classes, decided, lines, ["a"] * 4) == pytest.approx(0.05)
    assert agreement.share_error(classes, decided, lines, ["a", "a", "b", "b"]) == pytest.approx(
        (0.25 + 0.75) / 2
    )


def test_training_names_the_missing_file(tmp_path: Path) -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "dbt_project.training.categories",
            "--levin",
            "x.csv",
            "--declared",
            "y.csv",
            "--warehouse",
            "z.duckdb",
        ],
        capture_output=True,
        text=True,
        cwd=warehouse.PROJECT.parent,
    )
    assert run.returncode != 0
    assert "x.csv" in run.stderr
