"""Parents of GitLab tasks: the REST interface lists tasks without them.

A work item has the number of its issue, so that `gid://gitlab/WorkItem/12` is the item `issue/12`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.http.pages import GraphQl, Query, pages
from ingest.json_paths import at
from ingest.providers.gitlab.epics import ABSENT

PARENTS = """
query Parents($project: ID!, $iids: [String!], $first: Int!, $after: String) {
  project(fullPath: $project) {
    workItems(iids: $iids, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { iid widgets { ... on WorkItemWidgetHierarchy { parent { id workItemType { name } } } } }
    }
  }
}
"""
WORK_ITEMS = GraphQl(("project", "workItems"), sizes=("first",))
PAGE = 50


def task_parents(client: Client, graphql_address: str, rows: Sequence[Any]) -> dict[str, str]:
    """Ids of parent issues by ids of tasks, of the tasks among issues; empty where a server does not tell."""
    by_project: dict[str, dict[str, str]] = {}
    for row in rows:
        if at(row, ("issue_type",)) == "task" and (full := at(row, ("references", "full"))):
            tasks = by_project.setdefault(str(full).rpartition("#")[0], {})
            tasks[str(at(row, ("iid",)))] = f"issue/{at(row, ('id',))}"
    found: dict[str, str] = {}
    for project, tasks in by_project.items():
        found |= _parents(client, graphql_address, project, tasks)
    return found


def _parents(client: Client, address: str, project: str, tasks: Mapping[str, str]) -> dict[str, str]:
    variables = {"project": project, "iids": sorted(tasks), "first": PAGE, "after": None}
    query = Query(address, {}, {"query": PARENTS, "variables": variables})
    found: dict[str, str] = {}
    try:
        for page in pages(client, query, WORK_ITEMS):
            for node in page.rows:
                task, parent = tasks.get(str(at(node, ("iid",)))), _parent(node)
                if task and parent:
                    found[task] = parent
    except ProviderRefused as error:
        if error.refusal not in ABSENT | {Refusal.INVALID, Refusal.BAD_ADDRESS}:
            raise
    return found


def _parent(node: Any) -> str | None:
    """The parent issue; an epic is known from the REST interface."""
    for widget in at(node, ("widgets",)) or []:
        parent = at(widget, ("parent",))
        if at(parent, ("id",)) and at(parent, ("workItemType", "name")) != "Epic":
            return f"issue/{str(parent['id']).rpartition('/')[2]}"
    return None
