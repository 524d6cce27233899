"""Imports: all bursts and their evidence against plain loops over all windows, with low limits."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict, replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import PEOPLE, History, Repository
from tests.dbt.naive.naive_imports import MOVED, Burst, Limits, bursts
from tests.dbt.naive.naive_scores import Scores

LIMITS = Limits(
    root_files=6, root_commits=2, root_lines=9, commit_lines=110, listed_commits=3, listed_lines=30,
    hour_lines=35, hour_files=6, hour_files_lines=9,
    day_lines=45, fortnight_lines=75, fortnight_files=9, fortnight_files_lines=20,
)  # fmt: skip
SEEDS = range(48)
# Written just before its delivery, on the hour, at the edges of the windows, and after the clock of the mainline.
BEFORE = [
    timedelta(minutes=5), timedelta(0), timedelta(hours=1), timedelta(days=1), timedelta(minutes=61),
    timedelta(days=14), timedelta(hours=-2), timedelta(0), timedelta(0),
]  # fmt: skip
PICTURES = tuple(f"img/{number}/page.ts" for number in range(9))
PAGES = tuple(f"README/{number}.md" for number in range(9))
STAYED = (
    "Import issues from svn",
    "Support import from svn",
    "Merge from svn trunk",
    "Move from svn to git hooks",
)
# A branch of hosts and of Git, too few commits, a list of a person, and one without a number
SQUASHES = (
    ("Add the board (#7)", "\n\n".join(["* Draw", "* Write", "It is long.", "* Test"])),
    ("Add the board (#8)", "* Draw\n\n* Write"),
    (
        "Squashed commit of the following:",
        "commit 1\nAuthor: a\n\ncommit 2\nAuthor: b\n\ncommit 3\nAuthor: c",
    ),
    ("Add the board (!9)", "* Draw\n* Write\n* Test\n* Read"),
    ("Add the board", "* Draw\n\n* Write\n\n* Test"),
    ("Add the board (!9)", "\n\n".join(["* Draw", "* Write", "* Test", "* Read"])),
)
SELECT = "+int_exclusions__bursts +int_exclusions__commits"
# When the last histories are being written, so that some of their bursts wait.
AS_OF = "2025-02-01 12:00:00+00:00"


def history(seed: int) -> Repository:
    """Two or three people work, add many files and change them later, at various paces."""
    dice = random.Random(1000 + seed)
    hours = dice.choice([(0, 1), (0, 1, 5), (1, 20), (3, 50, 120), (0, 150, 336)])
    people = [(f"Person{seed} {name}", f"{n}@{seed}.example.net") for n, name in enumerate(("One", "Two"))]
    made = History(f"acme/{seed}", seed=seed, people=[*people, PEOPLE[7]], hours=hours, written_before=BEFORE)
    if seed % 5 < 2:
        # A host wrote a readme before.
        for number in range(dice.choice([1, 2]) if seed % 5 else 0):
            made.say("Initial commit", path=f"README.{number}.md")
        beside = PICTURES if seed % 3 == 1 else PAGES if seed % 3 == 2 else ()
        made.add_files(dice.choice([6, 7]), people[0], beside=beside)
        if seed % 10 == 1:
            made.change_files(5, people[0])
    for _ in range(14):
        for _ in range(dice.choice([0, 0, 1, 3])):
            made.deliver(edits=dice.choice([1, 3, 8]))
        author, count = dice.choice(people), dice.choice([1, 2, 5, 9])
        made.add_files(count, author, lines=dice.choice([2, 5, 12, 40]))
        if dice.random() < 0.3:
            made.change_files(count, author)
    repository = made.finish(is_sandbox=seed % 7 == 6, is_excluded=seed % 9 == 8)
    say_where_from(repository, seed)
    return repository


def say_where_from(repository: Repository, seed: int) -> None:
    """Some deliveries merge another history, and some messages name another repository."""
    if seed % 4 == 1:
        for delivery in repository.rows["deliveries"][5:7]:
            delivery["is_unrelated_root"], delivery["unrelated_shas"] = True, list(delivery["commit_shas"])
            for commit in repository.rows["commits"]:
                if commit["commit_sha"] in delivery["commit_shas"] and seed % 8 == 1:
                    commit["author_name"], commit["author_email"] = "Lib Author", f"lib@{seed}.example.net"
    if seed % 4 == 2:
        for commit in repository.rows["commits"][9::7]:
            commit["body"] = f"git-subtree-dir: lib\ngit-subtree-split: {commit['commit_sha']}"
    if seed % 24 == 3:
        for number, commit in enumerate(repository.rows["commits"][3::2]):
            commit["subject"] = (*MOVED, *STAYED)[number % (len(MOVED) + len(STAYED))]
    if seed % 6 == 0:
        for number, commit in enumerate(repository.rows["commits"][2::2]):
            commit["subject"], commit["body"] = SQUASHES[number % len(SQUASHES)]


@pytest.fixture(scope="module")
def histories() -> list[Repository]:
    return [history(seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def expected(histories: list[Repository]) -> dict[str, Burst]:
    return bursts(Scores(invented_lake.gathered(histories), invented_lake.TIME_ZONE), LIMITS)


@pytest.fixture(scope="module")
def low(histories: list[Repository], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with the low limits."""
    folder = tmp_path_factory.mktemp("imports")
    invented_lake.write(folder / "raw", histories)
    limits = {f"import_{name}": value for name, value in asdict(LIMITS).items()}
    return warehouse.build(folder / "raw", folder, select=SELECT, as_of=AS_OF, **limits)


