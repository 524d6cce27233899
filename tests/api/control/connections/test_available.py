"""Repositories that can be added from a connection."""

import pytest
from sqlalchemy import event

from api.control.connections.available import (
    AvailableRepository,
    list_available,
    named_repositories,
    replace_available,
)
from api.control.connections.usable import wanted_repositories
from api.control.errors import NotFound
from api.control.list_pages import ListQuery
from api.control.principals import OPERATOR
from api.control.repositories import removals, repositories
from api.control.repositories.repositories import NewRepository
from api.control.repositories.settings import Settings
from api.control.store import ControlStore
from tests.api.control.connections.places import connect, listed

pytestmark = pytest.mark.both_databases


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


@pytest.fixture
def host(store: ControlStore, acme: str) -> str:
    return connect(store, acme)


def add(store: ControlStore, acme: str, host: str | None, one: AvailableRepository) -> None:
    wanted = NewRepository(
        one.repository_id, one.address.removeprefix("https://"), one.address, Settings(one.name), host,
        one.provider_id if host else None,
    )  # fmt: skip
    repositories.add_repository(store, OPERATOR, acme, wanted)


def names(store: ControlStore, acme: str, host: str, **asked: str) -> list[str]:
    return [one.name for one in list_available(store, acme, ListQuery(1000), host, **asked).items]


def test_added_repositories_are_left_out_until_they_are_removed(
    store: ControlStore, acme: str, host: str
) -> None:
    rows = [listed(1), listed(2), listed(3)]
    replace_available(store, acme, host, rows)
    add(store, acme, host, rows[1])
    assert names(store, acme, host) == ["repo-001", "repo-003"]
    removals.remove(store, acme, "r2")
    removals.forget(store, acme, "r2")
    assert names(store, acme, host) == ["repo-001", "repo-002", "repo-003"]


def test_a_renamed_repository_stays_left_out(store: ControlStore, acme: str, host: str) -> None:
    replace_available(store, acme, host, [listed(1), listed(2)])
    add(store, acme, host, listed(1))
    replace_available(store, acme, host, [listed(1, repository_id="other", name="renamed"), listed(2)])
    assert names(store, acme, host) == ["repo-002"]


def test_pages_neither_repeat_nor_skip_while_repositories_are_added(
    store: ControlStore, acme: str, host: str
) -> None:
    rows = [listed(number) for number in range(20)]
    replace_available(store, acme, host, rows)
    seen: list[str] = []
    after = None
    while True:
        page = list_available(store, acme, ListQuery(4, after=after), host)
        seen += [one.name for one in page.items]
        if page.next_values is None:
            break
        after = tuple(page.next_values)
        # One that was shown, and the last one, which was not.
        if len(seen) == 4:
            add(store, acme, host, rows[0])
            add(store, acme, host, rows[19])
    assert seen == [one.name for one in rows[:19]]


def test_a_search_finds_words_of_owner_and_name(store: ControlStore, acme: str, host: str) -> None:
    replace_available(store, acme, host, [listed(1, owner="Web"), listed(2, name="Website"), listed(3)])
    assert names(store, acme, host, search="web") == ["Website", "repo-001"]
    assert names(store, acme, host, search="acme site") == ["Website"]


def test_an_empty_answer_of_the_host_removes_nothing(store: ControlStore, acme: str, host: str) -> None:
    replace_available(store, acme, host, [listed(1)])
    replace_available(store, acme, host, [])
    assert names(store, acme, host) == ["repo-001"]
    replace_available(store, acme, host, [listed(2), listed(2, name="twice")])
    assert names(store, acme, host) == ["twice"]


def test_a_repository_that_was_added_by_address_is_linked(store: ControlStore, acme: str, host: str) -> None:
    add(store, acme, None, listed(1))
    assert wanted_repositories(store, acme) == [("r1", "git.example/acme/repo-001", None)]
    replace_available(store, acme, host, [listed(1)])
    assert wanted_repositories(store, acme) == [("r1", "git.example/acme/repo-001", "1")]
    other = connect(store, acme)
    replace_available(store, acme, other, [listed(1, provider_id="9")])
    assert wanted_repositories(store, acme)[0][2] == "1"


def test_another_organization_sees_nothing(store: ControlStore, acme: str, host: str) -> None:
    replace_available(store, acme, host, [listed(1)])
    other = store.ensure_organization("Other").id
    with pytest.raises(NotFound):
        list_available(store, other, ListQuery(10), host)
    with pytest.raises(NotFound):
        named_repositories(store, other, host, ["1"])
    with pytest.raises(NotFound):
        replace_available(store, other, host, [listed(2)])
    assert set(named_repositories(store, acme, host, ["1", "2"])) == {"1"}


def test_rows_that_cannot_be_kept_are_counted_and_stop_no_others(
    store: ControlStore, acme: str, host: str
) -> None:
    bad = [
        listed(1, name="x" * 1025),
        listed(2, owner="a\0b"),
        listed(3, provider_id=""),
        listed(4, address=""),
    ]
    odd = listed(5, default_branch="b" * 256, url="https://git.example/" + "x" * 5000)
    assert replace_available(store, acme, host, [*bad, odd]) == 4
    [kept] = list_available(store, acme, ListQuery(10), host).items
    assert (kept.name, kept.default_branch, kept.url) == ("repo-005", None, None)


def test_only_what_changed_is_written(store: ControlStore, acme: str, host: str) -> None:
    rows = [listed(number) for number in range(2500)]
    replace_available(store, acme, host, rows)
    changed = [*rows[:-1], listed(2499, is_archived=True)]
    statements: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    replace_available(store, acme, host, changed)
    assert len([one for one in statements if one.startswith("INSERT INTO available")]) == 1
    assert list_available(store, acme, ListQuery(1, "providerId desc"), host).total == 2500
    statements.clear()
    replace_available(store, acme, host, changed)
    assert not [one for one in statements if one.startswith(("INSERT", "DELETE"))]
