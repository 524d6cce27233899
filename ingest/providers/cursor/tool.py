"""Cursor: requests with tokens and charges, activity by day, lines of AI by commit, and seats of a team.

Read in Cursor's documentation and threads: the key is the user name of a basic login; times are milliseconds; a range
has at most thirty days; an event has no id, so time, address and model name it; `chargedCents` is the model's cost and
the fee, `totalCents` the model's cost alone; twenty requests a minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_CENT, key_of, nano, sum_of
from ingest.connections.ai_tools.days import Days, Kept, by_days, today_alone
from ingest.connections.ai_tools.records import Basis, Seat, Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository
from ingest.connections.parsing import deferred
from ingest.connections.values import day, instant, instant_ms, number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.page_numbers import Numbered
from ingest.http.pages import Query, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.cursor import commits

TOOL = "cursor"
MEMBERS, EVENTS, DAILY = "teams/members", "teams/filtered-usage-events", "teams/daily-usage-data"
PAGE = 500
KEPT = Kept(days=90, restated=3, at_once=30)
MORE = ("pagination", "hasNextPage")


def _refusal(answer: Answer) -> ProviderRefused | None:
    if answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "Cursor does not accept the key: create an Admin API key in the settings of the team, and paste it alone.",
        )
    if answer.status == 403:
        return ProviderRefused(
            Refusal.FORBIDDEN,
            "Cursor refuses the key this report: it needs a key of a team admin, and the plan Teams or Enterprise.",
        )
    return None


class Cursor(AiTool):
    kind = "CURSOR"
    title = "Cursor"
    default_address = "https://api.cursor.com"
    is_single_service = True
    # Twenty requests a minute are left for the team, and no header tells when the next minute begins.
    rate_limits = RateLimits(refusal=_refusal, wait_without_header=60.0)

    def login(self, connection: Connection) -> Login:
        return Login.basic(connection.address, connection.secret.strip(), "")

    def check(self, client: Client, connection: Connection) -> Checked:
        members = at(client.get(MEMBERS).body, ("teamMembers",))
        if not isinstance(members, list):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS, f"{connection.address} answers, but not as Cursor does."
            )
        return Checked(f"a team of {len(members)}")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        yield today_alone(client, "seats", "seats", partial(_seats, client))
        yield by_days(client, "requests", "usage", KEPT, partial(_events, client))
        yield by_days(client, "activity", "usage", KEPT, partial(_activity, client))
        yield by_days(client, "commits", "commits", KEPT, partial(commits.read, client))


def _seats(client: Client, today: date) -> Iterator[list[Deferred]]:
    for page in pages(client, Query(MEMBERS), Numbered(("teamMembers",), "page")):
        yield [deferred(row, partial(_seat_key, today), partial(_seat, today)) for row in page.rows]


def _seat_key(today: date, row: Any) -> str:
    return key_of(today, row["email"])


def _seat(today: date, row: Any) -> Seat:
    return Seat(
        provider_id=_seat_key(today, row),
        tool=TOOL,
        seen_on=today,
        actor_email=text(row["email"]),
        actor_name=text(row.get("name")),
        plan=text(row.get("role")),
        payload=row,
    )


def _events(client: Client, days: Days) -> Iterator[list[Deferred]]:
    yield from _rows(client, EVENTS, ("usageEvents",), days, _event_key, _event)


def _activity(client: Client, days: Days) -> Iterator[list[Deferred]]:
    yield from _rows(client, DAILY, ("data",), days, _activity_key, _active)


def _rows(
    client: Client, address: str, place: Any, days: Days, key: Any, read: Any
) -> Iterator[list[Deferred]]:
    body = {"startDate": _ms(days.start), "endDate": _ms(days.end) - 1, "page": 1, "pageSize": PAGE}
    for page in pages(client, Query(address, body=body), Numbered(place, "page", MORE)):
        yield [deferred(row, key, read) for row in page.rows]


def _ms(when: Any) -> int:
    return int(when.timestamp() * 1000)


def _event_key(row: Any) -> str:
    return key_of("event", row["timestamp"], row.get("userEmail"), row.get("model"))


def _event(row: Any) -> Usage:
    at_time = _time(row["timestamp"])
    if at_time is None:
        raise ValueError("no time")
    amount, basis = _money(row)
    return Usage(
        provider_id=_event_key(row),
        tool=TOOL,
        used_on=at_time.astimezone(UTC).date(),
        used_at=at_time,
        actor_email=text(row.get("userEmail")),
        product=text(row.get("kind")) or text(row.get("kindLabel")),
        model=text(row.get("model")),
        requests=1,
        input_tokens=number(at(row, ("tokenUsage", "inputTokens"))),
        cache_read_tokens=number(at(row, ("tokenUsage", "cacheReadTokens"))),
        cache_write_5m_tokens=number(at(row, ("tokenUsage", "cacheWriteTokens"))),
        output_tokens=number(at(row, ("tokenUsage", "outputTokens"))),
        amount_nano=amount,
        currency=None if amount is None else "USD",
        basis=basis,
        payload=row,
    )


def _money(row: Any) -> tuple[int | None, Basis | None]:
    """What Cursor charges for a request; else the cost of the model, which the plan may include."""
    if (charged := nano(row.get("chargedCents"), NANO_PER_CENT)) is not None:
        return charged, "billed"
    if (cost := nano(at(row, ("tokenUsage", "totalCents")), NANO_PER_CENT)) is not None:
        return cost, "vendor_estimated"
    return None, None


def _time(value: Any) -> datetime | None:
    """Milliseconds, also as text, or a time as text."""
    return instant_ms(number(value)) or instant(value)


def _activity_key(row: Any) -> str:
    return key_of("day", _used_on(row), row.get("email") or row.get("userId"))


def _used_on(row: Any) -> date:
    at_time = _time(row.get("date"))
    found = day(row.get("day")) or (at_time and at_time.date())
    if found is None:
        raise ValueError("no day")
    return found


def _active(row: Any) -> Usage:
    return Usage(
        provider_id=_activity_key(row),
        tool=TOOL,
        used_on=_used_on(row),
        actor_email=text(row.get("email")),
        actor_id=None if row.get("userId") is None else str(row["userId"]),
        requests=sum_of(
            row, "composerRequests", "chatRequests", "agentRequests", "cmdkUsages", "bugbotUsages"
        ),
        # `totalLinesAdded` has lines that people type, too: nothing says how many were suggested.
        lines_accepted=number(row.get("acceptedLinesAdded")),
        lines_removed=number(row.get("acceptedLinesDeleted")),
        edits_accepted=sum_of(row, "totalAccepts", "totalTabsAccepted"),
        edits_rejected=number(row.get("totalRejects")),
        is_active=bool(_sum_of_all(row)) if row.get("isActive") is None else row["isActive"] is True,
        payload=row,
    )


def _sum_of_all(row: Any) -> int | None:
    return sum_of(
        row, *(name for name in row if name.startswith("total") or name.endswith(("Requests", "Usages")))
    )