def found_commits(built: Path) -> dict[str, dict[str, Any]]:
    rows = warehouse.rows(built, "select * from int_exclusions__commits where burst_id is not null")
    return {row["commit_sha"]: row for row in rows}


def test_every_commit_is_in_the_burst_of_plain_loops(low: Path, expected: dict[str, Burst]) -> None:
    found = {sha: (row["rule"], row["first_commit_sha"]) for sha, row in found_commits(low).items()}
    assert found == {sha: (burst.rule, burst.first) for sha, burst in expected.items()}


def test_the_evidence_equals_the_sums_of_plain_loops(low: Path, expected: dict[str, Burst]) -> None:
    rows = warehouse.rows(low, "select * from int_exclusions__bursts")
    found = {
        row["first_commit_sha"]: (
            row["commits"], row["new_files"], row["novel_lines"], row["arrived_lines"],
            row["reworked_share_micro"], row["worked_share_micro"],
        )
        for row in rows
    }  # fmt: skip

    def share(part: Fraction | None, whole: Fraction | None) -> int | None:
        return int(part * 1_000_000 / whole) if whole and part is not None else None

    assert found == {
        burst.first: (
            len(burst.shas), burst.files, int(burst.novel), int(burst.arrived),
            share(burst.reworked, burst.arrived),
            share(burst.worked, burst.arrived + (burst.worked or 0)),
        )
        for burst in expected.values()
    }  # fmt: skip


