"""Windsurf: lines, requests and suggestions of people by day, and seats.

Read in Windsurf's documentation: only the plan Enterprise has the interface; a key of the service goes into the body of
each request; numbers are text; Cascade is asked for one person at a time; completions and chats name a person by a key,
which the list of users translates, and which no row keeps; the share of code that Windsurf wrote is one of all people;
no amount of money is told; nothing has pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cached_property, partial
from typing import Any

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import key_of
from ingest.connections.ai_tools.days import Days, Kept, by_days, today_alone
from ingest.connections.ai_tools.records import Seat, Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository, other_system
from ingest.connections.parsing import deferred
from ingest.connections.values import day, instant, number, text
from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import JsonPath, at
from ingest.providers.windsurf import analytics

TOOL = "windsurf"
USERS, CASCADE, ANALYTICS = "UserPageAnalytics", "CascadeAnalytics", "Analytics"
KEPT = Kept(days=90, restated=3, at_once=30)
RESULTS = ("queryResults",)
ACTIVITIES = ("lastAutocompleteUsageTime", "lastChatUsageTime", "lastCommandUsageTime")


def _refusal(answer: Answer) -> ProviderRefused | None:
    if answer.status in (401, 403):
        return ProviderRefused(
            Refusal.UNAUTHORIZED if answer.status == 401 else Refusal.FORBIDDEN,
            "Windsurf does not accept the key: create a service key with the permission Teams Read-only in the settings"
            " of the team; only the plan Enterprise has its analytics.",
        )
    return None


class Windsurf(AiTool):
    kind = "WINDSURF"
    title = "Windsurf"
    default_address = "https://server.codeium.com/api/v1"
    is_single_service = True
    rate_limits = RateLimits(refusal=_refusal)

    def login(self, connection: Connection) -> Login:
        return Login(connection.address, {}, (connection.secret.strip(),))

    def check(self, client: Client, connection: Connection) -> Checked:
        body = client.query(USERS, {"service_key": connection.secret.strip()}).body
        people = at(body, ("userTableStats",))
        if not isinstance(people, list):
            raise other_system(self.title, connection.address)
        return Checked(f"a team of {len(people)}")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        team = _Team(client, connection.secret.strip())
        yield today_alone(client, "seats", "seats", partial(_seats, team))
        yield by_days(client, "cascade", "usage", KEPT, partial(_cascade, team))
        yield by_days(client, "suggestions", "usage", KEPT, partial(_suggestions, team))
        yield by_days(client, "written", "usage", KEPT, partial(_written, team))


class _Team:
    """Requests with the key, and the users of the team, asked for once."""

    def __init__(self, client: Client, key: str) -> None:
        self._client, self._key = client, key

    def rows(self, address: str, place: JsonPath, body: dict[str, Any]) -> list[Any]:
        """A list of an answer. Raises Transient for an answer without it, since rows of the lake must stay."""
        answered = self._client.query(address, {"service_key": self._key, **body}).body
        found = at(answered, place)
        if not isinstance(found, list):
            raise Transient(
                f"Windsurf answers {address} without the list that was asked for: try again later."
            )
        self._client.count_rows(len(found))
        return found

    @cached_property
    def users(self) -> list[Any]:
        return self.rows(USERS, ("userTableStats",), {})

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Addresses of the users by their keys. One who left the team has none."""
        named = ((text(at(one, ("apiKey",))), text(at(one, ("email",)))) for one in self.users)
        return {key: address for key, address in named if key and address}


def _seats(team: _Team, today: date) -> Iterator[list[Deferred]]:
    yield [deferred(row, partial(_seat_key, today), partial(_seat, today)) for row in team.users]


def _seat_key(today: date, row: Any) -> str:
    return key_of(today, row["email"])


def _seat(today: date, row: Any) -> Seat:
    active = [found for name in ACTIVITIES if (found := instant(row.get(name))) is not None]
    return Seat(
        provider_id=_seat_key(today, row),
        tool=TOOL,
        seen_on=today,
        actor_email=text(row["email"]),
        actor_name=text(row.get("name")),
        last_active_at=max(active, default=None),
        payload=analytics.harmless(row),
    )


def _cascade(team: _Team, days: Days) -> Iterator[list[Deferred]]:
    form = "%Y-%m-%dT%H:%M:%SZ"
    range_of = {"start_timestamp": days.start.strftime(form), "end_timestamp": days.end.strftime(form)}
    asked = {**range_of, "query_requests": [{"cascade_lines": {}}, {"cascade_runs": {}}]}
    for user in team.users:
        email = text(at(user, ("email",)))
        if email is not None:
            for result in team.rows(CASCADE, RESULTS, {"emails": [email], **asked}):
                yield [*_each(email, result, LINES, _lines), *_each(email, result, RUNS, _run)]


LINES, RUNS = ("cascadeLines", "cascadeLines"), ("cascadeRuns", "cascadeRuns")


def _each(email: str, result: Any, place: JsonPath, read: Callable[[str, Any], Usage]) -> Iterator[Deferred]:
    found = at(result, place)
    for row in found if isinstance(found, list) else []:
        yield deferred(row, partial(_cascade_key, email), partial(read, email))


def _cascade_key(email: str, row: Any) -> str:
    run = (row.get("cascadeId"), row.get("model"), row.get("mode"))
    return key_of("run" if any(run) else "lines", _day(row["day"]), email, *run)


def _lines(email: str, row: Any) -> Usage:
    return Usage(
        provider_id=_cascade_key(email, row),
        tool=TOOL,
        used_on=_day(row["day"]),
        actor_email=email,
        product="cascade",
        lines_suggested=number(row.get("linesSuggested")),
        lines_accepted=number(row.get("linesAccepted")),
        payload=row,
    )


def _run(email: str, row: Any) -> Usage:
    return Usage(
        provider_id=_cascade_key(email, row),
        tool=TOOL,
        used_on=_day(row["day"]),
        actor_email=email,
        product=text(row.get("mode")) or "cascade",
        model=text(row.get("model")),
        requests=number(row.get("messagesSent")),
        payload=row,
    )


def _suggestions(team: _Team, days: Days) -> Iterator[list[Deferred]]:
    yield from analytics.suggestions(partial(team.rows, ANALYTICS, RESULTS), team.addresses, days)


def _written(team: _Team, days: Days) -> Iterator[list[Deferred]]:
    yield from analytics.written(partial(team.rows, ANALYTICS, RESULTS), days)


def _day(value: Any) -> date:
    found = day(value)
    if found is None:
        raise ValueError("no day")
    return found
