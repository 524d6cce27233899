"""Rules about members, compared with a table from the specification; invariants after any sequence of changes."""

import contextlib
import itertools
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.control.accounts import members, tokens
from api.control.accounts.members import MemberRecord
from api.control.audit import Selection, list_entries
from api.control.errors import ControlError, NotAllowed, NotFound, NotPossible
from api.control.issued_tokens import key_hash
from api.control.list_pages import ListQuery
from api.control.permissions import Role
from api.control.principals import OPERATOR, Principal
from api.control.store import ControlStore, open_store
from tests.api.people import join, make_account, principal
from tests.suite.tiers import fewer

EVERYBODY = ListQuery(1000)
PLATFORM = "platform"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: str) -> ControlStore:
    return open_store(tmp_path_factory.mktemp("members"))


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def roles(store: ControlStore, organization: str) -> dict[str, Role]:
    found = members.list_members(store, organization, EVERYBODY)
    return {one.id: one.role for one in found.items}


def manages(actor: str) -> bool:
    return actor in (Role.OWNER, Role.ADMIN, PLATFORM)


def rules_over_owners(actor: str) -> bool:
    return actor in (Role.OWNER, PLATFORM)


@pytest.fixture
def as_role(store: ControlStore, acme: str) -> Callable[[str], Principal]:
    def made(actor: str) -> Principal:
        if actor == PLATFORM:
            return principal(store, make_account(store, administrator=True))
        return principal(store, join(store, acme, actor))

    return made


@pytest.mark.parametrize(("actor", "before", "after"), list(itertools.product([*Role, PLATFORM], Role, Role)))
def test_changes_of_roles_by_role_of_the_actor(
    store: ControlStore, acme: str, as_role: Callable[[str], Principal], actor: str, before: Role, after: Role
) -> None:
    join(store, acme, Role.OWNER)
    target = join(store, acme, before)
    allowed = manages(actor) and (
        before is after or rules_over_owners(actor) or Role.OWNER not in (before, after)
    )
    if allowed:
        assert members.change_role(store, as_role(actor), acme, target, after).role is after
    else:
        with pytest.raises(NotAllowed):
            members.change_role(store, as_role(actor), acme, target, after)
    assert roles(store, acme)[target] is (after if allowed else before)


@pytest.mark.parametrize(("actor", "role"), list(itertools.product([*Role, PLATFORM], Role)))
def test_removals_of_members_by_role_of_the_actor(
    store: ControlStore, acme: str, as_role: Callable[[str], Principal], actor: str, role: Role
) -> None:
    join(store, acme, Role.OWNER)
    target = join(store, acme, role)
    if manages(actor) and (role is not Role.OWNER or rules_over_owners(actor)):
        members.remove_member(store, as_role(actor), acme, target)
        assert target not in roles(store, acme)
    else:
        with pytest.raises(NotAllowed):
            members.remove_member(store, as_role(actor), acme, target)
        assert target in roles(store, acme)


@pytest.mark.both_databases
def test_an_owner_neither_changes_nor_removes_the_own_role(store: ControlStore, acme: str) -> None:
    join(store, acme, Role.OWNER)
    account = join(store, acme, Role.OWNER)
    owner = principal(store, account)
    for work in (
        lambda: members.change_role(store, owner, acme, account, Role.ADMIN),
        lambda: members.remove_member(store, owner, acme, account),
    ):
        with pytest.raises(NotAllowed, match="their own owner role"):
            work()
    # Nor through a key of the same account.
    key = tokens.create_token(store, acme, "ci", scope="write", actor=owner).key
    found = tokens.find_by_hash(store, key_hash(key))
    assert found is not None
    with pytest.raises(NotAllowed, match="their own owner role"):
        members.change_role(store, found[2], acme, account, Role.ADMIN)


