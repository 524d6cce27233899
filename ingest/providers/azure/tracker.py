"""Azure Boards: work items of an organization or collection, with the history of their states.

Read in Microsoft's reference: the reporting interface lists every revision in the order of its change, deletions too,
and is made for warehouses; lists of single projects lose items that move. A run notes the items that have revisions
since the last one, and reads their fields of today, 200 items per request. A new parent is no revision: a list of
changed links names such items.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import instant, number
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Answer, Client, Login
from ingest.http.pages import Offset, Page, Query, all_rows
from ingest.json_paths import JsonPath, at
from ingest.providers.azure import access
from ingest.providers.azure.items import FIELDS, LEVELS, Categories, Revision, item_of, person_of

SCOPE = "Work Items (Read)"
REVISIONS = "_apis/wit/reporting/workitemrevisions"
LINKS = "_apis/wit/reporting/workitemlinks"
HIERARCHY = "System.LinkTypes.Hierarchy-Forward"
"""Links from parents to their children."""
REVISION_FIELDS = ("System.State", "System.ChangedDate", "System.ChangedBy", "System.IsDeleted")
BATCH = 200
"""Items of one request; the service refuses more."""
HISTORY_PAGE = 200
MAX_HISTORIES = 200
"""Beyond so many changed items the list of all revisions takes fewer requests than one per item."""
IDS_PAGE = 10_000
"""Ids of one query; the service refuses results of more than 20,000."""


@dataclass(frozen=True)
class Revisions:
    """The lists of revisions and links: the token belongs to the next request, and a start must not stand beside it."""

    rows: JsonPath = ("values",)

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        token = at(answer.body, ("continuationToken",))
        if at(answer.body, ("isLastBatch",)) is True or token in (None, ""):
            return None
        params = {name: value for name, value in query.params.items() if name != "startDateTime"}
        return replace(query, params={**params, "continuationToken": token})


@dataclass(frozen=True)
class Ids:
    """A query for ids above the last one: a page with fewer than `IDS_PAGE` is the last one."""

    rows: JsonPath = ("workItems",)

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        last = at(answer.body, ("workItems", count - 1, "id")) if count else None
        return None if count < IDS_PAGE or last is None else replace(query, body=_ids_above(last))


@dataclass
class RevisionHistory:
    """Revisions by item and number, and the items that the last of their revisions deletes."""

    items: dict[int, dict[int, Revision]] = field(default_factory=dict)

    def add(self, row: Any) -> None:
        """Note a revision; rows without an id or number are left out."""
        key, revision = number(at(row, ("id",))), revision_of(row)
        if key is not None and revision is not None:
            self.items.setdefault(key, {})[revision.number] = revision

    def split(self) -> tuple[list[int], list[int]]:
        """Ids of the items that exist, and of those that are deleted."""
        gone = {key for key, revisions in self.items.items() if revisions[max(revisions)].is_deleted}
        return sorted(self.items.keys() - gone), sorted(gone)


class AzureBoards(Tracker):
    kind = "AZURE_BOARDS"
    title = "Azure Boards"
    levels: ClassVar[Mapping[str, str]] = LEVELS
    rate_limits = access.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        checked = access.check_login(client, connection, SCOPE)
        try:
            access.supported_version(client, REVISIONS, {**_revisions(None), "$maxPageSize": 1})
        except ProviderRefused as error:
            raise access.explained(error, connection, SCOPE) from error
        return checked

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        version = access.supported_version(client, REVISIONS, {**_revisions(None), "$maxPageSize": 1})
        categories = Categories(partial(_types, client, version))
        yield Stream(
            "items",
            "items",
            partial(self._items, client, version, categories),
            list_ids=partial(self._ids, client, version),
        )

    def _items(
        self,
        client: Client,
        version: str,
        categories: Categories,
        since: datetime | None,
        _cursor: str | None,
    ) -> Iterator[Slice]:
        """Slices of items with revisions since a time. An interrupted listing starts again: its pages are large."""
        history = _read_history(client, version, since)
        exist, gone = history.split()
        if since is not None:
            exist = sorted({*exist, *_children(client, version, since)} - set(gone))
        yield Slice([], None, deleted=[str(key) for key in gone])
        incomplete = [key for key in exist if since is not None and 1 not in history.items.get(key, {})]
        if len(incomplete) > MAX_HISTORIES:
            history, incomplete = _read_history(client, version, None), []
        unknown = set(incomplete)
        for start in range(0, len(exist), BATCH):
            keys = exist[start : start + BATCH]
            rows = []
            for one in _batch(client, version, keys):
                key = number(at(one, ("id",)))
                revisions = None if key is None or key in unknown else history.items.get(key, {})
                read = partial(self._item, client, version, categories, one, revisions)
                changed = instant(at(one, ("fields", "System.ChangedDate")))
                rows.append(Deferred(None if key is None else str(key), read, one, changed))
            yield Slice(rows, None)

    def _item(
        self,
        client: Client,
        version: str,
        categories: Categories,
        one: dict[str, Any],
        revisions: Mapping[int, Revision] | None,
    ) -> Item:
        if revisions is None:
            history = RevisionHistory()
            query = Query(
                f"_apis/wit/workItems/{one['id']}/revisions", {"$top": HISTORY_PAGE, "api-version": version}
            )
            for page in access.read_pages(client, query, Offset(("value",), "$skip", HISTORY_PAGE)):
                for row in page.rows:
                    history.add(row)
            revisions = history.items.get(one["id"], {})
        return item_of(one, [revisions[rev] for rev in sorted(revisions)], categories, client.login.address)

    def _ids(self, client: Client, version: str) -> Iterator[str]:
        query = Query("_apis/wit/wiql", {"$top": IDS_PAGE, "api-version": version}, _ids_above(0))
        for page in access.read_pages(client, query, Ids()):
            yield from map(id_of, page.rows)


def _revisions(since: datetime | None) -> dict[str, Any]:
    params: dict[str, Any] = {"includeDeleted": "true", "fields": ",".join(REVISION_FIELDS)}
    if since is not None:
        params["startDateTime"] = f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return params


def _read_history(client: Client, version: str, since: datetime | None) -> RevisionHistory:
    history = RevisionHistory()
    query = Query(REVISIONS, {**_revisions(since), "api-version": version})
    for page in access.read_pages(client, query, Revisions()):
        for row in page.rows:
            history.add(row)
    return history


def _children(client: Client, version: str, since: datetime) -> set[int]:
    """Items that got or lost a parent since a time. Servers have the list in a preview of their version."""
    stable = version.removesuffix("-preview")
    start = f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    query = Query(LINKS, {"linkTypes": HIERARCHY, "startDateTime": start, "api-version": f"{stable}-preview"})
    try:
        links = all_rows(client, access.read_pages(client, query, Revisions()))
    except ProviderRefused as error:
        if error.refusal is not Refusal.INVALID:
            raise
        query = replace(query, params={**query.params, "api-version": stable})
        links = all_rows(client, access.read_pages(client, query, Revisions()))
    return {key for one in links if (key := number(at(one, ("attributes", "targetId")))) is not None}


def revision_of(row: Any) -> Revision | None:
    """A revision of either list; None if it lacks a number or time."""
    fields = at(row, ("fields",))
    rev, when = number(at(row, ("rev",))), instant(at(fields, ("System.ChangedDate",)))
    if rev is None or when is None:
        return None
    # Hundreds of thousands of revisions share a few states and people.
    state, actor = at(fields, ("System.State",)), person_of(at(fields, ("System.ChangedBy",))).login
    return Revision(
        rev,
        when,
        sys.intern(state) if isinstance(state, str) else None,
        sys.intern(actor) if actor else None,
        at(fields, ("System.IsDeleted",)) in (True, "true", "True"),
    )


def _batch(client: Client, version: str, keys: Sequence[int]) -> list[Any]:
    """Fields of today of some items. Items that the token may not read are left out.

    A server refuses fields that none of its processes has; it is then asked for all fields.
    """
    body = {"ids": list(keys), "errorPolicy": "omit"}
    query = Query("_apis/wit/workitemsbatch", {"api-version": version}, {**body, "fields": list(FIELDS)})
    try:
        found: list[Page] = list(access.read_pages(client, query))
    except ProviderRefused as error:
        if error.refusal is not Refusal.INVALID:
            raise
        found = list(access.read_pages(client, replace(query, body=body)))
    return [one for page in found for one in page.rows if one is not None]


def _ids_above(last: int) -> dict[str, str]:
    return {"query": f"SELECT [System.Id] FROM WorkItems WHERE [System.Id] > {last} ORDER BY [System.Id]"}


def _types(client: Client, version: str, project: str) -> list[Any]:
    """The types of work items of a project with their states; none for a project that is gone."""
    query = Query(f"{access.project_path(project)}/_apis/wit/workitemtypes", {"api-version": version})
    try:
        return all_rows(client, access.read_pages(client, query))
    except ProviderRefused as error:
        if error.refusal not in (Refusal.NOT_FOUND, Refusal.FORBIDDEN):
            raise
        return []
