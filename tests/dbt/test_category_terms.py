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

from dbt_project.training import categories, linear, messages
from dbt_project.training.labelled import Labelled
from tests.dbt import warehouse

SEED = warehouse.PROJECT / "seeds" / "category_terms.csv"
# Subject, body, added lines, deleted lines.
INVENTED = {
    "empty": ("", "", 0, 0),
    "one word": ("wip", "", 1, 0),
    "marks only": ("--- !!! 42", "...", 0, 3),
    "plain": ("Fixed crashes while parsing nested lists", "They were closed twice.\nNow they are not.", 4, 3),
    "tracker key": ("ABC-123. QQ-7: Handles missing keys", "", 50, 2),
    "part of the code": ("net/tcp, udp: stop using freed memory", "Fixes: 0123456789ab", 2, 2),
    "part of the code, one": ("drivers/net: Added a queue [v2]", "", 9, 0),
    "bracket": ("[docs] Renames things_with_underscores", "", 1, 9),
    "unknown type": ("wibble(parser)!: new things", "", 100, 0),
    "merge": ("Merge branch 'next' of https://git.example.org/a/b into main", "* next:\n  one\n  two", 0, 0),
    "german": ("Behebt Abstürze beim Übersetzen großer Wörterbücher", "Größenänderung", 3, 1),
    "japanese": ("メモリリークを修正", "解放する", 1, 1),
    "turkish and kelvin": ("İSTANBUL DIŞI 300\u212a ISI", "", 1, 0),
    "long s": ("fix\u017f claſses", "", 1, 0),
    "emoji": ("🐛 fix: 🚑 broken build", "\U0001f468\u200d\U0001f469\u200d\U0001f467 " * 200 + "end", 2, 0),
    "people": (
        "Reuses the buffer",
        "Why not.\n\nSigned-off-by: A Person <a@example.org>\ngit-svn-id: svn://example.org@1 ab\nTested twice",
        6,
        0,
    ),
    "cut": ("Adds much text", "word " * 79 + "ends here but not there", 0, 1),
    "spaces": ("  \t tabs\tand   spaces \n", "\r\n windows \r\n lines", 1, 1),
    "quotes": ("don't say \"it's\" \\ \\1 $1", "$2 'x' \\n", 1, 3),
    "repeated": ("fix fix fix fixes fixed", "fix fix", 1, 1),
    "declared": ("feat(api): new route", "", 1, 1),
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
        connection.execute("create table int_categories__commit_types (commit_sha text)")
        connection.execute("create table int_categories__facts (commit_sha text, term text)")
        connection.execute("insert into int_categories__commit_types values ('declared')")
        for name, (subject, body, added, deleted) in INVENTED.items():
            connection.execute("insert into int_delivered_commits values (?, 'r')", [name])
            connection.execute("insert into stg_git__commits values (?, 'r', ?, ?)", [name, subject, body])
            if added + deleted:
                fact = messages.shape(added, deleted)
                connection.execute("insert into int_categories__facts values (?, ?)", [name, fact])
        found: dict[str, list[str]] = defaultdict(list)
        for name, term in connection.execute(query).fetchall():
            found[name].append(term)
    return found


@pytest.mark.parametrize("name", [name for name in INVENTED if name != "declared"])
def test_python_and_sql_find_the_same_terms(computed: dict[str, list[str]], name: str) -> None:
    subject, body, added, deleted = INVENTED[name]
    assert sorted(computed[name]) == messages.terms(subject, body, messages.shape(added, deleted))


def test_a_declared_type_is_no_business_of_the_model(computed: dict[str, list[str]]) -> None:
    assert "declared" not in computed


def test_words_lose_their_commonest_endings_and_nothing_of_people_stays() -> None:
    found = messages.terms(*INVENTED["people"][:2], "fact:only adds")
    assert {"first:reus", "subject:the buffer", "body:test", "body:twic"} <= set(found)
    assert not {"body:person", "body:example", "body:svn"} & set(found)


@pytest.mark.parametrize(
    ("name", "first"),
    [("plain", "fix"), ("tracker key", "handl"), ("part of the code, one", "add"), ("emoji", "broken")],
)
def test_the_first_word_comes_after_keys_and_the_part_of_the_code(name: str, first: str) -> None:
    subject, body, added, deleted = INVENTED[name]
    terms = messages.terms(subject, body, messages.shape(added, deleted))
    assert [term for term in terms if term.startswith("first:")] == [f"first:{first}"]


def test_the_seed_is_in_order_and_has_no_term_twice() -> None:
    with SEED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = [row["term"] for row in rows]
    assert told == ["bias", *sorted(set(told) - {"bias"})]
    assert [int(row["term_number"]) for row in rows] == list(range(1, len(rows) + 1))


def test_only_terms_of_three_projects_are_learned() -> None:
    def commits(term: str, projects: list[str]) -> list[Labelled]:
        return [Labelled("levin", project, ("bias", term), 0) for project in projects]

    labelled = [
        *commits("everywhere", ["a", "b", "c"]),
        *commits("two projects", ["a", "a", "b", "b"]),
        *commits("one project's", ["a"] * 20 + ["b", "c"]),
    ]
    assert categories.shared_terms(labelled) == ["bias", "everywhere"]


def test_the_fit_stands_where_the_loss_is_flat() -> None:
    chance = np.random.default_rng(3)
    vocabulary = ["bias", *(f"t{n}" for n in range(6))]
    sets = [["bias", *(t for t in vocabulary[1:] if chance.random() < 0.4)] for _ in range(200)]
    classes = chance.integers(0, 3, 200)
    model = linear.fitted(sets, classes, np.ones(200), vocabulary, penalty=0.01)

    def loss(weights: np.ndarray) -> float:
        chosen = linear.probabilities(linear.Model(model.vocabulary, weights).scores(sets))
        return -float(np.mean(np.log(chosen[np.arange(200), classes]))) + 0.005 * float(
            (weights[1:] ** 2).sum()
        )

    for number in np.ndindex(model.weights.shape):
        nudge = np.zeros_like(model.weights)
        nudge[number] = 1e-4
        assert abs(loss(model.weights + nudge) - loss(model.weights - nudge)) / 2e-4 < 1e-3


def test_kappa_of_a_textbook_table() -> None:
    # 20 + 15 of 50 agree, 5 and 10 do not: 0.7 observed, 0.5 by chance.
    one = np.array([0] * 25 + [1] * 25)
    other = np.array([0] * 20 + [1] * 5 + [0] * 10 + [1] * 15)
    assert categories.kappa(one, other) == pytest.approx(0.4)


def test_training_says_which_file_is_missing(tmp_path: Path) -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "dbt_project.training.categories",
            "--levin",
            "x.csv",
            "--conventional",
            "y.csv",
        ],
        capture_output=True,
        text=True,
        cwd=warehouse.PROJECT.parent,
    )
    assert run.returncode != 0
    assert "x.csv" in run.stderr