@pytest.mark.both_databases
def test_no_actor_removes_the_last_owner(store: ControlStore, acme: str) -> None:
    account = join(store, acme, Role.OWNER)
    for actor in (OPERATOR, principal(store, make_account(store, administrator=True))):
        with pytest.raises(NotPossible, match="last owner"):
            members.remove_member(store, actor, acme, account)
        with pytest.raises(NotPossible, match="last owner"):
            members.change_role(store, actor, acme, account, Role.VIEWER)


@pytest.mark.both_databases
def test_a_member_of_another_organization_is_unknown(store: ControlStore, acme: str) -> None:
    owner = principal(store, join(store, acme, Role.OWNER))
    stranger = join(store, store.ensure_organization("Other").id, Role.VIEWER)
    for work in (
        lambda: members.member(store, acme, stranger),
        lambda: members.change_role(store, owner, acme, stranger, Role.ADMIN),
        lambda: members.remove_member(store, owner, acme, stranger),
    ):
        with pytest.raises(NotFound):
            work()


@pytest.mark.both_databases
def test_a_role_that_was_lost_meanwhile_counts_for_nothing(store: ControlStore, acme: str) -> None:
    join(store, acme, Role.OWNER)
    account, target = join(store, acme, Role.ADMIN), join(store, acme, Role.VIEWER)
    admin = principal(store, account)
    members.change_role(store, OPERATOR, acme, account, Role.VIEWER)
    with pytest.raises(NotAllowed):
        members.change_role(store, admin, acme, target, Role.MEMBER)


@pytest.mark.both_databases
def test_removing_a_member_revokes_the_keys_made_here_and_no_other(store: ControlStore, acme: str) -> None:
    join(store, acme, Role.OWNER)
    elsewhere = store.ensure_organization("Other").id
    account = join(store, acme, Role.MEMBER)
    join(store, elsewhere, Role.MEMBER, account)
    who = principal(store, account)
    for organization in (acme, elsewhere):
        tokens.create_token(store, organization, "mine", actor=who)
    tokens.create_token(store, acme, "the operator's")
    members.remove_member(store, OPERATOR, acme, account)
    assert {t.name: t.revoked_at is not None for t in tokens.list_tokens(store, acme)} == {
        "mine": True,
        "the operator's": False,
    }
    assert [t.revoked_at for t in tokens.list_tokens(store, elsewhere)] == [None]
    join(store, acme, Role.MEMBER, account)
    assert [t.name for t in tokens.list_tokens(store, acme) if t.revoked_at is not None] == ["mine"]


