"""Azure Boards: the stream of revisions becomes items with their history, once."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, Refusal
from ingest.lake import Source
from ingest.providers.azure import tracker as azure_boards
from ingest.providers.azure.tracker import AzureBoards
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    client_to,
    connection_to,
    rows,
    run,
    run_broken,
    said,
    source_in,
)
from tests.ingest.providers.azure import tracker_server as fake

PROVIDER = AzureBoards()
CONNECTION = connection_to(PROVIDER, "https://dev.azure.com/acme")
SCHEDULING = "Microsoft.VSTS.Scheduling"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return source_in(tmp_path, PROVIDER)


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The items after a run, by id."""
    assert run(source, PROVIDER, CONNECTION, server, **options).failures == {}
    return rows(source, "items")


def statuses(row: dict[str, Any]) -> list[tuple[str | None, str | None, str | None]]:
    return [(one["before"], one["after"], one["after_category"]) for one in row["history"]]


def time(day: int) -> datetime:
    return datetime(2026, 3, day, 0, 0, 0, 500_000, tzinfo=UTC)


def test_revisions_become_an_item_with_the_history_of_its_state(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(7, 1)
    server.change(8, 2)
    server.change(7, 3, "Active", by="bob", AssignedTo=fake.person("bob"))
    server.change(7, 4, "Active", Title="Pay by card", Tags="money; Q1 ")
    server.change(7, 5, "In Test")
    server.change(7, 6, "Closed", Reason="Done", Parent=3, **{"Microsoft.VSTS.Common.ClosedDate": fake.at(6)})
    one = read(source, server)["7"]
    assert statuses(one) == [
        ("New", "Active", "doing"),
        ("Active", "In Test", "doing"),
        ("In Test", "Closed", "done"),
    ]
    assert [change["at"] for change in one["history"]] == [time(3), time(5), time(6)]
    assert one["history"][0]["actor"] == "bob@example.com"
    assert (one["key"], one["number"], one["kind"], one["type_name"]) == (
        "AB#7",
        7,
        "user_story",
        "User Story",
    )
    assert (one["status"], one["status_category"], one["resolution"]) == ("Closed", "done", "Done")
    assert (one["title"], one["labels"], one["parent_ids"]) == ("Pay by card", ["money", "Q1"], ["3"])
    assert (one["assignee"], one["assignee_name"]) == ("bob@example.com", "Bob")
    assert (one["assignee_email"], one["creator"]) == ("bob@example.com", "ann@example.com")
    assert (one["created_at"], one["started_at"], one["completed_at"]) == (time(1), time(3), time(6))
    assert one["team_key"] == "Web Shop\\Payments"
    assert one["url"] == "https://dev.azure.com/acme/Web%20Shop/_workitems/edit/7"


def test_kinds_have_levels(source: Source) -> None:
    server = fake.AzureBoards()
    kinds = ["Epic", "Feature", "Product Backlog Item", "Bug", "Test Case"]
    for number, kind in enumerate(kinds):
        server.change(number + 1, number + 1, WorkItemType=kind)
    found = [row["kind"] for row in read(source, server).values()]
    assert found == ["epic", "feature", "product_backlog_item", "bug", "test_case"]
    levels = [PROVIDER.levels.get(kind, "issue") for kind in found]
    assert levels == ["objective", "sub_objective", "issue", "issue", "ignored"]


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        ("2026-03-31T00:00:00Z", 31),
        ("2026-03-30T22:00:00Z", 31),  # midnight in Berlin
        ("2026-03-31T07:00:00Z", 31),  # midnight in California
    ],
)
def test_a_target_day_is_the_one_that_people_chose(source: Source, instant: str, day: int) -> None:
    server = fake.AzureBoards()
    fields: dict[str, Any] = {f"{SCHEDULING}.TargetDate": instant, f"{SCHEDULING}.StoryPoints": 3}
    server.change(1, 1, **fields)
    one = read(source, server)["1"]
    assert (one["target_on"], one["estimate"]) == (date(2026, 3, day), 3.0)


