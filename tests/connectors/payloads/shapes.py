"""Shapes of stored payloads, and the parser of the product that reads each.

Add: one line in `SHAPES` for each file shape of a provider. Keep out: parsers, which are the product's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ingest.pages import Path, at
from ingest.trackers.gitlab_history import Events
from ingest.trackers.gitlab_items import Project, issue_item
from ingest.trackers.jira_issues import Site, custom_fields, item, status_categories


@dataclass(frozen=True)
class Shape:
    """A shape of file: below a folder of that name, with rows at a place that have certain fields.

    `read` makes a record, or whatever the connector makes of such a row; a row of another shape is left to the others.
    `kind` is the value of the field `object_kind` of hooks.
    """

    folder: str
    makes: str
    place: Path
    has: frozenset[str]
    read: Callable[[Any], Any]
    kind: str | None = None

    def rows(self, payload: Any) -> list[Any]:
        """The rows of a payload that have this shape. Looking at them reads nothing."""
        found = payload
        for step in self.place:
            found = dict.get(found, str(step)) if isinstance(found, dict) else None
        listed: Iterable[Any] = list.__iter__(found) if isinstance(found, list) else [found]
        return [row for row in listed if isinstance(row, dict) and self._fits(row)]

    def _fits(self, row: dict[str, Any]) -> bool:
        return self.has <= row.keys() and (self.kind is None or dict.get(row, "object_kind") == self.kind)


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


SHAPES: tuple[Shape, ...] = (
    Shape("jira", "item", ("issues",), frozenset({"id", "key", "fields"}), _jira_issue),
    Shape("jira", "item", (), frozenset({"id", "key", "fields"}), _jira_issue),
    Shape("jira", "role of a field", (), frozenset({"id", "name", "schema"}), lambda one: custom_fields([one])),
    Shape("jira", "category of a status", (), frozenset({"id", "statusCategory"}), lambda it: status_categories([it])),
    Shape("gitlab", "item", (), frozenset({"iid", "time_stats", "_links", "milestone", "assignees", "upvotes"}),
          _gitlab_issue),
    Shape("gitlab", "item", (), frozenset({"object_attributes", "issue"}), _gitlab_hook, "note"),
    Shape("gitlab", "item", (), frozenset({"object_attributes", "project"}), _gitlab_hook, "issue"),
)  # fmt: skip
