"""Epics of GitLab groups: by work items in GraphQL, else by the older REST interface.

Epics need GitLab Premium. Free servers answer 403, 404 or an empty list, and then have none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.connections.model import Connection, Slice
from ingest.connections.parsing import slice_of
from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http.client import Client
from ingest.http.pages import GraphQl, Page, Query, pages
from ingest.json_paths import at
from ingest.providers.gitlab.access import NEXT, graphql_address, project_path
from ingest.providers.gitlab.items import epic_id, epic_item, work_item, work_item_id

PROBE = '{ __type(name: "WorkItem") { name } }'
WORK_ITEMS = """
query Epics($group: ID!, $first: Int!, $after: String) {
  group(fullPath: $group) {
    workItems(types: [EPIC], includeDescendants: true, sort: CREATED_ASC, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        iid title state createdAt updatedAt closedAt webUrl
        author { username }
        namespace { id fullPath }
        widgets {
          ... on WorkItemWidgetHierarchy { parent { iid namespace { id } } }
          ... on WorkItemWidgetStartAndDueDate { startDate dueDate }
          ... on WorkItemWidgetLabels { labels { nodes { title } } }
          ... on WorkItemWidgetAssignees { assignees { nodes { username name } } }
        }
      }
    }
  }
}
"""
EPICS = GraphQl(("group", "workItems"), sizes=("first",))
PAGE, PAGE_OF_WORK_ITEMS = 100, 50
"""A larger page of work items exceeds GitLab's limit of complexity."""
NOTE = "GitLab shows no epics of {group}: they need GitLab Premium, and a token that sees the group."
ABSENT = frozenset({Refusal.FORBIDDEN, Refusal.NOT_FOUND, Refusal.PLAN_REQUIRED, Refusal.GONE})


def read_epics(client: Client, connection: Connection, group: str) -> Iterator[Slice]:
    """The epics of a group and its subgroups; a note where the plan or the token has none."""
    if _knows_work_items(client, connection):
        try:
            yield from _work_items(client, connection, group)
            return
        except ProviderRefused as error:
            # Servers in between have the type and no list of a group, or show it only to some.
            if error.refusal not in ABSENT | {Refusal.INVALID}:
                raise
    params = {"state": "all", "order_by": "created_at", "sort": "asc", "per_page": PAGE}
    try:
        for page in pages(client, Query(f"groups/{project_path(group)}/epics", params), NEXT):
            yield slice_of(page.rows, epic_item, epic_id, None)
    except ProviderRefused as error:
        if error.refusal not in ABSENT:
            raise
        yield Slice([], None, notes={group: NOTE.format(group=group)})


def _knows_work_items(client: Client, connection: Connection) -> bool:
    try:
        answer = client.query(graphql_address(connection), {"query": PROBE, "variables": {}})
    except ProviderRefused as error:
        if error.refusal not in ABSENT | {Refusal.INVALID, Refusal.BAD_ADDRESS}:
            raise
        return False
    return bool(at(answer.body, ("data", "__type", "name")) == "WorkItem")


def _work_items(client: Client, connection: Connection, group: str) -> Iterator[Slice]:
    variables = {"group": group, "first": PAGE_OF_WORK_ITEMS, "after": None}
    first = Query(graphql_address(connection), {}, {"query": WORK_ITEMS, "variables": variables})
    for page in pages(client, first, EPICS):
        _require_whole(page, group)
        yield slice_of(page.rows, work_item, work_item_id, None)


def _require_whole(page: Page, group: str) -> None:
    """An answer with errors beside its data lacks rows: it must not pass for a complete list."""
    if errors := at(page.answer.body, ("errors",)):
        said = at(errors, (0, "message"))
        raise Transient(
            f"GitLab lists the epics of {group} only in part ({str(said)[:200]}): try again later."
        )
