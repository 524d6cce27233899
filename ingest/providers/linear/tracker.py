"""Linear: initiatives, projects and issues over GraphQL.

Read in Linear's schema: a personal key stands in `Authorization` without `Bearer`; `trashed` entities stay in answers
for a while; nested connections end silently at their `first`. A query may cost 10,000 points, in which each connection
counts with its `first`, so pages of issues stay small. Keep out: the documents (`documents`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

from ingest.connections.model import (
    Checked,
    Connection,
    Record,
    Slice,
    Stream,
    WantedRepository,
    other_system,
)
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.records import Change, Item, StatusCategory
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import column_number, day, instant, last_day, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.graphql_errors import graphql_codes
from ingest.http.pages import GraphQl, Query, all_rows, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.linear import documents

ENDPOINT = "graphql"
CATEGORIES: Mapping[str, StatusCategory] = {
    "triage": "todo",
    "backlog": "todo",
    "unstarted": "todo",
    "planned": "todo",
    "proposed": "todo",
    "started": "doing",
    "active": "doing",
    "paused": "doing",
    "completed": "done",
    "canceled": "canceled",
    "duplicate": "canceled",
}
PULL_REQUEST = re.compile(r"/(?:pull|merge_requests)/\d+")
PLAN = frozenset({Refusal.FORBIDDEN, Refusal.PLAN_REQUIRED})

Node = dict[str, Any]
Parse = Callable[[Client, Node], Item]


def _refusal(answer: Answer) -> ProviderRefused | None:
    """Linear answers 400, or 200, with a code."""
    codes = graphql_codes(answer.body) if at(answer.body, ("data",)) is None else set()
    if "AUTHENTICATION_ERROR" in codes or answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "Linear does not accept the key: create a personal API key and paste it alone, without the word Bearer.",
        )
    if "FORBIDDEN" in codes:
        return ProviderRefused(
            Refusal.FORBIDDEN,
            "Linear refuses the key this part: give it the scope Read for all teams, or ask an admin of the workspace.",
        )
    return None


class Linear(Tracker):
    kind = "LINEAR"
    title = "Linear"
    default_address = "https://api.linear.app"
    is_single_service = True
    levels: ClassVar = {"initiative": "objective", "project": "sub_objective", "issue": "issue"}
    rate_limits = RateLimits(
        remaining="x-ratelimit-requests-remaining",
        reset="x-ratelimit-requests-reset",
        reset_format="epoch_ms",
        wait_without_header=60.0,  # the bucket of complexity refills within an hour: a minute is worth several pages
        refusal=_refusal,
    )

    def login(self, connection: Connection) -> Login:
        key = connection.secret.strip().removeprefix("Bearer ").strip()
        is_oauth = key.startswith("lin_oauth_")
        return Login(connection.address, {"Authorization": f"Bearer {key}" if is_oauth else key}, (key,))

    def check(self, client: Client, connection: Connection) -> Checked:
        data = at(client.query(ENDPOINT, _body(documents.VIEWER, {})).body, ("data",))
        account = text(at(data, ("viewer", "email"))) or text(at(data, ("viewer", "name")))
        if account is None:
            raise other_system(self.title, connection.address)
        workspace = text(at(data, ("organization", "name")))
        return Checked(f"{account} in {workspace}" if workspace else account)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        parsers: Mapping[str, tuple[str, Parse]] = {
            "initiatives": (documents.INITIATIVES, _initiative),
            "projects": (documents.PROJECTS, _project),
            "issues": (documents.ISSUES, _issue),
        }
        for name, (document, parse) in parsers.items():
            yield Stream(
                name,
                "items",
                partial(_read, client, name, document, parse),
                list_ids=partial(_list_ids, client, name),
            )


def _read(
    client: Client, name: str, document: str, parse: Parse, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    variables = {"first": documents.PAGES[name], "filter": _filter(name, since)}
    first = Query(ENDPOINT, body=_body(document, variables))
    try:
        for page in pages(client, first, GraphQl((name,), sizes=("first",)), cursor):
            gone = [one["id"] for one in page.rows if at(one, ("trashed",)) is True and text(one.get("id"))]
            rows = [one for one in page.rows if at(one, ("trashed",)) is not True]
            yield replace(slice_of(rows, partial(_record, client, parse), _id, page.cursor), deleted=gone)
    except ProviderRefused as error:
        if name != "initiatives" or error.refusal not in PLAN:
            raise
        # Smaller plans have no initiatives. An empty listing removes none that were read before.
        yield Slice([], None, notes={"plan": f"Initiatives are not readable: {error}"})


def _list_ids(client: Client, name: str) -> Iterator[str]:
    first = Query(ENDPOINT, body=_body(documents.IDS[name], {"first": documents.IDS_PAGE}))
    for page in pages(client, first, GraphQl((name,), sizes=("first",))):
        for one in page.rows:
            identifier = id_of(one)
            if not one.get("trashed"):
                yield identifier


def _filter(name: str, since: datetime | None) -> Node:
    if since is None:
        return {}
    changed = {"updatedAt": {"gte": since.astimezone(UTC).isoformat(timespec="milliseconds")}}
    # Whether a project counts as changed when it joins an initiative is not documented: either side is enough.
    return {"or": [changed, {"initiatives": {"some": changed}}]} if name == "projects" else changed


def _body(document: str, variables: Node) -> Node:
    return {"query": document, "variables": variables}


def _id(one: Any) -> str:
    return str(one["id"])


def _record(client: Client, parse: Parse, one: Node) -> Record:
    return parse(client, one)


def _all(client: Client, kind: str, one: Node, connection: str) -> list[Node]:
    """All nodes of a nested connection: those of the page, and the rest from the entity itself."""
    nodes = list(one[connection]["nodes"])
    info = one[connection].get("pageInfo") or {}
    if info.get("hasNextPage"):
        variables = {"id": one["id"], "after": info["endCursor"]}
        rest = Query(ENDPOINT, body=_body(documents.nested(kind, connection), variables))
        nodes += all_rows(client, pages(client, rest, GraphQl((kind, connection))))
    return nodes


def _issue(client: Client, one: Node) -> Item:
    state = one.get("state") or {}
    status, category = text(state.get("name")), _category(state.get("type"), one)
    attachments = _all(client, "issue", one, "attachments")
    return Item(
        provider_id=one["id"],
        kind="issue",
        key=one["identifier"],
        previous_keys=[text(key) or "" for key in one.get("previousIdentifiers") or []],
        number=column_number(one["identifier"].rpartition("-")[2]),
        title=one["title"],
        status=status,
        status_category=category,
        parent_ids=_parents(one),
        team_key=text(at(one, ("team", "key"))),
        team_name=text(at(one, ("team", "name"))),
        start_on=None,
        target_on=day(one.get("dueDate")),
        estimate=one.get("estimate"),
        resolution=status if category == "canceled" else None,
        branch_name=text(one.get("branchName")),
        labels=[label["name"] for label in _all(client, "issue", one, "labels")],
        pull_requests=[link for each in attachments if (link := _pull_request(each))],
        history=_history(_all(client, "issue", one, "stateHistory")),
        **_shared(one, "assignee", category),
    )


def _parents(one: Node) -> list[str]:
    """Parent issue and project. The chain goes over the parent issue where that one carries the same project."""
    parent, project = text(at(one, ("parent", "id"))), text(at(one, ("project", "id")))
    carried = text(at(one, ("parent", "project", "id")))
    found = [parent, project] if project is None or carried == project else [project, parent]
    return [each for each in found if each is not None]


def _project(client: Client, one: Node) -> Item:
    status = one.get("status") or {}
    category = _category(status.get("type"), one)
    teams = _all(client, "project", one, "teams")
    # A project of several teams belongs to none of them alone.
    team = teams[0] if len(teams) == 1 else {}
    return Item(
        provider_id=one["id"],
        kind="project",
        key=None,
        title=one["name"],
        status=text(status.get("name")),
        status_category=category,
        parent_ids=[each["id"] for each in _all(client, "project", one, "initiatives")],
        team_key=text(team.get("key")),
        team_name=text(team.get("name")),
        start_on=day(one.get("startDate")),
        target_on=last_day(day(one.get("targetDate")), one.get("targetDateResolution")),
        labels=[label["name"] for label in _all(client, "project", one, "labels")],
        **_shared(one, "lead", category),
    )


def _initiative(_client: Client, one: Node) -> Item:
    category = _category(text(one.get("status")), one)
    parent = text(at(one, ("parentInitiative", "id")))
    return Item(
        provider_id=one["id"],
        kind="initiative",
        key=None,
        title=one["name"],
        status=text(one.get("status")),
        status_category=category,
        parent_ids=[parent] if parent else [],
        target_on=last_day(day(one.get("targetDate")), one.get("targetDateResolution")),
        **_shared(one, "owner", category),
    )


def _shared(one: Node, owner: str, category: StatusCategory) -> Node:
    """Fields that issues, projects and initiatives have alike. Raises ValueError without times."""
    created, updated = instant(one["createdAt"]), instant(one["updatedAt"])
    if created is None or updated is None:
        raise ValueError("no time")
    return {
        "created_at": created,
        "updated_at": updated,
        "started_at": instant(one.get("startedAt")),
        "completed_at": instant(one.get("completedAt")) if category == "done" else None,
        "assignee": text(at(one, (owner, "id"))),
        "assignee_name": text(at(one, (owner, "name"))),
        "assignee_email": text(at(one, (owner, "email"))),
        "creator": text(at(one, ("creator", "id"))),
        "url": text(one.get("url")),
        "payload": one,
    }


def _category(kind: Any, one: Node) -> StatusCategory:
    """The category of a type of status; of one that is new to this module, by the times of the entity."""
    if found := CATEGORIES.get(str(kind).lower()):
        return found
    times: tuple[tuple[str, StatusCategory], ...] = (
        ("canceledAt", "canceled"),
        ("completedAt", "done"),
        ("startedAt", "doing"),
    )
    return next((category for name, category in times if one.get(name)), "todo")


def _pull_request(attachment: Node) -> str | None:
    source, link = text(attachment.get("sourceType")) or "", text(attachment.get("url"))
    is_host = source.lower().startswith(("github", "gitlab"))
    return link if is_host and link and PULL_REQUEST.search(link) else None


def _history(spans: list[Node]) -> list[Change]:
    """The changes between spans of one status, by time. The first one is the creation."""
    found: list[Change] = []
    for span in sorted(spans, key=lambda each: str(each["startedAt"])):
        if (when := instant(span["startedAt"])) is not None:
            state = span.get("state") or {}  # none for a status that was deleted
            name, category = text(state.get("name")), CATEGORIES.get(str(state.get("type")).lower())
            found.append(Change("status", when, found[-1].after if found else None, name, category))
    return found