def test_the_histories_hold_every_case(
    low: Path, expected: dict[str, Burst], histories: list[Repository]
) -> None:
    """Without every case the comparisons above would prove less."""
    whole = {id(burst): burst for burst in expected.values()}.values()
    rules = Counter(burst.rule for burst in whole)
    assert set(rules) == {
        "UNRELATED_ROOT",
        "FIRST_COMMIT",
        "SUBTREE",
        "ONE_COMMIT",
        "HOUR",
        "DAY",
        "FORTNIGHT",
    }
    assert min(rules[rule] for rule in ("HOUR", "DAY", "FORTNIGHT")) >= 5
    naive = Scores(invented_lake.gathered(histories), invented_lake.TIME_ZONE)
    said = Counter(
        naive.commits[burst.first].row["subject"] in MOVED for burst in whole if burst.rule == "SUBTREE"
    )
    assert set(said) == {True, False}
    assert any(naive.commits[sha].row["subject"] in STAYED for sha in naive.commits if sha not in expected)
    unlisted = bursts(naive, replace(LIMITS, listed_commits=10**6))
    spared = {naive.commits[sha].row["subject"] for sha in unlisted.keys() - expected.keys()}
    assert spared >= {SQUASHES[number][0] for number in (0, 2, 5)}, spared
    taken = {(naive.commits[sha].row["subject"], naive.commits[sha].row["body"]) for sha in expected}
    assert taken >= {SQUASHES[number] for number in (1, 3, 4)}, taken
    assert taken & {SQUASHES[number] for number in (0, 2, 5)}, "too many lines for the listed commits"
    first = {burst.first for burst in whole if burst.rule == "FIRST_COMMIT"}
    assert {bool(naive.commits[sha].row["parent_shas"]) for sha in first} == {True, False}
    hasty = bursts(naive, replace(LIMITS, root_lines=0), reworked_share=Fraction(2))
    kept = {sha for sha in hasty.keys() - first if hasty[sha].rule == "FIRST_COMMIT"}
    assert kept - bursts(naive, LIMITS, reworked_share=Fraction(2)).keys(), "the lines decide nothing"
    assert any(hasty[sha].reworked for sha in kept), "first code that its author reworks"
    begun = {sha for sha, commit in naive.commits.items() if "src/imported" in " ".join(commit.files)}
    own = [
        (bool(commit.row["parent_shas"]), path.partition("/")[0])
        for sha, commit in naive.commits.items()
        if sha in begun - expected.keys() and commit.row["files_changed"] > LIMITS.root_files
        for path in commit.files
    ]
    assert set(own) >= {(False, "img"), (True, "img"), (True, "README")}, (
        "first work beside pictures or pages"
    )
    assert any(burst.reworked > 0 for burst in whole)
    assert any(len(burst.shas) > 3 for burst in whole if burst.rule == "FORTNIGHT")
    eager = bursts(naive, LIMITS, reworked_share=Fraction(2))
    assert len(eager) > len(expected), "rework decides nothing"
    assert {row["is_waiting"] for row in found_commits(low).values()} == {True, False}


def test_waiting_commits_have_their_own_reason(low: Path) -> None:
    """New mass waits for two weeks after writing, or after delivery if the author's clock is ahead."""
    rows = warehouse.rows(
        low,
        f"""
        select b.rule, b.is_waiting, b.zero_reason, c2.authored_at, d.delivered_at,
               least(c2.authored_at, d.delivered_at) + interval 14 days > timestamptz '{AS_OF}' as is_young
        from int_exclusions__commits b
        join int_delivered_commits d using (commit_sha)
        join int_commits c2 using (commit_sha)
        where b.burst_id is not null
        """,
    )
    for row in rows:
        is_window = row["rule"] in ("HOUR", "DAY", "FORTNIGHT")
        assert row["is_waiting"] == (is_window and row["is_young"])
        if row["zero_reason"] not in ("EXCLUDED", "BOT"):
            assert row["zero_reason"] == ("IMPORT_WAITING" if row["is_waiting"] else "IMPORT")
    assert any(row["is_young"] and not row["is_waiting"] for row in rows)
    statuses = warehouse.rows(
        low,
        """
        select b.status, b.evidence_until_micros is not null as waits, bool_or(c.is_waiting) as any_waits
        from int_exclusions__bursts b join int_exclusions__commits c using (burst_id) group by b.burst_id, 1, 2
        """,
    )
    assert {(row["status"], row["waits"], row["any_waits"]) for row in statuses} == {
        ("IMPORT", False, False), ("WAITING_FOR_EVIDENCE", True, True),
    }  # fmt: skip
