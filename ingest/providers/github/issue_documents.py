"""GraphQL documents of GitHub Issues.

GitHub counts a point for about 100 connections of a query, so each issue has few of them: fields of a project are
asked for by name. Enterprise Servers lack newer fields, so the documents name only those that a server has.
"""

from __future__ import annotations

from collections.abc import Set

PAGE, IDS_PAGE, LOOKUP = 50, 100, 50
FIRST = {"labels": 20, "closedByPullRequestsReferences": 10, "projectItems": 10, "timelineItems": 30}
INFO = "pageInfo { hasNextPage endCursor }"
PROBE = """query Probe {
  issue: __type(name: "Issue") { fields { name } }
  project: __type(name: "ProjectV2") { fields { name } }
}"""
FIELD = """
  status: fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
  target: fieldValueByName(name: "Target date") { ... on ProjectV2ItemFieldDateValue { date } }
  due: fieldValueByName(name: "Due date") { ... on ProjectV2ItemFieldDateValue { date } }
  start: fieldValueByName(name: "Start date") { ... on ProjectV2ItemFieldDateValue { date } }
  estimate: fieldValueByName(name: "Estimate") { ... on ProjectV2ItemFieldNumberValue { number } }
  points: fieldValueByName(name: "Story Points") { ... on ProjectV2ItemFieldNumberValue { number } }
"""
NESTED = {
    "labels": "name",
    "closedByPullRequestsReferences": "url",
    "projectItems": f"isArchived project {{ id title closed }} {FIELD}",
    "timelineItems": """
      __typename
      ... on ClosedEvent { createdAt stateReason actor { login } }
      ... on ReopenedEvent { createdAt actor { login } }
    """,
}
ARGUMENTS = {"timelineItems": ", itemTypes: [CLOSED_EVENT, REOPENED_EVENT]"}


def lookup(count: int) -> str:
    """The document of several repositories by owner and name, which follows renames, with their newest changes."""
    variables = ", ".join(f"$o{n}: String!, $n{n}: String!" for n in range(count))
    newest = "(first: 1, orderBy: {field: UPDATED_AT, direction: DESC}) { totalCount nodes { updatedAt } }"
    fields = " ".join(
        f"r{n}: repository(owner: $o{n}, name: $n{n}) {{ databaseId nameWithOwner hasIssuesEnabled owner {{ login }}"
        f" issues{newest} milestones{newest} }}"
        for n in range(count)
    )
    return f"query Lookup({variables}) {{ {fields} }}"


def issues(known: Set[str], *, with_projects: bool) -> str:
    """The document of a page of issues, with the fields that the server knows."""
    nested = [name for name in FIRST if name in known and (with_projects or name != "projectItems")]
    kind = "issueType { name }" if "issueType" in known else ""
    projects = "projectItems(first: 5) { nodes { project { id } } }" if "projectItems" in nested else ""
    parent = f"parent {{ id milestone {{ id }} {kind} {projects} }}" if "parent" in known else ""
    return _document(
        "Issues",
        "$first: Int!, $after: String, $since: DateTime",
        f"""issues(first: $first, after: $after, filterBy: {{since: $since}},
          orderBy: {{field: UPDATED_AT, direction: ASC}}) {{
          {INFO}
          nodes {{
            id number title url state stateReason createdAt updatedAt closedAt
            author {{ login }} assignees(first: 5) {{ nodes {{ login name }} }} milestone {{ id }}
            {kind} {parent} {" ".join(_connection(name, f"first: {FIRST[name]}") for name in nested)}
          }}
        }}""",
    )


def milestones() -> str:
    """The document of a page of milestones."""
    return _document(
        "Milestones",
        "$first: Int!, $after: String",
        f"""milestones(first: $first, after: $after) {{ {INFO} nodes {{
          id number title description url state dueOn createdAt updatedAt closedAt progressPercentage
          creator {{ login }}
        }} }}""",
    )


def issue_ids() -> str:
    """The document of a page of ids."""
    return _document(
        "Ids",
        "$first: Int!, $after: String",
        f"issues(first: $first, after: $after) {{ {INFO} nodes {{ id }} }}",
    )


def projects(known: Set[str]) -> str:
    """The document of a page of an owner's projects."""
    updates = "statusUpdates(first: 1, orderBy: {field: CREATED_AT, direction: DESC})"
    update = f"{updates} {{ nodes {{ status startDate targetDate }} }}" if "statusUpdates" in known else ""
    return f"""query Projects($owner: String!, $first: Int!, $after: String) {{
      repositoryOwner(login: $owner) {{ ... on ProjectV2Owner {{ projectsV2(first: $first, after: $after) {{
        {INFO}
        nodes {{
          id number title shortDescription url closed template createdAt updatedAt closedAt creator {{ login }}
          {update}
        }}
      }} }} }}
    }}"""


def nested(name: str) -> str:
    """The document of one nested connection of one issue, from a cursor."""
    return f"""query Nested($id: ID!, $after: String) {{
      node(id: $id) {{ ... on Issue {{ {_connection(name, "first: 100, after: $after")} }} }}
    }}"""


def _connection(name: str, arguments: str) -> str:
    return f"{name}({arguments}{ARGUMENTS.get(name, '')}) {{ {INFO} nodes {{ {NESTED[name]} }} }}"


def _document(name: str, variables: str, fields: str) -> str:
    return (
        f"query {name}($owner: String!, $name: String!, {variables})"
        f" {{ repository(owner: $owner, name: $name) {{ {fields} }} }}"
    )
