"""Shapes of stored payloads, and the parser of the product that reads each.

Add: one line in `SHAPES` for each file shape of a provider. Keep out: parsers, which are the product's.
"""

from __future__ import annotations

from typing import Any

from ingest.json_paths import at
from ingest.providers.azure.items import Categories, item_of
from ingest.providers.github.items import Repository as GitHubRepository
from ingest.providers.github.items import issue as github_issue
from ingest.providers.gitlab.history import Events
from ingest.providers.gitlab.items import Project, issue_item
from ingest.providers.jira.issues import Site, custom_fields, item, status_categories
from tests.connectors.payloads.ai_tool_shapes import AI_TOOL_SHAPES
from tests.connectors.payloads.history_shapes import HISTORY_SHAPES
from tests.connectors.payloads.host_shapes import HOST_SHAPES
from tests.connectors.payloads.shape import Shape


def _gitlab_hook(hook: Any) -> Any:
    """An issue in a hook has its labels and assignees beside it, and another name for its page."""
    issue, project = hook.get("issue") or hook["object_attributes"], hook["project"]
    beside = {"assignees": hook.get("assignees"), "web_url": issue.get("url")}
    issue.update({name: value for name, value in beside.items() if value})
    of = Project(str(project["id"]), project["path_with_namespace"], project["name"])
    return issue_item(issue, of, Events(), frozenset())


def _jira_issue(one: Any) -> Any:
    return item(one, at(one, ("changelog", "histories")) or [], Site("https://jira.example"))


def _gitlab_issue(one: Any) -> Any:
    return issue_item(one, None, Events(), frozenset())


def _work_item(one: Any) -> Any:
    return item_of(one, [], Categories(lambda _project: []), "https://dev.azure.com/acme")


def _work_item_state(one: Any) -> Any:
    found = Categories(lambda _: [{"name": "Bug", "states": [one]}]).of("p", "Bug", dict.get(one, "name"))
    if found is None:
        raise ValueError("a state without category")
    return found


def _github_issue(one: Any) -> Any:
    """Another query names other fields of an issue; those that it lacks are empty."""
    missing = {"id": str(dict.get(one, "databaseId")), "number": 0, "url": None}
    one.update({name: value for name, value in missing.items() if name not in one})
    home = GitHubRepository("1", "acme", "shop", "r")
    return github_issue(home, {}, lambda found, name: at(found, (name, "nodes")) or [], one)


SHAPES: tuple[Shape, ...] = (
    *HOST_SHAPES,
    *HISTORY_SHAPES,
    *AI_TOOL_SHAPES,
    Shape("azure-workitems", "item", ("value",), frozenset({"id", "rev", "fields"}), _work_item,
          lacks=frozenset({"workItemId"})),
    Shape("azure-workitems", "category of a state", ("value",), frozenset({"name", "color", "category"}),
          _work_item_state),
    Shape("github", "item", ("repository", "issues", "nodes"), frozenset({"title", "state", "createdAt"}),
          _github_issue),
    Shape("jira", "item", ("issues",), frozenset({"id", "key", "fields"}), _jira_issue),
    Shape("jira", "item", (), frozenset({"id", "key", "fields"}), _jira_issue),
    Shape("jira", "role of a field", (), frozenset({"id", "name", "schema"}), lambda one: custom_fields([one])),
    Shape("jira", "category of a status", (), frozenset({"id", "statusCategory"}), lambda it: status_categories([it])),
    Shape("gitlab", "item", (), frozenset({"iid", "time_stats", "_links", "milestone", "assignees", "upvotes"}),
          _gitlab_issue),
    Shape("gitlab", "item", (), frozenset({"object_attributes", "issue"}), _gitlab_hook, "note"),
    Shape("gitlab", "item", (), frozenset({"object_attributes", "project"}), _gitlab_hook, "issue"),
)  # fmt: skip
