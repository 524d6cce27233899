"""GitHub Copilot: credits, activity and tokens of people by day, and seats.

Read in GitHub's documentation: a report of a day has links to files of JSON lines, which need no token; 204 and 404
mean that a day has no report; reports go back a year, and are complete after two full days (UTC); a person is in the
report of each of their organizations with the same numbers; one AI credit is a cent; what IDEs count excludes the
command line; nothing says how many of the prompt's tokens were cached; lists of seats have no history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import quote

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_CENT, key_of, nano
from ingest.connections.ai_tools.days import Days, Kept, by_days, today_alone
from ingest.connections.ai_tools.records import Seat, Usage
from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.parsing import deferred
from ingest.connections.values import day, instant, number, text
from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http import downloads
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.pages import Links, Query, pages
from ingest.json_paths import at
from ingest.providers.github import access, copilot_totals
from ingest.providers.github.token import check_token

TOOL = "copilot"
ORGANIZATION, ENTERPRISE = "organization", "enterprise"
PAGE, ROWS = 100, 500
MAX_LINKS = 1_000
KEPT = Kept(days=364, restated=3, late=1)
OF_TOTALS = Kept(days=99, restated=3, late=1, at_once=100)
SCOPES = {"manage_billing:copilot": "seats or reports of Copilot may stay hidden."}
REPORTS = "copilot/metrics/reports"
SURFACES = ("totals_by_cli", "totals_by_copilot_app")
"""Surfaces that count sessions, requests and tokens; IDEs count none."""
NEEDS = (
    "a classic token needs the scope manage_billing:copilot (or read:org, for an enterprise read:enterprise), a"
    " fine-grained one read access to Copilot's seats and metrics, and its owner must be an owner or billing manager"
)


def _refusal(answer: Answer) -> ProviderRefused | None:
    said = text(at(answer.body, ("message",))) or ""
    if answer.status == 403 and "Resource not accessible by" in said:
        needed = answer.headers.get("x-accepted-github-permissions") or "organization_copilot_metrics=read"
        return ProviderRefused(
            Refusal.MISSING_SCOPE, f"The token lacks a permission; this request needs {needed}: {NEEDS}."
        )
    return access.refusal(answer)


class GitHubCopilot(AiTool):
    kind = "GITHUB_COPILOT"
    title = "GitHub Copilot"
    default_address = access.ADDRESS
    rate_limits = replace(access.RATE_LIMITS, refusal=_refusal)
    options: ClassVar = {
        ORGANIZATION: "Login of the organization that pays for Copilot.",
        ENTERPRISE: "Slug of the enterprise, instead of an organization: reports and seats of all its organizations.",
    }

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        place = _place(connection)
        checked = check_token(client, connection, SCOPES, now=client.now())
        try:
            seats = client.get(f"{place}/copilot/billing/seats", {"per_page": 1}).body
            settled = client.now().date() - timedelta(days=KEPT.restated)
            _links(client, f"{place}/{REPORTS}/users-1-day", {"day": settled.isoformat()})
        except ProviderRefused as refused:
            raise _explained(refused, connection) from refused
        total = number(at(seats, ("total_seats",)))
        if total is None:
            raise ProviderRefused(
                Refusal.BAD_ADDRESS, f"{connection.address} answers, but not as GitHub Copilot does."
            )
        return replace(checked, account=f"{checked.account}, {total} seats")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        place = _place(connection)
        yield today_alone(client, "seats", "seats", partial(_seats, client, place))
        reports = by_days(client, "usage", "usage", KEPT, partial(_usage, client, place))
        yield replace(reports, read=partial(_if_any, client, place, reports))
        yield by_days(client, "totals", "usage", OF_TOTALS, partial(copilot_totals.read, client, place))


def _place(connection: Connection) -> str:
    """The address of the organization or enterprise. Raises ProviderRefused unless one of both is named."""
    organization, enterprise = (
        str(connection.options.get(name) or "").strip() for name in (ORGANIZATION, ENTERPRISE)
    )
    if bool(organization) == bool(enterprise):
        raise ProviderRefused(
            Refusal.INVALID, "Name the organization or the enterprise that pays for Copilot: one of both."
        )
    return (
        f"orgs/{quote(organization, safe='')}"
        if organization
        else f"enterprises/{quote(enterprise, safe='')}"
    )


def _explained(refused: ProviderRefused, connection: Connection) -> ProviderRefused:
    """What to change, where GitHub's answer does not say it."""
    whose = str(connection.options.get(ORGANIZATION) or connection.options.get(ENTERPRISE))
    words = {
        Refusal.NOT_FOUND: f"GitHub shows no Copilot of {whose}: its name is wrong, it has no Copilot, or the token may"
        f" not see it; {NEEDS}.",
        Refusal.FORBIDDEN: f"GitHub refuses the token Copilot's reports of {whose}: {NEEDS}. The policy for usage"
        " metrics of Copilot must be on.",
        Refusal.INVALID: f"GitHub cannot tell Copilot's seats of {whose}: set up the billing of Copilot first.",
    }  # fmt: skip
    if refused.refusal not in words or (refused.refusal is Refusal.INVALID and refused.status != 422):
        return refused
    return ProviderRefused(refused.refusal, words[refused.refusal], refused.status)


