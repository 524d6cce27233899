"""Manual decisions about commits: any sequence of decisions and undos, compared with a stack per commit."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from api.control import audit
from api.control.batches import write_each
from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude, include, list_exclusions
from api.control.errors import InvalidSetting, NotFound, NotPossible
from api.control.list_pages import ListQuery
from api.control.models import CommitExclusion
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases

ORGANIZATION = "0190d3b0-0000-7000-8000-0000000000aa"


def commit(number: int, zero_reason: str | None = None) -> NamedCommit:
    return NamedCommit(f"c{number}", f"{number:040d}", "r", f"Change {number}", zero_reason)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: str) -> ControlStore:
    store = open_store(tmp_path_factory.mktemp("control"))
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


@pytest.fixture
def fresh(tmp_path: Path) -> ControlStore:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


def decided(store: ControlStore) -> list[dict[str, object]]:
    return store.snapshot(ORGANIZATION)["commit_exclusions"]


def actions(store: ControlStore) -> list[str]:
    return [one.action for one in operations.pending(store, ORGANIZATION)]


STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["exclude", "exclude otherwise", "include"]),
    ),
    max_size=25,
)
RULES = {0: None, 1: "IMPORT", 2: "DUPLICATE", 3: "BOT"}


@given(STEPS)
@settings(max_examples=fewer(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_gives_the_state_of_a_stack_of_decisions(
    store: ControlStore, steps: list[tuple[int, str]]
) -> None:
    with store.session() as session:
        session.execute(delete(CommitExclusion))
    excluded: dict[int, str] = {}
    included: set[int] = set()
    for number, step in steps:
        one = commit(number, RULES[number])
        if step == "include":
            if number in excluded:
                include(store, OPERATOR, ORGANIZATION, one)
                del excluded[number]
            elif number in included or RULES[number] in ("IMPORT", "DUPLICATE"):
                include(store, OPERATOR, ORGANIZATION, one)
                included.add(number)
            else:
                with pytest.raises(NotPossible):
                    include(store, OPERATOR, ORGANIZATION, one)
            continue
        reason = ExclusionReason.REVERT if step == "exclude" else ExclusionReason.MIGRATION
        exclude(store, OPERATOR, ORGANIZATION, one, reason)
        excluded[number] = reason.value
    expected: set[tuple[str, bool, str | None]] = {(f"c{n}", True, why) for n, why in excluded.items()}
    expected |= {(f"c{n}", False, None) for n in included}
    assert {(row["commit_id"], row["is_excluded"], row["reason"]) for row in decided(store)} == expected


def test_taking_an_exclusion_back_leaves_the_settings_as_they_were(fresh: ControlStore) -> None:
    before = fresh.snapshot(ORGANIZATION)
    exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.OTHER, "counted twice")
    assert fresh.snapshot(ORGANIZATION) != before
    include(fresh, OPERATOR, ORGANIZATION, commit(1))
    assert fresh.snapshot(ORGANIZATION) == before
    assert actions(fresh) == ["commits.exclude", "commits.include"]
    # The newest build may be older than that.
    assert include(fresh, OPERATOR, ORGANIZATION, commit(1, "EXCLUDED_BY_HAND")) is None


def test_other_needs_words_and_a_refusal_changes_nothing(fresh: ControlStore) -> None:
    for note in (None, "", "  ", "x" * 1001, "a\0b"):
        with pytest.raises(InvalidSetting, match="note"):
            exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.OTHER, note)
    assert decided(fresh) == []
    assert actions(fresh) == []


def test_a_repeated_value_is_no_change(fresh: ControlStore) -> None:
    for _ in range(2):
        exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.IMPORT)
    assert actions(fresh) == ["commits.exclude"]
    exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.IMPORT, "from the old repository")
    assert actions(fresh) == ["commits.exclude"] * 2


@pytest.mark.parametrize("reason", [None, "MERGE", "BOT", "EXCLUDED", "BEFORE_START", "NOT_DELIVERED"])
def test_a_commit_without_an_exclusion_to_overrule_cannot_be_included(
    fresh: ControlStore, reason: str | None
) -> None:
    with pytest.raises(NotPossible, match="cannot be included"):
        include(fresh, OPERATOR, ORGANIZATION, commit(1, reason))
    assert decided(fresh) == []


def test_a_note_is_a_text_of_lines_and_no_name(fresh: ControlStore) -> None:
    note = "\ufeffCo\u00adpied\r\nfrom \u200fשלום\u200e"
    made = exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.OTHER, note)
    assert made.note == "Copied\nfrom \u200fשלום\u200e"


def test_each_item_of_a_batch_succeeds_or_fails_on_its_own(fresh: ControlStore) -> None:
    def one(given: NamedCommit) -> object:
        note = None if given.id == "c2" else "why"
        if given.id == "c4":
            raise RuntimeError
        return exclude(fresh, OPERATOR, ORGANIZATION, given, ExclusionReason.OTHER, note)

    missing = NotFound("no commit")
    wanted: list[NamedCommit | Exception] = [commit(1), commit(2), missing, commit(4), commit(3)]
    outcomes = write_each(wanted, one)
    assert isinstance(outcomes[1], InvalidSetting)
    assert outcomes[2] is missing
    assert isinstance(outcomes[3], RuntimeError)
    assert {row["commit_id"] for row in decided(fresh)} == {"c1", "c3"}


def test_the_list_has_author_time_and_reason_and_pages_without_gaps(fresh: ControlStore) -> None:
    for number in range(7):
        exclude(fresh, OPERATOR, ORGANIZATION, commit(number), ExclusionReason.GENERATED_CODE, f"n{number}")
    include(fresh, OPERATOR, ORGANIZATION, commit(9, "IMPORT"))
    exclude(fresh, OPERATOR, ORGANIZATION, commit(9), ExclusionReason.IMPORT)
    for order in ("", "commitId", "decidedAt", "isExcluded, commitId desc", "isExcluded desc"):
        seen: list[tuple[str, bool]] = []
        after = None
        while True:
            page = list_exclusions(fresh, ORGANIZATION, ListQuery(2, order, after))
            assert page.total == 9
            seen += [(one.commit_id, one.is_excluded) for one in page.items]
            if page.next_values is None:
                break
            after = tuple(page.next_values)
        assert len(seen) == len(set(seen)) == 9, order
    [newest] = list_exclusions(fresh, ORGANIZATION, ListQuery(1)).items
    assert (newest.commit_id, newest.decided_by) == ("c9", "operator")
    assert list_exclusions(fresh, ORGANIZATION, ListQuery(50), is_excluded=False).total == 1
    for key in ("r", "other"):
        fresh.upsert_repository(ORGANIZATION, key, name=key, origin=f"git.example/{key}")
    assert list_exclusions(fresh, ORGANIZATION, ListQuery(50), repository_id="R").total == 9
    assert list_exclusions(fresh, ORGANIZATION, ListQuery(50), repository_id="other").total == 0
    with pytest.raises(NotFound):
        list_exclusions(fresh, ORGANIZATION, ListQuery(50), repository_id="none")


def test_both_logs_have_the_decision(fresh: ControlStore) -> None:
    exclude(fresh, OPERATOR, ORGANIZATION, commit(1), ExclusionReason.OTHER, "twice")
    [entry] = audit.list_entries(fresh, ORGANIZATION, ListQuery(5), audit.Selection()).items
    assert (entry.action, entry.target_id, entry.before) == ("commits.exclude", "c1", None)
    assert entry.after == {"isExcluded": True, "reason": "other", "note": "twice"}
