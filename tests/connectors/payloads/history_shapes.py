"""Shapes of payloads of Bitbucket Data Center, Asana and Linear, and of histories: notes, events, changelogs.

Keep out: parsers, which are the product's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.connections.git_hosts.records import Repository
from ingest.json_paths import JsonPath
from ingest.providers.asana import items as asana_items
from ingest.providers.bitbucket import data_center_records as data_center
from ingest.providers.gitlab.events import events_of
from ingest.providers.gitlab.items import epic_item
from ingest.providers.jira.issues import Site, item
from ingest.providers.linear import tracker as linear
from tests.connectors.payloads.shape import Shape

HOME = Repository(
    "1", "acme", "shop", "https://git.example/shop.git", None, None, False, False, False, True, None, {}
)
LISTS = ("attachments", "labels", "stateHistory", "teams", "initiatives")


def _repository(one: Any) -> Any:
    return data_center.repository_of(one, None, is_empty=False)


def _pull_request(one: Any) -> Any:
    return data_center.pull_request_of(HOME, "r", one, [], [])


def _activity(entry: Any) -> Any:
    """An activity is read within its pull request."""
    plain = {"id": 1, "state": "OPEN", "createdDate": 1}
    return data_center.pull_request_of(HOME, "r", plain, [entry], []).events


def _jira_change(history: Any) -> Any:
    """An entry of a changelog is read within its issue. Changes of most fields say nothing to the product."""
    plain = {"id": "1", "key": "ABC-1", "fields": {"created": "2020-01-01T00:00:00.000+0000"}}
    return item(plain, [history], Site("https://jira.example")).history


def _asana_task(one: Any) -> Any:
    return asana_items.task({}, {}, lambda _user: {}, one, [])


def _asana_project(one: Any) -> Any:
    return asana_items.project({}, lambda _user: {}, one)


def _linear(parse: linear.Parse, one: Any) -> Any:
    """Another query names other lists; those that it lacks are empty. A client is asked for further pages alone."""
    for name in LISTS:
        if dict.get(dict.get(one, name) or {}, "nodes") is None:
            one[name] = {"nodes": []}
    return parse(None, one)  # type: ignore[arg-type] # no list of a stored payload is asked for further pages


def _of_data_center(place: JsonPath) -> Iterator[Shape]:
    folder = "bitbucket-server"
    yield Shape(folder, "repository", place, frozenset({"slug", "project", "links", "scmId"}), _repository)
    yield Shape(folder, "pull request", place, frozenset({"id", "state", "fromRef", "toRef"}), _pull_request)
    yield Shape(folder, "entry of an activity", place, frozenset({"id", "action", "createdDate"}), _activity)
    commit = frozenset({"id", "displayId", "authorTimestamp"})
    yield Shape(folder, "source commit", place, commit, data_center.commit_of)


def _of_linear(name: str, parse: linear.Parse, fields: set[str]) -> Iterator[Shape]:
    for start in ((), ("data",)):
        yield Shape(
            "linear", "item", (*start, name, "nodes"), frozenset(fields), lambda one: _linear(parse, one)
        )


JIRA_CHANGE = frozenset({"id", "created", "items"})
ASANA = frozenset({"gid", "name", "created_at", "modified_at"})
GITLAB_NOTE = frozenset({"body", "system", "noteable_type", "created_at"})
GITLAB_EPIC = frozenset({"iid", "group_id", "title", "created_at", "updated_at"})
GITLAB_STATE = frozenset({"resource_type", "resource_id", "state", "created_at"})
LINEAR = {"id", "createdAt", "updatedAt"}
HISTORY_SHAPES: tuple[Shape, ...] = (
    *_of_data_center(()),
    *_of_data_center(("values",)),
    Shape("gitlab", "note", (), GITLAB_NOTE, lambda note: events_of({}, [note], [])),
    Shape("gitlab", "event", (), GITLAB_STATE, lambda event: events_of({}, [], [event])),
    Shape("gitlab", "item", (), GITLAB_EPIC, epic_item),
    Shape("jira", "entry of a changelog", (), JIRA_CHANGE, _jira_change),
    Shape("jira", "entry of a changelog", ("values",), JIRA_CHANGE, _jira_change),
    *(Shape("asana", "item", place, ASANA | {"memberships"}, _asana_task) for place in ((), ("data",))),
    *(Shape("asana", "item", place, ASANA | {"archived"}, _asana_project) for place in ((), ("data",))),
    *_of_linear("issues", linear._issue, LINEAR | {"identifier", "title"}),
    *_of_linear("projects", linear._project, LINEAR | {"name"}),
    *_of_linear("initiatives", linear._initiative, LINEAR | {"name"}),
)  # fmt: skip
