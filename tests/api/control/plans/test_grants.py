"""Grants only grow, stay within the limit, and count each commit of the organization once, in any order of events."""

import random
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from api.control.plans.grants import Commits, Grant, allotted, charges, packed, unpacked
from tests.api.control.plans.histories import commits, ids
from tests.suite.tiers import examples, fewer

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("grow", "grow", "fork", "rewrite", "remove")),
        st.sampled_from("abcd"),
        st.sampled_from("abcd"),
        st.integers(0, 30),
        st.integers(0, 30),
        st.integers(0, 60),
    ),
    max_size=14,
)


def used(grants: dict[str, Grant]) -> int:
    """The different commits of all grants."""
    return len({each for one in grants.values() for each in one.ids or ()})


@examples(1000)
@given(STEPS, st.randoms(use_true_random=False))
def test_commits_of_forks_mirrors_and_rewrites_count_once_within_the_limit(
    steps: list[tuple[str, str, str, int, int, int]], chance: random.Random
) -> None:
    """Compared with sets of ids. A step changes a repository, moves its start, and sets the limit."""
    histories: dict[str, list[bytes]] = {}
    gone: dict[str, list[bytes]] = {}
    starts: dict[str, int] = {}
    held: dict[str, Grant] = {}
    for number, (step, name, other, size, start, limit) in enumerate(steps):
        # A removed repository comes back as it was.
        history = histories.setdefault(name, gone.pop(name, []))
        if step == "grow":
            history += ids(f"{name} {number}", size)
        elif step == "fork":
            histories[name] = [*histories.get(other, []), *ids(f"{name} {number}", size // 4 + 1)]
        elif step == "rewrite":
            histories[name] = history[:size] + ids(f"{name} {number}", len(history[size:]))
        else:
            gone[name] = histories.pop(name)
        starts[name] = start
        listed = [Commits(key, each, min(starts[key], len(each))) for key, each in histories.items() if each]
        chance.shuffle(listed)
        granted_before, before = {each for one in held.values() for each in one.ids or ()}, used(held)
        held = allotted(held, listed, max(0, limit - before))
        assert used(held) <= max(limit, before)
        assert sum(charges(held).values()) == used(held)
        for one in listed:
            if one.repository_id in held:
                grant = held[one.repository_id]
                assert grant.ids == tuple(one.ids[grant.first - 1 : grant.last])
                assert 1 <= grant.first <= grant.last + 1 <= one.total + 1
        if step in ("grow", "remove"):
            assert granted_before <= {each for one in held.values() for each in one.ids or ()}
        # The room that a rewrite left is given with the next reading.
        held = allotted(held, listed, max(0, limit - used(held)))
        granted = {each for one in held.values() for each in one.ids or ()}
        wanted = {each for one in listed for each in one.ids[one.before_start :]}
        assert wanted <= granted or used(held) >= limit
        assert allotted(held, listed, max(0, limit - used(held))) == held


FAMILY = {
    "origin": ids("origin", 40),
    "mirror": ids("origin", 40),
    "fork": [*ids("origin", 25), *ids("fork", 10)],
    "other": ids("other", 8),
}


@settings(deadline=None, max_examples=fewer(20))
@given(st.integers(0, 70))
def test_the_order_of_reading_changes_no_count(limit: int) -> None:
    distinct = len({each for history in FAMILY.values() for each in history})
    assert distinct == 58
    for order in permutations(FAMILY):
        held: dict[str, Grant] = {}
        for number in range(1, 5):
            listed = [Commits(name, FAMILY[name]) for name in order[:number]]
            held = allotted(held, listed, max(0, limit - used(held)))
        assert used(held) == sum(charges(held).values()) == min(limit, distinct)


def test_a_mirror_of_analysed_commits_is_granted_at_the_limit_and_costs_nothing() -> None:
    held = allotted({}, [Commits("a", ids("a", 40))], 40)
    mirrored = allotted(held, [Commits("a", ids("a", 40)), Commits("b", ids("a", 40))], 0)
    assert mirrored == {"a": Grant(1, 40), "b": Grant(1, 40)}
    assert charges(mirrored) == {"a": 40, "b": 0}


def test_commits_of_a_removed_repository_stay_counted_and_count_once_where_they_come_back() -> None:
    held = allotted({}, [Commits("a", ids("x", 40))], 40)
    assert sum(charges(allotted(held, [], 0)).values()) == 40
    elsewhere = allotted(held, [Commits("b", ids("x", 40))], 0)
    assert (elsewhere["b"], sum(charges(elsewhere).values())) == (Grant(1, 40), 40)


def test_a_history_that_replaces_a_mirrored_one_is_no_way_around_the_limit() -> None:
    held = allotted({}, [Commits(name, ids("x", 40)) for name in "ab"], 40)
    replaced = allotted(held, [Commits("a", ids("x", 40)), Commits("b", ids("y", 40))], 0)
    assert used(replaced) == 40
    assert replaced["b"].commits == 0


def test_a_grant_of_an_earlier_release_counts_whole_until_its_repository_is_read() -> None:
    old = {"a": Grant(1, 40), "b": Grant(11, 40), "gone": Grant(1, 5)}
    assert charges(old) == {"a": 40, "b": 30, "gone": 5}
    read = allotted(old, [Commits(name, ids("x", 40)) for name in "ab"], 0)
    # The room of the commits that counted twice.
    assert read == {"a": Grant(1, 40), "b": Grant(1, 40), "gone": Grant(1, 5)}
    assert sum(charges(read).values()) == 45


def test_the_newest_commits_of_a_new_repository_come_first_and_new_ones_before_old_ones() -> None:
    first = allotted({}, [commits("a", 100)], 10)
    assert first == {"a": Grant(91, 100)}
    second = allotted(first, [commits("a", 103), commits("b", 4)], 5)
    assert second == {"a": Grant(91, 103), "b": Grant(3, 4)}
    assert allotted(second, [commits("a", 103), commits("b", 4)], 3) == {
        "a": Grant(88, 103),
        "b": Grant(3, 4),
    }
    assert allotted({}, [commits("a", 100, before_start=98)], 10) == {"a": Grant(99, 100)}


def test_a_rewritten_history_keeps_as_many_as_are_left() -> None:
    held = allotted({}, [commits("r", 1000)], 500)
    assert allotted(held, [commits("new", 300, 0)], 0)["r"] == held["r"] == Grant(501, 1000)
    for total, kept in ((300, Grant(1, 300)), (900, Grant(401, 900)), (1000, Grant(501, 1000))):
        assert allotted(held, [Commits("r", ids("rewritten", total))], 0) == {"r": kept}
    assert allotted(held, [commits("r", 0)], 5) == held


def test_ids_are_packed_and_unpacked() -> None:
    assert unpacked(packed(ids("a", 3))) == tuple(ids("a", 3))
    assert unpacked(b"") == ()
