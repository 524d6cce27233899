"""Root logins in the control database: one use of each credential, the hour, and the organizations that they enter."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from api.control.accounts import root_logins
from api.control.audit import Selection, list_entries
from api.control.errors import NotAllowed, NotFound
from api.control.issued_tokens import key_hash, touch
from api.control.list_pages import ListQuery
from api.control.models import Organization, RootLogin
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.operator.root_credentials import BadCredential
from tests.api.operator.signing import OTHER_KEY, root_credential
from tests.api.people import Clock, stored
from tests.api.roots import administrator_key, credential, root_principal, sign_in_root

pytestmark = pytest.mark.both_databases

AT_ONCE = 12


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


def log(store: ControlStore, organization: str) -> list[tuple[str, str, str]]:
    """Kind and name of the actor, and the action, oldest first."""
    found = list_entries(store, organization, ListQuery(100), Selection()).items
    return [(one.actor_kind, one.actor_name, one.action) for one in reversed(found)]


def test_of_many_concurrent_logins_with_one_credential_one_wins(store: ControlStore) -> None:
    one, start = credential(store), threading.Barrier(AT_ONCE)

    def sign_in(_: int) -> str | None:
        start.wait()
        try:
            return root_logins.begin(store, one).token
        except BadCredential:
            return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        tokens = [token for token in pool.map(sign_in, range(AT_ONCE)) if token]
    assert len(tokens) == 1
    assert len(root_logins.list_logins(store)) == 1
    assert root_principal(store, tokens[0]).root is not None


def test_a_used_credential_stays_used(store: ControlStore, clock: Clock) -> None:
    one = credential(store)
    made = root_logins.begin(store, one)
    for _ in range(3):
        with pytest.raises(BadCredential, match="used before"):
            root_logins.begin(store, one)
    root_logins.leave(store, made.login.id, OPERATOR, ends=True)
    with pytest.raises(BadCredential, match="used before"):
        root_logins.begin(store, one)
    # Also where another credential has the same id, and after an hour.
    clock.advance(hours=2)
    again = credential(store, root_credential(store.now(), id=one.id))
    with pytest.raises(BadCredential, match="used before"):
        root_logins.begin(store, again)


def test_a_credential_that_expires_while_it_waits_signs_nobody_in(store: ControlStore, clock: Clock) -> None:
    one = credential(store)
    clock.advance(minutes=10)
    with pytest.raises(BadCredential, match="expired"):
        root_logins.begin(store, one)
    assert root_logins.list_logins(store) == []


def test_the_token_is_stored_as_a_hash(store: ControlStore) -> None:
    text = root_credential(store.now())
    token = root_logins.begin(store, credential(store, text)).token
    assert token.startswith("root_")
    held = stored(store)
    assert token not in held
    assert token.removeprefix("root_") not in held
    assert text not in held
    assert text.split(".")[2] not in held
    assert key_hash(token).hex() in held


def test_a_login_lasts_an_hour_and_is_not_renewed_by_use(store: ControlStore, clock: Clock) -> None:
    token = sign_in_root(store)
    began = store.now()
    for minutes in (1, 30, 58):
        clock.at = began + timedelta(minutes=minutes)
        found = root_logins.find_by_hash(store, key_hash(token))
        assert found is not None
        touch(store, RootLogin, found[0].id, store.now())
        assert found[0].is_live
        assert found[0].expires_at == began + timedelta(hours=1)
    clock.at = began + timedelta(hours=1)
    assert [one.is_live for one in root_logins.list_logins(store)] == [False]
    assert root_logins.list_logins(store)[0].last_used_at == began + timedelta(minutes=58)


def test_a_login_ends_with_the_key_that_signed_it(store: ControlStore) -> None:
    sign_in_root(store)
    with administrator_key(OTHER_KEY):
        assert [one.is_live for one in root_logins.list_logins(store)] == [False]
    assert [one.is_live for one in root_logins.list_logins(store)] == [True]


def test_entering_and_leaving_are_in_the_log_of_each_organization(store: ControlStore) -> None:
    acme, other = store.ensure_organization("Acme", slug="acme").id, store.ensure_organization("Other").id
    text = root_credential(store.now(), iss="ada@laptop", id="login-7")
    actor = root_principal(store, root_logins.begin(store, credential(store, text)).token)
    assert actor.root is not None
    assert root_logins.enter(store, actor.root, actor, "acme") == acme
    # Again, also by a request that does not know yet.
    root_logins.enter(store, actor.root, actor, acme)
    assert root_logins.enter(store, actor.root, actor, other) == other
    root_logins.leave(store, actor.root.login_id, actor, ends=True)
    root_logins.leave(store, actor.root.login_id, actor, ends=True)
    name = "ada@laptop (root login login-7, administrator key)"
    moves = [("root", name, "rootLogins.enter"), ("root", name, "rootLogins.leave")]
    assert (log(store, acme), log(store, other)) == (moves, moves)


def test_the_operator_who_ends_a_login_is_in_the_log(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme").id
    sign_in_root(store, acme)
    sign_in_root(store)
    assert root_logins.end_all(store) == 2
    assert root_logins.end_all(store) == 0
    assert [(kind, action) for kind, _, action in log(store, acme)] == [
        ("root", "rootLogins.enter"),
        ("operator", "rootLogins.leave"),
    ]


def test_an_entered_organization_has_root_as_an_owner_with_its_privacy(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme", slug="acme").id
    with store.session() as session:
        session.get_one(Organization, acme).minimum_group_size = 4
    found = root_principal(store, sign_in_root(store, acme))
    (membership,) = found.memberships
    assert (membership.organization_id, membership.role) == (acme, Role.OWNER)
    assert membership.visibility.minimum_group_size == 4
    assert (found.account_id, found.token_id, found.session_id, found.is_operator) == (
        None,
        None,
        None,
        False,
    )
    assert root_principal(store, sign_in_root(store)).memberships == ()


def test_a_login_that_ended_enters_nothing(store: ControlStore, clock: Clock) -> None:
    acme = store.ensure_organization("Acme").id
    actor = root_principal(store, sign_in_root(store))
    assert actor.root is not None
    with pytest.raises(NotFound):
        root_logins.enter(store, actor.root, actor, "nowhere")
    clock.advance(hours=1)
    with pytest.raises(NotAllowed, match="has ended"):
        root_logins.enter(store, actor.root, actor, acme)
    assert log(store, acme) == []


def test_concurrent_moves_leave_whole_logs(store: ControlStore) -> None:
    """However entering two organizations interleaves, each log alternates, and the last one without an end is the
    entered one."""
    ids = [store.ensure_organization(f"Organization {number}").id for number in range(3)]
    token = sign_in_root(store)
    actor = root_principal(store, token)
    identity = actor.root
    assert identity is not None
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda turn: root_logins.enter(store, identity, actor, ids[turn % 3]), range(18)))
    entered = root_principal(store, token).active_organization_id
    assert entered in ids
    for one in ids:
        actions = [action for _, _, action in log(store, one)]
        assert actions == ["rootLogins.enter", "rootLogins.leave"] * (len(actions) // 2) + [
            "rootLogins.enter"
        ] * (one == entered)
