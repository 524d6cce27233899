"""Concurrent sign-ups, and links that work once."""

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from api.control.accounts import accounts, sessions, verification
from api.control.accounts.links import LIFETIMES, Purpose, make_link
from api.control.accounts.local_owners import use_local_link
from api.control.accounts.passwords import Passwords
from api.control.errors import (
    AlreadyExists,
    ControlError,
    InvalidSetting,
    NotPossible,
    NotRecognized,
    WeakPassword,
)
from api.control.models import Account, Mail
from api.control.store import ControlStore
from tests.api.people import Clock, stored

pytestmark = pytest.mark.both_databases

GOOD, BETTER = "Correct-horse 9 staple", "Battery-8 lorry mast"
passwords = Passwords(memory_kib=8)


@pytest.fixture
def ada(store: ControlStore) -> str:
    return accounts.sign_up(store, passwords, "Ada@Example.org", GOOD, "Ada").id


def together(number: int, work: Callable[[int], object]) -> list[object]:
    """The results or exceptions of `work` in this many threads that start at once."""
    barrier = threading.Barrier(number)
    results: list[object] = []

    def run(place: int) -> None:
        barrier.wait()
        try:
            results.append(work(place))
        except ControlError as error:
            results.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == number
    return results


def test_one_of_several_concurrent_sign_ups_with_an_address_succeeds(store: ControlStore) -> None:
    spelled = ["ada@example.org", "Ada@Example.org", "ADA@EXAMPLE.ORG"]
    results = together(
        12, lambda place: accounts.sign_up(store, passwords, spelled[place % 3], GOOD, f"Ada {place}")
    )
    refused = [result for result in results if isinstance(result, AlreadyExists)]
    assert len(refused) == 11
    assert all("already registered" in str(error) for error in refused)
    with store.session() as session:
        assert session.scalar(select(func.count()).select_from(Account)) == 1
        assert session.scalar(select(func.count()).select_from(Mail)) == 1


def test_an_address_is_recognized_in_any_case(store: ControlStore, ada: str) -> None:
    for spelled in ("ada@example.org", "ADA@EXAMPLE.ORG", " Ada@example.Org "):
        assert accounts.recognize(store, passwords, spelled, GOOD).id == ada


@pytest.mark.parametrize(
    ("email", "password"),
    [("ada@example.org", GOOD + "x"), ("eve@example.org", GOOD), ("", ""), ("x" * 300, "y" * 300)],
)
def test_wrong_credentials_get_one_message(store: ControlStore, ada: str, email: str, password: str) -> None:
    with pytest.raises(NotRecognized, match="the e-mail address or the password is wrong"):
        accounts.recognize(store, passwords, email, password)


NO_ADDRESSES = (
    "", "ada", "@example.org", "ada@", "ada@host", "a b@example.org", "ada@exa mple.org", "ada@-x.org",
    "ada@example.org\nBcc: x@y.zz", "x" * 250 + "@e.org",
    # Letters that look like, or fold to, those of another address.
    "\u0430da@example.org", "ada@\u0435xample.org", "\u212aate@example.org",
)  # fmt: skip


