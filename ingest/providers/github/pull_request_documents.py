"""GraphQL documents for pull requests of GitHub, for its cloud and for Enterprise Server.

Keep out: the meaning of answers (`pull_requests`). Fields that need scopes beyond `repo`, such as those of
teams, are left out: one of them refuses the whole document.
"""

from __future__ import annotations

_USER = "__typename login"
_NAMED = f"{_USER} ... on User {{ name }}"
_REVIEWER = "__typename ... on User { login } ... on Bot { login } ... on Mannequin { login }"
_TIMELINE = {
    "READY_FOR_REVIEW_EVENT": "ReadyForReviewEvent",
    "CONVERT_TO_DRAFT_EVENT": "ConvertToDraftEvent",
    "REVIEW_REQUESTED_EVENT": "ReviewRequestedEvent",
    "REVIEW_DISMISSED_EVENT": "ReviewDismissedEvent",
    "CLOSED_EVENT": "ClosedEvent",
    "REOPENED_EVENT": "ReopenedEvent",
    "MERGED_EVENT": "MergedEvent",
    "ISSUE_COMMENT": "IssueComment",
}
_MORE_OF_EVENT = {
    "ReviewRequestedEvent": f"requestedReviewer {{ {_REVIEWER} }}",
    "ReviewDismissedEvent": "previousReviewState review { id }",
    "MergedEvent": "commit { oid }",
    "IssueComment": "authorAssociation body",
}


def _event(name: str) -> str:
    actor = "author" if name == "IssueComment" else "actor"
    return f"... on {name} {{ createdAt {actor} {{ {_USER} }} {_MORE_OF_EVENT.get(name, '')} }}"


# Lists within a pull request: the size of their first page, further arguments, and fields of a node.
_LISTS: dict[str, tuple[str, str, str]] = {
    "reviews": ("$inner", "", f"id state submittedAt author {{ {_USER} }} commit {{ oid }}"),
    "commits": (
        "$inner",
        "",
        "commit { oid authoredDate committedDate message author { name email user { login } } }",
    ),
    "timelineItems": (
        "$inner",
        f", itemTypes: [{', '.join(_TIMELINE)}]",
        "__typename " + " ".join(_event(name) for name in _TIMELINE.values()),
    ),
    "closingIssuesReferences": ("10", "", "number repository { nameWithOwner }"),
    "labels": ("20", "", "name"),
    "reviewRequests": ("20", "", f"requestedReviewer {{ {_REVIEWER} }}"),
}
LISTS = tuple(_LISTS)


def _list(name: str, size: str, after: str = "") -> str:
    _, arguments, fields = _LISTS[name]
    counted = "totalCount " if name == "commits" else ""
    return (
        f"{name}(first: {size}{after}{arguments}) {{ {counted}pageInfo {{ hasNextPage endCursor }}"
        f" nodes {{ {fields} }} }}"
    )


PULL_REQUESTS = f"""
query PullRequests($owner: String!, $name: String!, $size: Int!, $inner: Int!, $after: String, $order: IssueOrder!) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(first: $size, after: $after, orderBy: $order) {{
      pageInfo {{ hasNextPage endCursor }}
      nodes {{
        id number title body url state isDraft createdAt publishedAt updatedAt mergedAt closedAt
        author {{ {_NAMED} }} mergedBy {{ {_USER} }}
        baseRefName headRefName headRefOid isCrossRepository headRepository {{ nameWithOwner }}
        additions deletions changedFiles totalCommentsCount
        mergeCommit {{ oid authoredDate committedDate parents(first: 2) {{ totalCount nodes {{ oid }} }} }}
        {" ".join(_list(name, size) for name, (size, _, _) in _LISTS.items())}
      }}
    }}
  }}
}}"""

NUMBERS = """
query Numbers($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor }
      nodes { number }
    }
  }
}"""


def newest_changes(count: int) -> str:
    """The document for the newest change among the pull requests of several repositories, by owner and name."""
    variables = ", ".join(f"$o{place}: String!, $n{place}: String!" for place in range(count))
    fields = " ".join(
        f"r{place}: repository(owner: $o{place}, name: $n{place}) {{ pullRequests(first: 1, orderBy:"
        " {field: UPDATED_AT, direction: DESC}) { totalCount nodes { number updatedAt } } }"
        for place in range(count)
    )
    return f"query Newest({variables}) {{ {fields} }}"


REST_OF: dict[str, str] = {
    name: f"""
query Rest($id: ID!, $inner: Int!, $after: String) {{
  node(id: $id) {{ ... on PullRequest {{ {_list(name, "$inner", ", after: $after")} }} }}
}}"""
    for name in _LISTS
}
"""By name of a list: the document for its further pages."""
