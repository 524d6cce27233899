"""A removal of a repository deletes decisions and corrections of its work, unless it is added again meanwhile."""

import json
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from api.control.checks import decisions
from api.control.checks.decisions import NamedOccurrence
from api.control.checks.standings import Standings
from api.control.commits.categories import categorize
from api.control.commits.corrections import (
    CorrectionKind,
    CorrectionTarget,
    file_correction,
    list_corrections,
)
from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude
from api.control.list_pages import ListQuery
from api.control.models import Repository
from api.control.principals import OPERATOR
from api.control.repositories import removals
from api.control.store import ControlStore, open_store

pytestmark = pytest.mark.both_databases

ACME = "0190d3b0-0000-7000-8000-0000000000aa"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ControlStore]:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ACME, slug="acme")
    for name in ("one", "other"):
        store.upsert_repository(ACME, name, name=name, origin=f"host/{name}")
    yield store
    store.close()


def decide(store: ControlStore, repository: str) -> None:
    """Exclude a commit of a repository, set its category, request a correction of it, and resolve checks about it and
    about a pull request.
    """
    commit = NamedCommit(f"c-{repository}", "5" * 40, repository, "Change", None)
    exclude(store, OPERATOR, ACME, commit, ExclusionReason.IMPORT)
    categorize(store, OPERATOR, ACME, commit, "fixes")
    requested = CorrectionTarget(
        CorrectionKind.CATEGORY, "d", "Ada", "See.",
        commit_id=commit.id, commit_sha=commit.sha, repository_id=repository, category="tests",
    )  # fmt: skip
    file_correction(store, OPERATOR, ACME, requested)
    for key, about in ((f"o-{commit.id}", commit.id), (f"o-{repository}", None)):
        occurrence = NamedOccurrence(
            key, "k", "T", has_ended=False, repository_id=repository, commit_id=about
        )
        decisions.resolve(store, OPERATOR, ACME, occurrence, "Agreed.")


def occurrences(store: ControlStore) -> set[str]:
    """The occurrences with decisions."""
    return {row["decided_id"] for row in json.loads(Standings(store).of(ACME).decisions)}


def decided(store: ControlStore) -> list[set[str | None]]:
    """The commits that exclusions, categories and corrections name."""
    rows = store.snapshot(ACME)
    corrections = list_corrections(store, ACME, ListQuery(50)).items
    return [
        {row["commit_id"] for row in rows["commit_exclusions"]},
        {row["commit_id"] for row in rows["commit_categories"]},
        {one.commit_id for one in corrections},
    ]


def test_a_repository_added_again_has_no_earlier_decisions(store: ControlStore) -> None:
    alias = CorrectionTarget(CorrectionKind.ALIAS, "d", "Ada", "Mine.", email="ada@x.example", is_mine=True)
    file_correction(store, OPERATOR, ACME, alias)
    for name in ("one", "other"):
        decide(store, name)
    removals.remove(store, ACME, "one")
    assert decided(store)[1] == {"c-one", "c-other"}
    removals.forget(store, ACME, "one")
    store.upsert_repository(ACME, "one", name="one", origin="host/one")
    assert decided(store) == [{"c-other"}, {"c-other"}, {"c-other", None}]
    assert occurrences(store) == {"o-c-other", "o-other"}


def test_decisions_about_a_commit_in_another_repository_stay(store: ControlStore) -> None:
    """Otherwise an excluded commit would count again in a fork after the removal of the other repository."""
    for name in ("one", "other"):
        decide(store, name)
    shared = NamedCommit("shared", "7" * 40, "one", "Change", None)
    exclude(store, OPERATOR, ACME, shared, ExclusionReason.IMPORT)
    categorize(store, OPERATOR, ACME, shared, "fixes")
    checked = NamedOccurrence("o-shared", "k", "T", has_ended=False, repository_id="one", commit_id="shared")
    decisions.resolve(store, OPERATOR, ACME, checked, "Agreed.")
    asked: list[set[str]] = []

    def homes(commits: Collection[str]) -> dict[str, str]:
        asked.append(set(commits))
        return {"shared": "other"}

    removals.remove(store, ACME, "one")
    removals.forget(store, ACME, "one", homes)
    assert asked == [{"c-one", "shared"}]
    assert occurrences(store) == {"o-c-other", "o-other", "o-shared"}
    assert decided(store) == [{"c-other", "shared"}, {"c-other", "shared"}, {"c-other"}]
    removals.remove(store, ACME, "other")
    removals.forget(store, ACME, "other")
    assert decided(store) == [set(), set(), set()]
    assert occurrences(store) == set()


def test_a_repository_added_again_during_its_removal_stays(store: ControlStore) -> None:
    decide(store, "one")
    removals.remove(store, ACME, "one")
    pool = ThreadPoolExecutor(1)
    with store.write_transaction(ACME) as session:
        row = session.get_one(Repository, (ACME, "one"))
        row.removed_at = None
        session.flush()
        forgotten = pool.submit(removals.forget, store, ACME, "one")
        # Time to look at the repository, if that did not wait.
        sleep(0.3)
    forgotten.result()
    pool.shutdown()
    assert {one.repository_id for one in removals.repositories(store, ACME)} == {"one", "other"}
    assert decided(store)[0] == {"c-one"}