def test_an_item_that_is_open_again_is_not_complete(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(1, 1)
    server.change(1, 2, "Closed", **{"Microsoft.VSTS.Common.ClosedDate": fake.at(2)})
    server.change(1, 3, "Active")
    one = read(source, server)["1"]
    assert (one["status_category"], one["completed_at"], one["resolution"]) == ("doing", None, None)


def test_states_of_a_project_that_is_gone_are_known_by_name(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(1, 1, "Removed", TeamProject="Lost")
    server.change(2, 2, "Odd state", TeamProject="Lost")
    found = read(source, server)
    assert [found[key]["status_category"] for key in "12"] == ["canceled", "todo"]


def test_deleted_items_go_and_restored_ones_return(source: Source) -> None:
    server = fake.AzureBoards()
    for key in (1, 2, 3):
        server.change(key, key)
    server.change(2, 4, IsDeleted=True)
    assert list(read(source, server)) == ["1", "3"]
    server.change(1, 5, IsDeleted=True)
    report = run(source, PROVIDER, CONNECTION, server)
    assert (report.deleted, list(rows(source, "items"))) == (1, ["3"])
    server.change(1, 6, IsDeleted=False)
    assert list(read(source, server)) == ["1", "3"]


def test_a_changed_item_alone_is_read_again_with_its_whole_history(source: Source) -> None:
    server = fake.AzureBoards()
    for key in range(1, 21):
        server.change(key, 1 + key // 2)
    read(source, server)
    server.change(4, 20, "Active")
    server.change(21, 21)
    server.change(21, 22, "Active")
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again).rows == {"items": 2}
    found = rows(source, "items")
    assert statuses(found["4"]) == [("New", "Active", "doing")]
    assert statuses(found["21"]) == [("New", "Active", "doing")]
    # Of a new item the list has every revision.
    assert [path for path in again.paths() if path.endswith("/revisions")] == [
        "/acme/_apis/wit/workItems/4/revisions"
    ]


@pytest.mark.parametrize("is_preview", [True, False])
def test_a_new_parent_is_seen_although_it_is_no_revision(source: Source, is_preview: bool) -> None:
    server = fake.AzureBoards(links_are_preview=is_preview)
    for key in range(1, 21):
        server.change(key, key, WorkItemType="Epic" if key == 1 else "Feature")
    server.change(5, 21, "Active", Parent=1)
    assert read(source, server)["5"]["parent_ids"] == ["1"]
    server.set_parent(3, 1, 25)
    server.set_parent(5, None, 26)
    assert run(source, PROVIDER, CONNECTION, server).rows == {"items": 2}
    found = rows(source, "items")
    assert [found[key]["parent_ids"] for key in "345"] == [["1"], [], []]
    assert statuses(found["5"]) == [("New", "Active", "doing")]


def test_a_deleted_item_that_loses_its_parent_stays_deleted(source: Source) -> None:
    server = fake.AzureBoards()
    for key in (1, 2):
        server.change(key, key)
    server.change(2, 3, IsDeleted=True)
    read(source, server)
    server.set_parent(2, None, 20)
    assert list(read(source, server)) == ["1"]


def test_many_changed_items_cost_a_list_of_revisions_and_not_one_request_each(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure_boards, "MAX_HISTORIES", 5)
    server = fake.AzureBoards()
    for key in range(1, 11):
        server.change(key, 1)
    read(source, server)
    for key in range(1, 11):
        server.change(key, 10, "Active")
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again).rows == {"items": 10}
    assert statuses(rows(source, "items")["9"]) == [("New", "Active", "doing")]
    assert not [path for path in again.paths() if path.endswith("/revisions")]


def test_a_second_run_without_changes_takes_a_handful_of_requests_and_writes_nothing(source: Source) -> None:
    server = fake.AzureBoards()
    for key in range(1, 301):
        server.change(key, 1)
        server.change(key, 2, "Active")
    read(source, server)
    assert source.read("items").num_rows == 300
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again).rows == {}
    assert len(again.requests) <= 10


@pytest.mark.parametrize("repeats", [False, True])
def test_every_batch_is_read_also_when_rows_are_repeated_and_reordered(source: Source, repeats: bool) -> None:
    server = fake.AzureBoards(page_size=4, repeats_rows=repeats)
    for key in range(1, 12):
        server.change(key, 1)
    for key in range(1, 12):
        server.change(key, 2, "Active")
    found = read(source, server)
    assert sorted(map(int, found)) == list(range(1, 12))
    assert all(statuses(row) == [("New", "Active", "doing")] for row in found.values())
    assert source.read("items").num_rows == 11