def _seats(client: Client, place: str, today: date) -> Iterator[list[Deferred]]:
    listed = Query(f"{place}/copilot/billing/seats", {"per_page": PAGE})
    for page in pages(client, listed, Links(("seats",))):
        yield [deferred(row, partial(_seat_key, today), partial(_seat, today)) for row in page.rows]


def _seat_key(today: date, row: Any) -> str:
    login = text(at(row, ("assignee", "login")))
    # A seat that nobody has taken yet has no person.
    return key_of(today, login.lower()) if login else key_of(today, "nobody", row["created_at"])


def _seat(today: date, row: Any) -> Seat:
    person = row.get("assignee") or {}
    return Seat(
        provider_id=_seat_key(today, row),
        tool=TOOL,
        seen_on=today,
        actor_login=text(person.get("login")),
        actor_id=None if person.get("id") is None else str(person["id"]),
        plan=text(row.get("plan_type")),
        last_active_at=instant(row.get("last_activity_at")),
        ends_on=day(row.get("pending_cancellation_date")),
        payload=row,
    )


def _if_any(
    client: Client, place: str, reports: Stream, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    """The reports, unless GitHub has none at all: else each day without one would count as read, and the first one
    that a permission shows later would stay unread.
    """
    if since is None and cursor is None and not _links(client, f"{place}/{REPORTS}/users-28-day/latest", {}):
        why = (
            "GitHub has no report of Copilot of the last 28 days. Either nobody used it, or the policy for usage"
            f" metrics of Copilot is off, or the token may not read it: {NEEDS}."
        )
        yield Slice([], None, notes={"reports": why})
        return
    yield from reports.read(since, cursor)


def _links(client: Client, address: str, params: dict[str, Any]) -> list[Any]:
    """The addresses of the files of a report; none where there is no report."""
    try:
        body = client.get(address, params).body
    except ProviderRefused as refused:
        if refused.refusal is not Refusal.NOT_FOUND:
            raise
        return []
    found = at(body, ("download_links",)) if body is not None else []
    if not isinstance(found, list):
        raise Transient("GitHub answers a report of Copilot without its files: try again later.")
    if len(found) > MAX_LINKS:
        raise ProviderRefused(
            Refusal.INVALID, f"A report of Copilot has more than {MAX_LINKS:,} files, which is the limit."
        )
    return found


def _usage(client: Client, place: str, days: Days) -> Iterator[list[Deferred]]:
    asked = {"day": days.first.isoformat()}
    for link in _links(client, f"{place}/{REPORTS}/users-1-day", asked):
        found = downloads.lines(client, link)
        while rows := list(islice(found, ROWS)):
            client.count_rows(len(rows))
            yield [
                deferred(row, partial(_person_key, days.first), partial(_person, days.first)) for row in rows
            ]


def _person_key(on: date, row: Any) -> str:
    # Without the organization: a person of several ones is in each report.
    return key_of("user", on, _id(row))


def _id(row: Any) -> str:
    found = number(row["user_id"])
    if found is None:
        raise ValueError("no user_id")
    return str(found)


def _person(on: date, row: Any) -> Usage:
    if (told := day(row.get("day"))) not in (None, on):
        raise ValueError(f"a row of {told}")
    amount = nano(row.get("ai_credits_used"), NANO_PER_CENT)
    accepted = number(row.get("code_acceptance_activity_count"))
    requests, sessions = (_summed(row, name) for name in ("request_count", "session_count"))
    return Usage(
        provider_id=_person_key(on, row),
        tool=TOOL,
        used_on=on,
        actor_login=text(row.get("user_login")),
        actor_id=_id(row),
        requests=requests,
        input_tokens=_summed(row, "token_usage", "prompt_tokens_sum"),
        output_tokens=_summed(row, "token_usage", "output_tokens_sum"),
        amount_nano=amount,
        currency=None if amount is None else "USD",
        basis=None if amount is None else "billed",
        sessions=sessions,
        lines_suggested=number(row.get("loc_suggested_to_add_sum")),
        lines_accepted=number(row.get("loc_added_sum")),
        lines_removed=number(row.get("loc_deleted_sum")),
        edits_accepted=accepted,
        adoption_phase=text(at(row, ("ai_adoption_phase", "phase"))),
        is_active=any((
            number(row.get("user_initiated_interaction_count")), number(row.get("code_generation_activity_count")),
            accepted, requests, sessions, amount, row.get("used_agent") is True, row.get("used_chat") is True,
        )),
        payload=row,
    )  # fmt: skip


def _summed(row: Any, *path: str) -> int | None:
    """A number over the surfaces that count it; None if none does."""
    found = [number(at(row, (surface, *path))) for surface in SURFACES]
    told = [one for one in found if one is not None]
    return sum(told) if told else None
