"""An invented Linear workspace, which a server of documents answers from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import graphql

from tests.ingest.providers.graphql_server import GraphQlServer, Node

SDL = """
scalar DateTime
scalar DateTimeOrDuration
scalar JSONObject
scalar TimelessDate
enum PaginationOrderBy { createdAt updatedAt }
enum DateResolutionType { month quarter halfYear year }
enum InitiativeStatus { Proposed Planned Active Completed Canceled }
enum ProjectStatusType { backlog planned started paused completed canceled }
enum ProjectUpdateHealthType { onTrack atRisk offTrack }
enum InitiativeUpdateHealthType { onTrack atRisk offTrack }
input DateComparator { gte: DateTimeOrDuration }
input IssueFilter { updatedAt: DateComparator }
input InitiativeFilter { updatedAt: DateComparator }
input InitiativeCollectionFilter { some: InitiativeFilter }
input ProjectFilter { updatedAt: DateComparator or: [ProjectFilter!] initiatives: InitiativeCollectionFilter }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type Organization { id: ID! name: String! urlKey: String! }
type User { id: ID! name: String! email: String! }
type Team { id: ID! key: String! name: String! }
type WorkflowState { id: ID! name: String! type: String! }
type ProjectStatus { id: ID! name: String! type: ProjectStatusType! }
type IssueLabel { id: ID! name: String! }
type ProjectLabel { id: ID! name: String! }
type Attachment { url: String! sourceType: String metadata: JSONObject! }
type IssueStateSpan { id: ID! startedAt: DateTime! endedAt: DateTime state: WorkflowState }
type ProjectMilestone { id: ID! name: String! }
type IssueLabelConnection { nodes: [IssueLabel!]! pageInfo: PageInfo! }
type ProjectLabelConnection { nodes: [ProjectLabel!]! pageInfo: PageInfo! }
type AttachmentConnection { nodes: [Attachment!]! pageInfo: PageInfo! }
type IssueStateSpanConnection { nodes: [IssueStateSpan!]! pageInfo: PageInfo! }
type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }
type Issue {
  id: ID! identifier: String! previousIdentifiers: [String!]! title: String! url: String! branchName: String!
  estimate: Float priorityLabel: String! dueDate: TimelessDate trashed: Boolean createdAt: DateTime!
  updatedAt: DateTime! startedAt: DateTime completedAt: DateTime canceledAt: DateTime archivedAt: DateTime
  state: WorkflowState! team: Team! assignee: User creator: User parent: Issue project: Project
  projectMilestone: ProjectMilestone
  labels(first: Int after: String): IssueLabelConnection!
  attachments(first: Int after: String): AttachmentConnection!
  stateHistory(first: Int after: String): IssueStateSpanConnection!
}
type Project {
  id: ID! name: String! slugId: String! url: String! description: String! progress: Float!
  health: ProjectUpdateHealthType trashed: Boolean startDate: TimelessDate targetDate: TimelessDate
  targetDateResolution: DateResolutionType createdAt: DateTime! updatedAt: DateTime! startedAt: DateTime
  completedAt: DateTime canceledAt: DateTime archivedAt: DateTime status: ProjectStatus! lead: User creator: User
  teams(first: Int after: String): TeamConnection!
  initiatives(first: Int after: String): InitiativeConnection!
  labels(first: Int after: String): ProjectLabelConnection!
}
type Initiative {
  id: ID! name: String! slugId: String! url: String! description: String status: InitiativeStatus!
  health: InitiativeUpdateHealthType trashed: Boolean targetDate: TimelessDate
  targetDateResolution: DateResolutionType createdAt: DateTime! updatedAt: DateTime! startedAt: DateTime
  completedAt: DateTime canceledAt: DateTime archivedAt: DateTime owner: User creator: User
  parentInitiative: Initiative
}
type IssueConnection { nodes: [Issue]! pageInfo: PageInfo! }
type ProjectConnection { nodes: [Project!]! pageInfo: PageInfo! }
type InitiativeConnection { nodes: [Initiative!]! pageInfo: PageInfo! }
type Query {
  viewer: User! organization: Organization! issue(id: String!): Issue! project(id: String!): Project!
  issues(filter: IssueFilter first: Int after: String includeArchived: Boolean orderBy: PaginationOrderBy):
    IssueConnection!
  projects(filter: ProjectFilter first: Int after: String includeArchived: Boolean orderBy: PaginationOrderBy):
    ProjectConnection!
  initiatives(filter: InitiativeFilter first: Int after: String includeArchived: Boolean orderBy: PaginationOrderBy):
    InitiativeConnection!
}
"""
START = datetime(2026, 1, 1, tzinfo=UTC)
ANN = {"id": "u-ann", "name": "Ann Archer", "email": "ann@acme.example"}
TEAM = {"id": "t-api", "key": "API", "name": "Interfaces"}
TODO = {"id": "s1", "name": "Todo", "type": "unstarted"}
DOING = {"id": "s2", "name": "In Review", "type": "started"}
DONE = {"id": "s3", "name": "Done", "type": "completed"}
CANCELED = {"id": "s4", "name": "Won't do", "type": "canceled"}


def at(hours: float) -> str:
    """A time so many hours after the start of the workspace."""
    return (START + timedelta(hours=hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Workspace:
    """Entities by noun and id. `server` answers from them."""

    def __init__(self, schema: graphql.GraphQLSchema) -> None:
        self.issues: dict[str, Node] = {}
        self.projects: dict[str, Node] = {}
        self.initiatives: dict[str, Node] = {}
        self.lists = 0
        self.before_list: Callable[[int], None] = lambda _number: None
        self.server = GraphQlServer(
            schema,
            {
                "viewer": ANN,
                "organization": {"id": "o1", "name": "Acme", "urlKey": "acme"},
                "issue": lambda **given: self.issues[given["id"]],
                "project": lambda **given: self.projects[given["id"]],
                "issues": lambda **given: self._list(self.issues, given),
                "projects": lambda **given: self._list(self.projects, given),
                "initiatives": lambda **given: self._list(self.initiatives, given),
            },
        )

    def issue(self, number: int, **fields: Any) -> Node:
        """Add an issue, changed so many hours after the start as its number says."""
        self.issues[f"i{number}"] = one = {
            "id": f"i{number}",
            "identifier": f"API-{number}",
            "previousIdentifiers": [],
            "title": f"Issue {number}",
            "url": f"https://linear.app/acme/issue/API-{number}",
            "branchName": f"ann/api-{number}",
            "priorityLabel": "High",
            "state": TODO,
            "team": TEAM,
            "createdAt": at(0),
            "updatedAt": at(number),
            **fields,
        }
        return one

    def project(self, number: int, **fields: Any) -> Node:
        """Add a project."""
        self.projects[f"p{number}"] = one = {
            "id": f"p{number}",
            "name": f"Project {number}",
            "slugId": f"s{number}",
            "url": f"https://linear.app/acme/project/s{number}",
            "description": "",
            "progress": 0.5,
            "status": {"id": "ps", "name": "In Progress", "type": "started"},
            "teams": [TEAM],
            "createdAt": at(0),
            "updatedAt": at(number),
            **fields,
        }
        return one

    def initiative(self, number: int, **fields: Any) -> Node:
        """Add an initiative."""
        self.initiatives[f"n{number}"] = one = {
            "id": f"n{number}",
            "name": f"Initiative {number}",
            "slugId": f"x{number}",
            "url": f"https://linear.app/acme/initiative/x{number}",
            "status": "Active",
            "createdAt": at(0),
            "updatedAt": at(number),
            **fields,
        }
        return one

    def _list(self, entities: dict[str, Node], given: Node) -> list[Node]:
        self.before_list(self.lists)
        self.lists += 1
        assert given["includeArchived"] is True, "archived entities are part of history"
        found = [one for one in entities.values() if _matches(one, given.get("filter") or {})]
        return sorted(found, key=lambda one: str(one.get("updatedAt")), reverse=True)


def _matches(one: Node, wanted: Node) -> bool:
    if "or" in wanted:
        return any(_matches(one, each) for each in wanted["or"])
    if "initiatives" in wanted:
        return any(_matches(each, wanted["initiatives"]["some"]) for each in one.get("initiatives", []))
    since = (wanted.get("updatedAt") or {}).get("gte")
    return since is None or datetime.fromisoformat(one["updatedAt"]) >= datetime.fromisoformat(since)