def test_runs_that_break_anywhere_continue_to_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure_boards, "BATCH", 2)
    before, after = fake.AzureBoards(page_size=3), fake.AzureBoards(page_size=3)
    for server in (before, after):
        for key in range(1, 8):
            server.change(key, key)
    for key in (2, 3, 7):
        after.change(key, 10, "Active")
    after.change(5, 11, IsDeleted=True)
    whole, first, second = source_in(tmp_path / "whole", PROVIDER), Recorded(before), Recorded(after)
    run(whole, PROVIDER, CONNECTION, first)
    run(whole, PROVIDER, CONNECTION, second)
    expected = rows(whole, "items")
    assert len(expected) == 6
    for fails_at in range(1, len(second.requests) + 1):
        source = source_in(tmp_path / str(fails_at), PROVIDER)
        run_broken(source, PROVIDER, CONNECTION, before, [], fails_at)
        assert run_broken(source, PROVIDER, CONNECTION, after, [], fails_at)
        assert rows(source, "items") == expected
        assert source.read("items").num_rows == whole.read("items").num_rows


def test_items_that_are_destroyed_go_with_the_next_sweep(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recycle bin is named in the list of revisions, and a destroyed item is nowhere."""
    monkeypatch.setattr(azure_boards, "IDS_PAGE", 4)
    server = fake.AzureBoards()
    for key in range(1, 12):
        server.change(key, 1)
    read(source, server)
    server.revisions = [one for one in server.revisions if one["id"] != 6]
    recorded = Recorded(server)
    found = read(source, recorded, now=lambda: datetime(2050, 1, 1, tzinfo=UTC))
    assert sorted(map(int, found)) == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert recorded.paths().count("/acme/_apis/wit/wiql") == 3


def test_items_that_the_token_may_not_read_are_left_out(source: Source) -> None:
    server = fake.AzureBoards(hidden={2})
    for key in (1, 2, 3):
        server.change(key, 1)
    assert list(read(source, server)) == ["1", "3"]


def test_a_malformed_item_is_counted_and_stops_no_other(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(1, 1)
    server.change(2, 1, WorkItemType=None)
    server.change(3, 1)
    report = run(source, PROVIDER, CONNECTION, server)
    assert (report.unread, report.rows) == ({"items": 1}, {"items": 2})


def test_a_server_without_a_field_is_asked_for_all(source: Source) -> None:
    server = fake.AzureBoards(
        unknown_fields=frozenset({f"{SCHEDULING}.Effort"}), versions=("6.0", "6.0-preview")
    )
    server.change(1, 1)
    assert read(source, server)["1"]["title"] == "Item 1"


def test_deleted_people_are_text_or_nobody(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(1, 1, AssignedTo="Old Person <old@example.com>", CreatedBy=None)
    one = read(source, server)["1"]
    assert (one["assignee"], one["assignee_name"]) == ("old@example.com", "Old Person")
    assert one["creator"] is None


def test_a_check_says_what_to_change() -> None:
    def refused(server: Handler) -> ProviderRefused:
        with pytest.raises(ProviderRefused) as caught, client_to(PROVIDER, CONNECTION, server) as client:
            PROVIDER.check(client, CONNECTION)
        return caught.value

    with client_to(PROVIDER, CONNECTION, fake.AzureBoards()) as client:
        assert PROVIDER.check(client, CONNECTION).account == "ann@example.com"
    poor = refused(fake.AzureBoards(scopes=()))
    assert (poor.refusal, "Work Items (Read)" in poor.message) == (Refusal.MISSING_SCOPE, True)
    assert refused(fake.AzureBoards(login="other")).refusal is Refusal.UNAUTHORIZED


def test_requests_stay_at_the_host_of_the_connection(source: Source) -> None:
    """The body names an address of the next batch at another host, which must not get the token."""
    server = fake.AzureBoards(page_size=1)
    for key in (1, 2, 3):
        server.change(key, 1)
    recorded = Recorded(server)
    assert len(read(source, recorded)) == 3
    assert {request.url.host for request in recorded.requests} == {"dev.azure.com"}
    assert any("/Web%20Shop/_apis/wit/workitemtypes" in said(request) for request in recorded.requests)


def test_a_page_to_sign_in_removes_nothing(source: Source) -> None:
    server = fake.AzureBoards()
    server.change(1, 1)
    read(source, server)
    with pytest.raises(ProviderRefused):
        run(source, PROVIDER, CONNECTION, lambda _: httpx.Response(203, html="<html>"))
    assert list(rows(source, "items")) == ["1"]
