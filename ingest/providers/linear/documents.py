"""GraphQL documents of Linear, and the sizes of their pages.

A query may cost 10,000 points: an object 1, a field 0.1, a connection its `first` times its nodes.
"""

from __future__ import annotations

PAGES = {"initiatives": 100, "projects": 50, "issues": 50}
"""Rows of a page. An issue with its nested connections costs 107 points."""
IDS_PAGE = 250
"""The most that Linear gives."""

PERSON = "{ id name email }"
NESTED = {
    ("issue", "labels"): "name",
    ("issue", "attachments"): "url sourceType metadata",
    ("issue", "stateHistory"): "startedAt endedAt state { name type }",
    ("project", "teams"): "id key name",
    ("project", "initiatives"): "id",
    ("project", "labels"): "name",
}
FIRST = {"labels": 20, "attachments": 10, "stateHistory": 25, "teams": 10, "initiatives": 10}


def _connection(kind: str, name: str) -> str:
    return f"{name}(first: {FIRST[name]}) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {NESTED[kind, name]} }} }}"


def nested(kind: str, name: str) -> str:
    """The document of one nested connection of one entity, from a cursor."""
    return (
        f"query Nested($id: String!, $after: String) {{ {kind}(id: $id) {{"
        f" {name}(first: 100, after: $after) {{ pageInfo {{ hasNextPage endCursor }}"
        f" nodes {{ {NESTED[kind, name]} }} }} }} }}"
    )


def _list(name: str, filter_type: str, fields: str) -> str:
    return (
        f"query Read($first: Int!, $after: String, $filter: {filter_type}) {{"
        f" {name}(first: $first, after: $after, filter: $filter, includeArchived: true, orderBy: updatedAt) {{"
        f" pageInfo {{ hasNextPage endCursor }} nodes {{ {' '.join(fields.split())} }} }} }}"
    )


VIEWER = "query Viewer { viewer { id name email } organization { id name urlKey } }"

ISSUES = _list(
    "issues",
    "IssueFilter",
    f"""
    id identifier previousIdentifiers title url branchName estimate priorityLabel dueDate trashed
    createdAt updatedAt startedAt completedAt canceledAt archivedAt
    state {{ id name type }} team {{ id key name }} assignee {PERSON} creator {PERSON}
    parent {{ id project {{ id }} }} project {{ id }} projectMilestone {{ id name }}
    {_connection("issue", "labels")}
    {_connection("issue", "attachments")}
    {_connection("issue", "stateHistory")}
    """,
)
PROJECTS = _list(
    "projects",
    "ProjectFilter",
    f"""
    id name slugId url description progress health trashed
    startDate targetDate targetDateResolution
    createdAt updatedAt startedAt completedAt canceledAt archivedAt
    status {{ id name type }} lead {PERSON} creator {PERSON}
    {_connection("project", "teams")}
    {_connection("project", "initiatives")}
    {_connection("project", "labels")}
    """,
)
INITIATIVES = _list(
    "initiatives",
    "InitiativeFilter",
    f"""
    id name slugId url description status health trashed targetDate targetDateResolution
    createdAt updatedAt startedAt completedAt canceledAt archivedAt
    owner {PERSON} creator {PERSON} parentInitiative {{ id }}
    """,
)
IDS = {
    name: (
        f"query Ids($first: Int!, $after: String) {{ {name}(first: $first, after: $after, includeArchived: true)"
        " { pageInfo { hasNextPage endCursor } nodes { id trashed } } }"
    )
    for name in PAGES
}
