"""Trees of teams keep their rules after any move."""

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from api.control.errors import AlreadyExists, ControlError, InvalidSetting
from api.control.list_pages import ListQuery
from api.control.models import Team
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.teams import teams
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: str) -> ControlStore:
    return open_store(tmp_path_factory.mktemp("teams"))


def chain(store: ControlStore, organization: str, name: str, length: int) -> list[str]:
    """A chain of teams, each below the previous one."""
    made: list[str] = []
    for number in range(length):
        parent = made[-1] if made else None
        made.append(teams.create_team(store, OPERATOR, organization, f"{name} {number}", parent).id)
    return made


def test_a_sub_tree_that_is_moved_counts_with_all_its_levels(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme").id
    above, moved = chain(store, acme, "Above", 30), chain(store, acme, "Moved", 21)
    with pytest.raises(InvalidSetting, match="at most 50 levels"):
        teams.change_team(store, OPERATOR, acme, moved[0], parent_id=above[-1])
    # One level less is as deep as can be; then nothing goes below the last.
    teams.change_team(store, OPERATOR, acme, moved[0], parent_id=above[-2])
    with pytest.raises(InvalidSetting, match="at most 50 levels"):
        teams.create_team(store, OPERATOR, acme, "One more", moved[-1])
    with pytest.raises(InvalidSetting, match="at most 50 levels"):
        teams.change_team(store, OPERATOR, acme, above[0], parent_id=chain(store, acme, "Top", 1)[0])
    # A part of it alone still moves.
    teams.change_team(store, OPERATOR, acme, moved[1], parent_id=above[0])


def is_tree(parents: dict[str, str | None]) -> bool:
    """Whether every team reaches the top within three levels."""
    for key in parents:
        at: str | None = key
        for _ in range(3):
            at = parents[at] if at is not None else None
        if at is not None:
            return False
    return True


@limits(max_examples=fewer(40), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), max_size=10))
def test_no_sequence_of_moves_makes_a_tree_too_deep_or_a_circle(
    store: ControlStore, moves: list[tuple[int, int]]
) -> None:
    """Compared with the tree as a table of parents, with at most three levels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "MAX_DEPTH", 3)
        acme = store.ensure_organization("Other").id
        ids = [teams.create_team(store, OPERATOR, acme, f"Team {number}").id for number in range(5)]
        parents: dict[str, str | None] = dict.fromkeys(ids)
        for one, other in moves:
            parent = ids[other] if other >= 0 else None
            wanted = parents | {ids[one]: parent}
            try:
                teams.change_team(store, OPERATOR, acme, ids[one], parent_id=parent)
            except ControlError:
                assert not is_tree(wanted)
            else:
                assert is_tree(wanted)
                parents = wanted
        found = teams.list_teams(store, acme, ListQuery(100)).items
        assert {one.id: one.parent_id for one in found} == parents


def test_names_that_look_the_same_are_one(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme").id
    made = teams.create_team(store, OPERATOR, acme, "Zürich")
    for same in ("Zu\u0308rich", "ZU\u0308RICH", " zürich", "Zü\u200drich"):
        with pytest.raises(AlreadyExists, match="'Zürich'"):
            teams.create_team(store, OPERATOR, acme, same)
    assert teams.change_team(store, OPERATOR, acme, made.id, name="ZU\u0308RICH").name == "ZÜRICH"
    with pytest.raises(InvalidSetting, match=r"U\+202E"):
        teams.create_team(store, OPERATOR, acme, "Web\u202e")


def test_a_team_with_a_name_of_an_earlier_release_is_moved(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme").id
    top, team = (teams.create_team(store, OPERATOR, acme, name).id for name in ("Top of it", "Below"))
    with store.session() as session:
        session.get_one(Team, team).name = "Be\u00adlow"
    moved = teams.change_team(store, OPERATOR, acme, team, name="Be\u00adlow", parent_id=top)
    assert moved.parent_id == top
    with pytest.raises(InvalidSetting):
        teams.change_team(store, OPERATOR, acme, team, name="B\u00adelow")
