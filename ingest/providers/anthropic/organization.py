"""Anthropic: tokens and billed cost of an organization by person, product, model and day, and activity by person.

Read in Anthropic's documentation and package: cost comes after discounts and before credits, as decimal text of cents
with fractions; a range has at most 31 days, the first one is 2026-01-01; numbers come three hours late and are revised;
people who were deleted have an id without address. Groups of roles overlap, so nothing is grouped by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from typing import Any, ClassVar

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_CENT, key_of, nano
from ingest.connections.ai_tools.days import Days, Kept, by_days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository
from ingest.connections.parsing import deferred
from ingest.connections.values import day, number, text
from ingest.errors import ProviderRefused
from ingest.http.client import Client, Login
from ingest.http.pages import BodyToken, Query, pages
from ingest.json_paths import at
from ingest.providers.anthropic import access, accounts, messages
from ingest.providers.anthropic.access import LACKING

BETA = "analytics-usage-cost-2026-08-24"
USAGE, COST, USERS = (f"v1/organizations/analytics/{name}" for name in ("usage", "cost", "users"))
PAGE = 1000
KEPT = Kept(days=330, restated=3, at_once=31)
OF_PEOPLE = Kept(days=90, restated=3, late=1)
USAGE_GROUPS = ("actor", "product", "model", "service_tier", "speed")
COST_GROUPS = ("actor", "product", "model")
PRODUCTS = "products"
API = "api"
KEYS_ALONE = (
    "The key may not read the analytics, so that only tokens by key, model and day are read: no people, no billed cost,"
    " and no use of Claude Code with a subscription."
)
TOOL_OF = {"claude_code": "claude_code", "api": "anthropic_api"}


class Anthropic(AiTool):
    kind = "ANTHROPIC"
    title = "Anthropic"
    default_address = access.ADDRESS
    is_single_service = True
    rate_limits = access.RATE_LIMITS
    options: ClassVar = {
        PRODUCTS: "Products that count, separated by commas: claude_code unless given; api adds use by key."
    }

    def login(self, connection: Connection) -> Login:
        return access.login(connection, BETA)

    def check(self, client: Client, connection: Connection) -> Checked:
        access.refuse_ordinary_key(connection)
        warnings: tuple[str, ...] = ()
        if _reads_keys_alone(client, connection):
            today = client.now().date()
            client.get(messages.REPORT, messages.params(Days(today, today)))
            warnings = (KEYS_ALONE,)
        try:
            return Checked(access.organization_of(client, connection, self.title), warnings=warnings)
        except ProviderRefused as refused:
            # A key for analytics alone may not ask for the organization.
            if refused.refusal not in LACKING:
                raise
            return Checked("an organization", warnings=warnings)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        chosen = frozenset(_chosen(connection))
        yield accounts.stream(client)
        if API in chosen and _reads_keys_alone(client, connection):
            yield messages.stream(client)
            return
        organization = cache(partial(access.organization_id, client))
        for name, address, groups, read in (
            ("usage", USAGE, USAGE_GROUPS, _tokens),
            ("cost", COST, COST_GROUPS, _cost),
        ):
            yield by_days(
                client,
                name,
                "usage",
                KEPT,
                partial(_read, client, address, groups, chosen, organization, read),
            )
        if "claude_code" in chosen:
            yield by_days(client, "activity", "usage", OF_PEOPLE, partial(_people, client))


def _reads_keys_alone(client: Client, connection: Connection) -> bool:
    """Whether the older report is all that the key may read. Raises ProviderRefused where nobody asked for it."""
    today = client.now().date()
    try:
        client.get(USAGE, _params(Days(today, today), USAGE_GROUPS) | {"limit": 1})
    except ProviderRefused as refused:
        if refused.refusal not in LACKING:
            raise
        if API in _chosen(connection):
            return True
        raise ProviderRefused(
            refused.refusal,
            f"{refused} A key without analytics can read use by key alone: set the option products to api for that.",
            refused.status,
        ) from refused
    return False


def _chosen(connection: Connection) -> Iterator[str]:
    given = str(connection.options.get(PRODUCTS) or "claude_code")
    yield from (one.strip().lower() for one in given.split(",") if one.strip())


def _params(days: Days, groups: Sequence[str]) -> dict[str, Any]:
    return {
        "starting_at": days.start.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "ending_at": days.end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "time_bucket_width": "1d",
        "group_by[]": list(groups),
        "limit": PAGE,
    }


Read = Callable[[str | None, Any], Usage]
Organization = Callable[[], str | None]


def _read(
    client: Client,
    address: str,
    groups: Sequence[str],
    chosen: frozenset[str],
    organization: Organization,
    read: Read,
    days: Days,
) -> Iterator[list[Deferred]]:
    style, account = BodyToken(("data",), ("next_page",), "page"), organization()
    for page in pages(client, Query(address, _params(days, groups)), style):
        yield [
            deferred(row, partial(_key, address), partial(read, account))
            for row in page.rows
            if (text(at(row, ("group", "product"))) or "api") in chosen
        ]


def _key(address: str, row: Any) -> str:
    actor = at(row, ("group", "actor")) or {}
    who = actor.get("user_id") or actor.get("email_address") or actor.get("api_key_id")
    rest = (at(row, ("group", name)) for name in USAGE_GROUPS[1:])
    return key_of(address.rpartition("/")[2], _day(row), who, *rest)


def _day(row: Any) -> date:
    found = day(row["starting_at"])
    if found is None:
        raise ValueError("no day")
    return found


def _tokens(account: str | None, row: Any) -> Usage:
    usage = row["usage"]
    return Usage(
        provider_id=_key(USAGE, row),
        requests=number(usage.get("requests")),
        input_tokens=number(usage["uncached_input_tokens"]),
        cache_read_tokens=number(usage.get("cache_read_input_tokens")),
        cache_write_5m_tokens=number(at(usage, ("cache_creation", "ephemeral_5m_input_tokens"))),
        cache_write_1h_tokens=number(at(usage, ("cache_creation", "ephemeral_1h_input_tokens"))),
        output_tokens=number(usage["output_tokens"]),
        **_shared(account, row),
    )


def _cost(account: str | None, row: Any) -> Usage:
    cost = row.get("cost") or row
    return Usage(
        provider_id=_key(COST, row),
        amount_nano=nano(cost["amount"], NANO_PER_CENT),
        currency=text(cost.get("currency")) or "USD",
        basis="billed",
        **_shared(account, row),
    )


def _shared(account: str | None, row: Any) -> dict[str, Any]:
    group = row["group"]
    actor = group.get("actor") or {}
    product = text(group.get("product"))
    return {
        "tool": TOOL_OF.get(product or "api", product or "anthropic_api"),
        "used_on": _day(row),
        "account_id": account,
        "actor_id": text(actor.get("user_id")),
        "actor_email": text(actor.get("email_address")),
        "api_key_name": text(actor.get("api_key_name")) or text(actor.get("api_key_id")),
        "product": product,
        "model": text(group.get("model")),
        "speed": text(group.get("speed")),
        "service_tier": text(group.get("service_tier")),
        "payload": row,
    }


def _people(client: Client, days: Days) -> Iterator[list[Deferred]]:
    first = Query(USERS, {"date": days.first.isoformat(), "limit": PAGE})
    try:
        for page in pages(client, first, BodyToken(("data",), ("next_page",), "page")):
            yield [
                deferred(row, partial(_person_key, days.first), partial(_activity, days.first))
                for row in page.rows
            ]
    except ProviderRefused as refused:
        # Only the plan Enterprise has this report.
        if refused.refusal not in LACKING:
            raise


def _person_key(on: date, row: Any) -> str:
    return key_of("users", on, at(row, ("user", "id")) or row["user"]["email_address"])


def _activity(on: date, row: Any) -> Usage:
    core = row["claude_code_metrics"]["core_metrics"]
    tools = row["claude_code_metrics"].get("tool_actions") or {}
    return Usage(
        provider_id=_person_key(on, row),
        tool="claude_code",
        used_on=on,
        actor_id=text(at(row, ("user", "id"))),
        actor_email=text(at(row, ("user", "email_address"))),
        sessions=number(core.get("distinct_session_count")),
        lines_accepted=number(at(core, ("lines_of_code", "added_count"))),
        lines_removed=number(at(core, ("lines_of_code", "removed_count"))),
        commits=number(core.get("commit_count")),
        pull_requests=number(core.get("pull_request_count")),
        edits_accepted=access.counted(tools, "accepted_count", "accepted"),
        edits_rejected=access.counted(tools, "rejected_count", "rejected"),
        is_active=bool(number(core.get("distinct_session_count"))),
        payload=row,
    )