@pytest.mark.both_databases
def test_one_owner_stays_when_two_remove_each_other_at_once(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for _ in range(5):
        acme = store.ensure_organization("Acme").id
        accounts = [join(store, acme, Role.OWNER) for _ in range(2)]
        actors = [principal(store, account) for account in accounts]
        barrier = threading.Barrier(2)

        def remove(
            actor: Principal, target: str, acme: str = acme, barrier: threading.Barrier = barrier
        ) -> None:
            barrier.wait()
            with contextlib.suppress(ControlError):
                members.remove_member(store, actor, acme, target)

        threads = [
            threading.Thread(target=remove, args=pair) for pair in zip(actors, accounts[::-1], strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert list(roles(store, acme).values()) == [Role.OWNER]


LEAVE = "leave"
steps = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([*Role, None, LEAVE])), max_size=12
)


@pytest.mark.both_databases
@settings(max_examples=fewer(25), deadline=None)
@given(steps)
def test_after_any_sequence_an_owner_is_left_and_the_log_retells_it(
    store: ControlStore, walk: list[tuple[int, int, Role | str | None]]
) -> None:
    """A step is (actor, member, new role); None removes the member or lets them leave. A replay of the log gives the
    members.
    """
    acme = store.ensure_organization("Walk").id
    accounts = [
        join(store, acme, role) for role in (Role.OWNER, Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER)
    ]
    retold = roles(store, acme)
    actors = [principal(store, account) for account in accounts]
    for who, whom, role in walk:
        before = roles(store, acme)
        try:
            if role is None:
                members.remove_member(store, actors[who], acme, accounts[whom])
            elif role == LEAVE:
                members.leave(store, actors[who], acme)
            else:
                members.change_role(store, actors[who], acme, accounts[whom], Role(role))
        except ControlError:
            assert roles(store, acme) == before
        assert Role.OWNER in roles(store, acme).values()
        if (who == whom or role == LEAVE) and before.get(accounts[who]) is Role.OWNER:
            assert roles(store, acme) == before
    log = list_entries(store, acme, ListQuery(1000, "at"), Selection()).items
    for entry in log:
        assert entry.before == {"role": retold[entry.target_id].value}
        if entry.after is None:
            del retold[entry.target_id]
        else:
            retold[entry.target_id] = Role(entry.after["role"])
    assert retold == roles(store, acme)


@pytest.mark.both_databases
@pytest.mark.parametrize("order", ["name", "name desc", "email", "role desc, joinedAt", "joinedAt desc"])
def test_pages_of_any_order_join_up_to_the_whole(store: ControlStore, acme: str, order: str) -> None:
    for number in range(7):
        account = make_account(store, f"{'AbCaBcA'[number]}{number}.{acme}@x.org")
        join(store, acme, list(Role)[number % 3], account)
    whole = members.list_members(store, acme, ListQuery(1000, order))
    seen: list[MemberRecord] = []
    after = None
    while True:
        page = members.list_members(store, acme, ListQuery(2, order, after))
        seen += page.items
        assert page.total == 7
        if page.next_values is None:
            break
        after = tuple(page.next_values)
    assert seen == list(whole.items)
    attribute = {"joinedAt": "joined_at"}.get(order.split(maxsplit=1)[0], order.split(maxsplit=1)[0])
    keys = [str(getattr(one, attribute)).lower() for one in seen]
    assert keys == sorted(keys, reverse=order.partition(",")[0].endswith("desc"))


@pytest.mark.both_databases
def test_words_are_searched_for_as_they_are(store: ControlStore, acme: str) -> None:
    for address in ("ada_l@x.org", "adamsl@x.org", "100%@x.org"):
        join(store, acme, Role.VIEWER, make_account(store, f"{acme}{address}"))

    def found(search: str) -> set[str]:
        page = members.list_members(store, acme, EVERYBODY, search=search)
        return {one.email.removeprefix(acme) for one in page.items}

    assert found("ada_") == {"ada_l@x.org"}
    assert found("ADA l@X") == {"ada_l@x.org", "adamsl@x.org"}
    assert found("%") == {"100%@x.org"}
    assert found("nobody") == set()


@pytest.mark.both_databases
@pytest.mark.parametrize("search", ["ÅNGSTRÖM", "ångström", "Ångström", "ströM", "ÅKE å"])
def test_words_are_found_in_capitals_or_not_also_beyond_ascii(
    store: ControlStore, acme: str, search: str
) -> None:
    account = join(store, acme, Role.VIEWER, make_account(store, f"Åke.Ångström.{acme}@x.org"))
    join(store, acme, Role.VIEWER, make_account(store, f"Angstrom.{acme}@x.org"))
    page = members.list_members(store, acme, EVERYBODY, search=search)
    assert [one.id for one in page.items] == [account]


@pytest.mark.both_databases
def test_instants_of_the_log_are_utc(store: ControlStore, acme: str) -> None:
    join(store, acme, Role.OWNER)
    members.change_role(store, OPERATOR, acme, join(store, acme, Role.VIEWER), Role.MEMBER)
    [entry] = list_entries(store, acme, EVERYBODY, Selection()).items
    assert entry.at.tzinfo is UTC
    assert abs((datetime.now(UTC) - entry.at).total_seconds()) < 60
    assert (entry.actor_kind, entry.actor_name) == ("operator", "operator")
