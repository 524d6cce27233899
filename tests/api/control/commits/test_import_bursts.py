"""Manually included import bursts: one decision per burst, for the commits that it had at that time."""

from pathlib import Path

import pytest

from api.control import audit
from api.control.audit import Selection
from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude, include, list_exclusions
from api.control.commits.import_bursts import NamedBurst, include_burst, undo_burst
from api.control.errors import InvalidSetting, NotFound
from api.control.list_pages import ListQuery
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store

pytestmark = pytest.mark.both_databases

ORGANIZATION = "0190d3b0-0000-7000-8000-0000000000aa"


@pytest.fixture
def store(tmp_path: Path) -> ControlStore:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


def commit(number: int) -> NamedCommit:
    return NamedCommit(f"c{number}", f"{number:040d}", "r", f"Change {number}", "IMPORT")


def burst(*numbers: int, key: str = "b") -> NamedBurst:
    return NamedBurst(key, [commit(number) for number in numbers])


def counted(store: ControlStore) -> set[str]:
    rows = store.snapshot(ORGANIZATION)["commit_exclusions"]
    return {row["commit_id"] for row in rows if not row["is_excluded"]}


def actions(store: ControlStore) -> list[str]:
    return [one.action for one in operations.pending(store, ORGANIZATION)]


def test_a_burst_is_one_decision_with_its_reason(store: ControlStore) -> None:
    made = include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2, 3), " Ours, written elsewhere. ")
    assert (made.counted_commits, made.changed_commits) == (3, 3)
    assert counted(store) == {"c1", "c2", "c3"}
    [entry] = audit.list_entries(
        store, ORGANIZATION, ListQuery(9), Selection(action="importBursts.include")
    ).items
    assert (entry.target_kind, entry.target_id) == ("importBurst", "b")
    assert entry.before == {"countedCommits": 0}
    assert entry.after == {"countedCommits": 3, "reason": "Ours, written elsewhere."}
    listed = list_exclusions(store, ORGANIZATION, ListQuery(9)).items
    assert {(one.commit_id, one.note, one.import_burst_id) for one in listed} == {
        (f"c{n}", "Ours, written elsewhere.", "b") for n in (1, 2, 3)
    }
    assert actions(store) == ["importBursts.include"]


def test_a_repeated_decision_changes_nothing_and_a_grown_burst_needs_another(store: ControlStore) -> None:
    include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2), "Ours.")
    again = include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2), "Ours.")
    assert (again.counted_commits, again.changed_commits) == (2, 0)
    assert actions(store) == ["importBursts.include"]
    assert counted(store) == {"c1", "c2"}
    grown = include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2, 3), "Ours.")
    assert (grown.counted_commits, grown.changed_commits) == (3, 1)
    assert counted(store) == {"c1", "c2", "c3"}


@pytest.mark.parametrize(
    "now", [burst(1, 2), burst(2, 9, key="other"), burst()], ids=["same", "moved", "gone"]
)
def test_an_undo_restores_the_settings(store: ControlStore, now: NamedBurst) -> None:
    """Also when the rules find another burst, or none, by the time of the undo."""
    before = store.snapshot(ORGANIZATION)
    include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2), "Ours.")
    if now.commits and now.id != "b":
        made = undo_burst(store, OPERATOR, ORGANIZATION, now)
        assert made.changed_commits == 1
        assert counted(store) == {"c1"}
        now = burst()
    undo_burst(store, OPERATOR, ORGANIZATION, now)
    assert store.snapshot(ORGANIZATION) == before
    assert actions(store)[-1] == "importBursts.undo"


def test_decisions_about_single_commits_stay(store: ControlStore) -> None:
    include(store, OPERATOR, ORGANIZATION, commit(1))
    exclude(store, OPERATOR, ORGANIZATION, commit(2), ExclusionReason.IMPORT)
    before = store.snapshot(ORGANIZATION)
    made = include_burst(store, OPERATOR, ORGANIZATION, burst(1, 2, 3), "Ours.")
    assert (made.counted_commits, made.changed_commits) == (2, 2)
    rows = {(r["commit_id"], r["is_excluded"]) for r in store.snapshot(ORGANIZATION)["commit_exclusions"]}
    assert rows == {("c1", False), ("c2", True), ("c2", False), ("c3", False)}
    undo_burst(store, OPERATOR, ORGANIZATION, burst(1, 2, 3))
    assert store.snapshot(ORGANIZATION) == before


def test_an_unknown_burst_or_an_empty_reason_changes_nothing(store: ControlStore) -> None:
    with pytest.raises(NotFound, match="no import burst 'b'"):
        include_burst(store, OPERATOR, ORGANIZATION, burst(), "Ours.")
    for reason in ("", "  ", "x" * 1001):
        with pytest.raises(InvalidSetting, match="reason"):
            include_burst(store, OPERATOR, ORGANIZATION, burst(1), reason)
    with pytest.raises(NotFound, match="no decision"):
        undo_burst(store, OPERATOR, ORGANIZATION, burst(1))
    assert actions(store) == []
    assert counted(store) == set()
