"""GitHub Copilot: rows of reports and seats, days that are asked for, and what its check says."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.known import FILE, Known
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import ProviderRefused, Refusal
from ingest.lake import Source
from ingest.providers.github.copilot import KEPT, GitHubCopilot
from ingest.providers.registry import checked
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.copilot_server import FILES, CopilotServer, copilot

TODAY = date(2026, 11, 20)
SETTLED = TODAY - timedelta(days=2)
PROVIDER = GitHubCopilot()


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return running.source_in(tmp_path, PROVIDER)


def run(source: Source, server: Any, today: date = TODAY, **options: Any) -> SyncReport:
    connection = running.connection_to(
        PROVIDER, "https://github.com", **(options or {"organization": "acme"})
    )

    def now() -> datetime:
        return datetime.combine(today, time(9), UTC)

    with running.client_to(PROVIDER, connection, server, now=now) as client, source.extracting():
        return Sync(source, connection, PROVIDER, client, now=now).run()


def test_a_person_has_one_row_a_day_with_credits_activity_and_tokens(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com"), copilot("bob@example.com", used=0)]
    recorded = running.Recorded(server)
    report = run(source, recorded)
    assert (report.rows, report.failures, report.unread) == ({"seats": 2, "usage": 2}, {}, {})
    ann = next(row for row in running.rows(source, "usage").values() if row["actor_login"] == "ann")
    assert (ann["actor_id"], ann["used_on"], ann["tool"]) == ("317", SETTLED, "copilot")
    # 12.5 credits are 12.5 cents.
    assert (ann["amount_nano"], ann["currency"], ann["basis"]) == (125_000_000, "USD", "billed")
    assert (ann["requests"], ann["sessions"], ann["input_tokens"], ann["output_tokens"]) == (8, 3, 9200, 9200)
    assert (ann["lines_suggested"], ann["lines_accepted"], ann["lines_removed"]) == (34, 32, 6)
    assert (ann["edits_accepted"], ann["adoption_phase"], ann["is_active"]) == (3, "Phase 2", True)
    files = [request for request in recorded.requests if request.url.host == FILES]
    assert len(files) == 2
    assert not any("authorization" in request.headers for request in files)


def test_seats_are_kept_of_every_day(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("Ann@example.com")]
    server.days[SETTLED][0]["seat"]["pending_cancellation_date"] = "2026-12-01"
    run(source, server)
    server.days.clear()
    run(source, server, TODAY + timedelta(days=1))
    (seat,) = running.rows(source, "seats").values()
    assert (seat["actor_login"], seat["seen_on"], seat["plan"]) == ("Ann", TODAY, "business")
    assert (seat["ends_on"], seat["last_active_at"].isoformat()) == (
        date(2026, 12, 1),
        "2026-10-14T06:53:32+00:00",
    )


def test_the_index_of_a_run_has_the_seats_of_the_last_day_alone(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com"), copilot("bob@example.com")]
    run(source, server)
    tomorrow = TODAY + timedelta(days=1)
    for _ in range(2):
        run(source, server, tomorrow)
    listed = source.read("seats").to_pylist()
    assert sorted((row["seen_on"], row["actor_login"]) for row in listed) == [
        (day, name) for day in (TODAY, tomorrow) for name in ("ann", "bob")
    ]
    known = Known.from_bytes(source.read_file(FILE))
    assert {key for table, key in known.entries if table == "seats"} == {f"{tomorrow}/ann", f"{tomorrow}/bob"}


def test_a_seat_that_ends_within_the_day_is_gone(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com"), copilot("bob@example.com")]
    run(source, server)
    server.days[SETTLED].pop()
    assert run(source, server).deleted == 2
    assert [row["actor_login"] for row in running.rows(source, "seats").values()] == ["ann"]


def test_days_without_a_report_are_passed_over_and_restated_ones_read_again(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com")]
    run(source, server)
    days = [first for first, _ in server.ranges]
    assert days == [TODAY - timedelta(days=n) for n in range(KEPT.days, 0, -1)]
    server.ranges.clear()
    server.days[SETTLED] = [copilot("ann@example.com", used=20)]
    server.days[TODAY] = [copilot("ann@example.com")]
    run(source, server, TODAY + timedelta(days=1))
    assert [first for first, _ in server.ranges] == [TODAY - timedelta(days=n) for n in range(4, -1, -1)]
    assert [row["amount_nano"] for row in running.rows(source, "usage").values()] == [
        200_000_000,
        125_000_000,
    ]


def test_a_permission_that_comes_later_shows_the_days_before(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    (said,) = run(source, server).notes.values()
    assert "no report of Copilot of the last 28 days" in said
    server.days[TODAY - timedelta(days=300)] = [copilot("ann@example.com")]
    assert run(source, server, TODAY + timedelta(days=9)).rows["usage"] == 1


def test_an_enterprise_has_its_own_reports_in_which_a_person_has_the_same_key(tmp_path: Path) -> None:
    keys = []
    for name, options in (("enterprises", {"enterprise": "big co"}), ("orgs", {"organization": "acme"})):
        server, source = CopilotServer(running.TOKEN), running.source_in(tmp_path / name, PROVIDER)
        server.whose = f"/{name}/{next(iter(options.values()))}"
        server.days[SETTLED] = [copilot("ann@example.com")]
        assert run(source, server, TODAY, **options).failures == {}
        keys.append([*running.rows(source, "usage"), *running.rows(source, "seats")])
    assert keys[0] == keys[1]


def test_a_broken_line_is_counted_and_the_others_are_read(source: Source) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com")]
    lines = [
        b'{"user_id": 8, "user_login": "bob"}',
        b"{broken",
        b"7",
        b"",
        b'{"user_id": 9, "user_login": "eve"}',
    ]

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.host == FILES:
            return httpx.Response(200, content=b"\n".join(lines))
        return server(request)

    report = run(source, handler)
    assert (report.rows["usage"], report.unread, report.failures) == (2, {"usage": 2}, {})


@pytest.mark.parametrize(
    "link", [f"http://{FILES}/x", "ftp://files/x", "https://u:p@files.example/x", 7, None, ""]
)
def test_a_link_that_is_not_https_fails_the_reports_and_is_never_asked(source: Source, link: Any) -> None:
    server = CopilotServer(running.TOKEN)
    server.days[SETTLED] = [copilot("ann@example.com")]

    def handler(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "api.github.com"
        if request.url.path.endswith("users-1-day"):
            return httpx.Response(200, json={"download_links": [link]})
        return server(request)

    report = run(source, handler)
    assert "not https" in report.failures["usage"]
    assert report.rows == {"seats": 1}


def check(handler: Any, **options: Any) -> Any:
    connection = running.connection_to(PROVIDER, "https://github.com", **options)
    with running.client_to(PROVIDER, connection, handler) as client:
        return checked(client, connection)


def answering(status: int, message: str, path: str, **headers: str) -> Any:
    def handler(request: httpx.Request) -> httpx.Response:
        if path in request.url.path:
            return httpx.Response(status, json={"message": message}, headers=headers)
        return CopilotServer(running.TOKEN)(request)

    return handler


def test_its_check_counts_seats_and_takes_a_day_without_report() -> None:
    assert check(CopilotServer(running.TOKEN), organization="acme").account == "owner, 0 seats"


@pytest.mark.parametrize(
    ("status", "message", "path", "refusal", "says"),
    [
        (401, "Bad credentials", "/user", Refusal.UNAUTHORIZED, "does not accept the token"),
        (404, "Not Found", "seats", Refusal.NOT_FOUND, "its name is wrong"),
        (403, "Forbidden", "seats", Refusal.FORBIDDEN, "manage_billing:copilot"),
        (
            403,
            "Resource not accessible by personal access token",
            "seats",
            Refusal.MISSING_SCOPE,
            "needs members=read",
        ),
        (403, "Forbidden", "users-1-day", Refusal.FORBIDDEN, "policy for usage metrics"),
        (422, "Copilot is not set up", "seats", Refusal.INVALID, "set up the billing"),
    ],
)
def test_its_check_says_what_is_missing(
    status: int, message: str, path: str, refusal: Refusal, says: str
) -> None:
    handler = answering(status, message, path, **{"x-accepted-github-permissions": "members=read"})
    with pytest.raises(ProviderRefused, match=says) as caught:
        check(handler, organization="acme")
    assert caught.value.refusal is refusal


@pytest.mark.parametrize("options", [{}, {"organization": "acme", "enterprise": "big"}])
def test_its_check_needs_one_payer(options: dict[str, str]) -> None:
    with pytest.raises(ProviderRefused, match="one of both"):
        check(CopilotServer(running.TOKEN), **options)