@pytest.mark.parametrize("email", NO_ADDRESSES)
def test_an_invalid_address_is_refused(store: ControlStore, email: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        accounts.sign_up(store, passwords, email, GOOD, "Ada")
    assert refused.value.field == "email"


def test_a_weak_password_is_refused_with_every_rule_it_misses(store: ControlStore) -> None:
    with pytest.raises(WeakPassword) as refused:
        accounts.sign_up(store, passwords, "ada@example.org", "short", "Ada")
    assert len(refused.value.unmet) >= 4
    with pytest.raises(InvalidSetting):
        accounts.sign_up(store, passwords, "ada@example.org", GOOD * 20, "Ada")


def test_a_link_works_once_also_for_many_at_once(store: ControlStore, ada: str) -> None:
    secret = make_link(store, Purpose.PASSWORD_RESET, ada, "ada@example.org")
    results = together(
        8, lambda place: accounts.reset_password(store, passwords, secret, f"{BETTER} {place}")
    )
    assert [result for result in results if result is None] == [None]
    assert sum(isinstance(result, NotPossible) for result in results) == 7
    with pytest.raises(NotPossible):
        accounts.reset_password(store, passwords, secret, BETTER)


@pytest.mark.parametrize("purpose", Purpose)
def test_a_link_works_up_to_its_last_moment_and_for_its_purpose_alone(
    store: ControlStore, clock: Clock, ada: str, purpose: Purpose
) -> None:
    use: dict[Purpose, Callable[[str], object]] = {
        Purpose.PASSWORD_RESET: lambda secret: accounts.reset_password(store, passwords, secret, BETTER),
        Purpose.VERIFICATION: lambda secret: verification.verify_email(
            store, passwords, secret, password=GOOD
        ),
        Purpose.LOCAL: lambda secret: use_local_link(store, secret),
    }
    other = next(one for one in Purpose if one is not purpose)
    late = make_link(store, purpose, ada, "ada@example.org")
    with pytest.raises(NotPossible):
        use[other](late)
    clock.at += LIFETIMES[purpose]
    with pytest.raises(NotPossible):
        use[purpose](late)
    timely = make_link(store, purpose, ada, "ada@example.org")
    clock.at += LIFETIMES[purpose] * 0.999
    use[purpose](timely)


def test_a_link_to_an_address_that_is_not_the_accounts_any_more_is_none(
    store: ControlStore, ada: str
) -> None:
    secret = make_link(store, Purpose.VERIFICATION, ada, "old@example.org")
    with pytest.raises(NotPossible):
        verification.verify_email(store, passwords, secret, password=GOOD)
    assert not accounts.account(store, ada).is_verified


def test_a_weak_password_does_not_use_the_link_up(store: ControlStore, ada: str) -> None:
    secret = make_link(store, Purpose.PASSWORD_RESET, ada, "ada@example.org")
    with pytest.raises(WeakPassword):
        accounts.reset_password(store, passwords, secret, "weak")
    accounts.reset_password(store, passwords, secret, BETTER)
    assert accounts.recognize(store, passwords, "ada@example.org", BETTER).is_verified


def test_a_reset_ends_every_session_and_every_other_link(store: ControlStore, ada: str) -> None:
    sessions.begin_session(store, ada, "one")
    first, second = (make_link(store, Purpose.PASSWORD_RESET, ada, "ada@example.org") for _ in range(2))
    accounts.reset_password(store, passwords, second, BETTER)
    assert sessions.list_sessions(store, ada) == []
    with pytest.raises(NotPossible):
        accounts.reset_password(store, passwords, first, GOOD)


def test_changing_keeps_the_session_that_asks(store: ControlStore, ada: str) -> None:
    kept = sessions.begin_session(store, ada, "kept").session
    sessions.begin_session(store, ada, "ended")
    with pytest.raises(NotPossible):
        accounts.change_password(store, passwords, ada, BETTER, BETTER, keep_session=kept.id)
    accounts.change_password(store, passwords, ada, GOOD, BETTER, keep_session=kept.id)
    assert [one.id for one in sessions.list_sessions(store, ada)] == [kept.id]
    with pytest.raises(NotRecognized):
        accounts.recognize(store, passwords, "ada@example.org", GOOD)


class Interrupted(Passwords):
    """Passwords that run an action once, right after a successful check."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(memory_kib=8)
        self._work: Callable[[], object] | None = work

    def matches(self, stored: str | None, password: str) -> bool:
        found, work = super().matches(stored, password), self._work
        self._work = None
        if work is not None:
            work()
        return found


def test_the_old_password_is_useless_after_a_concurrent_reset(store: ControlStore, ada: str) -> None:
    def reset() -> None:
        secret = make_link(store, Purpose.PASSWORD_RESET, ada, "ada@example.org")
        accounts.reset_password(store, passwords, secret, BETTER)

    with pytest.raises(NotRecognized):
        accounts.sign_in(store, Interrupted(reset), "ada@example.org", GOOD, "a thief's")
    assert sessions.list_sessions(store, ada) == []

    def back() -> None:
        accounts.change_password(store, passwords, ada, BETTER, GOOD, keep_session=None)

    with pytest.raises(NotPossible):
        accounts.change_password(
            store, Interrupted(back), ada, BETTER, "Thief-7 lorry mast", keep_session=None
        )
    assert accounts.recognize(store, passwords, "ada@example.org", GOOD).id == ada


def test_a_concurrently_renewed_hash_does_not_block_the_sign_in(store: ControlStore, ada: str) -> None:
    def renew() -> None:
        accounts.recognize(store, Passwords(memory_kib=16), "ada@example.org", GOOD)

    account, made = accounts.sign_in(store, Interrupted(renew), "ada@example.org", GOOD, "hers")
    assert (account.id, [one.id for one in sessions.list_sessions(store, ada)]) == (ada, [made.session.id])


def test_a_hash_of_other_parameters_is_renewed_when_the_password_is_seen(
    store: ControlStore, ada: str
) -> None:
    accounts.recognize(store, Passwords(memory_kib=16), "ada@example.org", GOOD)
    with store.session() as session:
        assert "m=16," in (session.get_one(Account, ada).password_hash or "")
    assert accounts.recognize(store, passwords, "ada@example.org", GOOD).id == ada


def test_no_secret_is_in_the_database(store: ControlStore, ada: str) -> None:
    secrets = [
        make_link(store, Purpose.VERIFICATION, ada, "ada@example.org"),
        sessions.begin_session(store, ada, "one").token,
        GOOD,
    ]
    dump = stored(store)
    assert not [secret for secret in secrets if secret in dump or secret.removeprefix("session_") in dump]
    assert "$argon2id$" in dump


def test_an_expired_session_is_dropped_with_the_next_sign_in(
    store: ControlStore, clock: Clock, ada: str
) -> None:
    old = sessions.begin_session(store, ada, "old").session
    clock.at += sessions.LIFETIME
    assert sessions.list_sessions(store, ada) == []
    new = sessions.begin_session(store, ada, "new\x1b[31m" + "x" * 500).session
    assert new.device.startswith("new[31mxxx")
    assert len(new.device) == 255
    assert old.id not in {one.id for one in sessions.list_sessions(store, ada)}
