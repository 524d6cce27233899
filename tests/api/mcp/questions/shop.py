"""A shop of two teams and two repositories: 40 weeks of Git, a Git host, a tracker, and usage of an AI tool.

In the last eight weeks pull requests double and each has half of the work. Times count back from the current week, so
that the last complete month and quarter have work. Keep out: what is asked (asked.py).
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pyarrow as pa

from api.control.accounts.tokens import create_token
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.teams.memberships import add_membership
from ingest.git.identifiers import repository_id, root_key
from ingest.lake import Lake
from ingest.providers.linear.tracker import Linear
from ingest.schemas import TABLES
from ingest.schemas.ai_tools import USAGE
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG
from tests.api.conftest import client_for, serving
from tests.api.people import join, make_account, sign_in
from tests.dbt.invented.invented_pull_requests import Row, event, hours, pull_request, source_commit
from tests.dbt.invented.invented_trackers import item
from tests.end_to_end.eas import Eas
from tests.end_to_end.stored_connections import store_connection
from tests.git_repository import GitRepository

WEEKS = 40
# Of the end, in which a change comes as two pull requests.
SPLIT_WEEKS = 8
TEAMS = {"Payments": ("ada", "grace"), "Storefront": ("lin", "kim")}
REPOSITORIES = {"ledger": ("ada", "grace"), "shop": ("lin", "kim")}
OBJECTIVES = {"CHECKOUT": "Faster checkout", "AUDIT": "Audit trail"}
# Of each repository, for the one that waits long and the one that does not.
WAITING = {
    "ledger": ("feat: export of the audit trail", "fix: rounding of tax in refunds"),
    "shop": ("feat: vouchers in the basket", "fix: stock of parcels on their way"),
}
OF_THE_OBJECTIVE = {"lin": "CHECKOUT", "kim": "CHECKOUT", "ada": "AUDIT", "grace": None}
WORDS = (
    "order", "price", "tax", "cart", "basket", "stock", "ledger", "refund", "invoice", "voucher", "account", "batch",
    "customer", "entry", "balance", "audit", "payment", "shipment", "parcel", "address", "discount", "currency", "rate",
    "window", "region", "catalog", "filter", "match", "signal", "vendor", "margin",
)  # fmt: skip


@dataclass(frozen=True)
class Shop:
    """The shop over HTTP. `key` is an API key of an owner."""

    address: str
    key: str


@contextmanager
def served_shop(folder: Path) -> Iterator[Shop]:
    """Analyse the shop and serve it to the end of the block."""
    eas = Eas(folder / "data")
    eas.data.mkdir(parents=True)
    store = open_store(eas.data)
    store.ensure_organization("Shop", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    owner = sign_in(store, join(store, LOCAL_ORGANIZATION, "owner", make_account(store, _mail("ada"))))
    histories = {name: GitRepository(folder / name) for name in REPOSITORIES}
    with serving(eas.data) as address, client_for(address, owner) as client:
        _put_teams(client, store)
        _write(store, eas.data / "raw", histories)
        done = eas.run_here("analyze", *(history.path for history in histories.values()))
        assert done.returncode == 0, done.stdout
        yield Shop(address, create_token(store, LOCAL_ORGANIZATION, "assistant").key)


def _mail(person: str) -> str:
    return f"{person}@shop.dev"


def _put_teams(client: Any, store: ControlStore) -> None:
    for name, people in TEAMS.items():
        team = client.post(f"/api/v1/organizations/{LOCAL_SLUG}/teams", json={"name": name}).json()
        for person in people:
            # A developer's id is made of the address that the person used first.
            developer = str(uuid5(UUID(LOCAL_ORGANIZATION), f"developer:{_mail(person)}"))
            add_membership(store, OPERATOR, LOCAL_ORGANIZATION, team["id"], developer, date(2020, 1, 1))


def _write(store: ControlStore, raw: Path, histories: dict[str, GitRepository]) -> None:
    chance = random.Random(35)
    host = store_connection(store, "GITEA", "hosts", "https://git.shop.dev", "Host")
    tracker = store_connection(
        store, "LINEAR", "trackers", "https://api.linear.app", "Board",
        {kind: str(level) for kind, level in Linear.levels.items()},
    )  # fmt: skip
    rows: list[Row] = []
    issues: list[Row] = []
    monday = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
    monday -= timedelta(days=monday.weekday(), weeks=WEEKS)
    for name, people in REPOSITORIES.items():
        history = histories[name]
        root = history.commit({"README.md": f"# {name}\n"}, "Start", author=_author(people[0]), at=monday)
        rows += _requests(
            chance, history, repository_id(LOCAL_ORGANIZATION, root_key([root])), people, monday, issues
        )
    given = {"organization_id": LOCAL_ORGANIZATION, "connection_id": host}
    _commit(raw, "hosts", host, "pull_requests", [row | given for row in rows])
    goals = [
        item(
            tracker,
            goal.lower(),
            "initiative",
            title=title,
            status="In progress",
            status_category="doing",
            target_on=(monday + timedelta(weeks=WEEKS + 5)).date(),
        )
        for goal, title in OBJECTIVES.items()
    ]
    found = [item(tracker, **one) for one in issues] + goals
    _commit(
        raw, "trackers", tracker, "items", [one | {"organization_id": LOCAL_ORGANIZATION} for one in found]
    )
    _add_usage(store, raw, monday)


def _requests(
    chance: random.Random,
    history: GitRepository,
    repository: str,
    people: tuple[str, ...],
    monday: datetime,
    issues: list[Row],
) -> list[Row]:
    """A merged pull request of each person and week, with its commit, and two that wait for a review."""
    rows: list[Row] = []
    for week in range(WEEKS):
        parts = 2 if week >= WEEKS - SPLIT_WEEKS else 1
        # In the order of their times: no clock is wrong.
        for part in range(parts):
            for person, other in (people, people[::-1]):
                at = monday + timedelta(weeks=week, days=1 + 2 * part, hours=people.index(person))
                number = len(rows) + 1
                key = f"{history.path.name.upper()}-{number}"
                kind = ("feat", "feat", "fix", "test", "refactor")[(week + people.index(person)) % 5]
                goal = OF_THE_OBJECTIVE[person]
                above = [goal.lower()] if goal else []
                ai = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>" if chance.random() < 0.3 else ""
                words = " ".join(chance.sample(WORDS, 2))
                issues.append(
                    {
                        "provider_id": key,
                        "kind": "issue",
                        "key": key,
                        "title": words.capitalize(),
                        "parent_ids": above,
                        "status": "Done",
                        "status_category": "done",
                    }
                )
                sha = history.commit(
                    _files(chance, kind, f"{person}_{week}_{part}", 8 // parts),
                    f"{kind}: {words}\n\nFor {key}.{ai}", author=_author(person), at=at,
                )  # fmt: skip
                opened = at - hours(20 + chance.randrange(30))
                rows.append(
                    pull_request(
                        repository, number, title=f"{kind}: {words}", author=person, state="merged", created_at=opened,
                        updated_at=at, merged_at=at, closed_at=at, merged_by=other, head_sha=sha, merge_sha=sha,
                        source_branch=f"{person}-{number}", lines_added=60, lines_deleted=0,
                        events=[event("approved", at - hours(1 + chance.randrange(10)), other)],
                        commits=[source_commit(sha, person, _mail(person), author_login=person, authored_at=at)],
                    )
                )  # fmt: skip
    end = monday + timedelta(weeks=WEEKS)
    for days, person, title in zip((12, 5), people, WAITING[history.path.name], strict=True):
        number = len(rows) + 1
        rows.append(
            pull_request(
                repository, number, title=title, author=person, created_at=end - timedelta(days=days),
                updated_at=end - timedelta(days=days), source_branch=f"{person}-{number}",
            )
        )  # fmt: skip
    return rows


def _files(chance: random.Random, kind: str, name: str, functions: int) -> dict[str, str]:
    """A new file of random functions, which no two changes share."""
    body = "\n\n".join(_function(chance, f"{name}_{number}") for number in range(functions))
    folder = "tests/test_" if kind == "test" else "src/"
    return {f"{folder}{name}.py": body + "\n"}


def _function(chance: random.Random, name: str) -> str:
    one, two, three, four = chance.sample(WORDS, 4)
    limit = chance.randrange(3, 400)
    filtered = f"""def {one}_{name}({two}, {three}):
    {four} = [row for row in {two} if row.{three} > {limit}]
    if not {four}:
        raise LookupError({three})
    return sum(row.{one} for row in {four}) / {limit}"""
    sorted_out = f"""def {two}_{name}({one}):
    for {three} in sorted({one}, key=lambda row: row.{four}):
        if {three}.{two} >= {limit}:
            yield {three}, {three}.{four} * {limit}"""
    read = f"""def {three}_{name}({four}, {one}={limit}):
    with open_{two}({four}) as {three}:
        {two} = {three}.read({one})
    return {two}.decode().partition("{one}")[2].strip() or None"""
    emptied = f"""def {four}_{name}({one}, {two}):
    {three} = dict.fromkeys({one}.values(), {limit})
    while {three}.pop({two}, None) and len({three}) < {limit}:
        {three}[{two}.{four}] = {one}.get({two}.{three}, {limit})
    return {three}"""
    return chance.choice((filtered, sorted_out, read, emptied))


def _author(person: str) -> str:
    return f"{person.capitalize()} Shopper <{_mail(person)}>"


def _add_usage(store: ControlStore, raw: Path, monday: datetime) -> None:
    """Claude Code of Ada and Lin each Wednesday, as its vendor reports it."""
    tool = store_connection(store, "CLAUDE_CODE", "ai_tools", "https://api.anthropic.com", "Claude Code")
    rows = [
        dict.fromkeys(USAGE.names)
        | {
            "organization_id": LOCAL_ORGANIZATION, "connection_id": tool, "batch": 1, "tool": "claude_code",
            "provider_id": f"{person}-{week}", "used_on": (monday + timedelta(weeks=week, days=2)).date(),
            "actor_email": _mail(person), "model": "claude-opus-5", "requests": 40,
            "input_tokens": 900_000 + 1_000 * week, "output_tokens": 120_000, "cache_read_tokens": 4_000_000,
            "sessions": 3, "is_active": True, "payload": "{}", "connector_version": "1",
        }
        for week in range(WEEKS)
        for person in ("ada", "lin")
    ]  # fmt: skip
    _commit(raw, "ai_tools", tool, "usage", rows, appended=True)


def _commit(
    raw: Path, source: str, connection: str, table: str, rows: list[Row], *, appended: bool = False
) -> None:
    schema = USAGE if source == "ai_tools" else TABLES[source, table]
    found = {table: pa.Table.from_pylist(rows, schema=schema)}
    replaced = {} if appended else found
    Lake(raw).source(source, LOCAL_ORGANIZATION, connection).commit(found if appended else {}, replaced, {})
