"""Invented repositories of GitHub with issues, milestones and Projects, which a server of documents answers from."""

from __future__ import annotations

import email.utils
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import graphql
import httpx

from tests.ingest.providers.graphql_server import GraphQlServer, Node

SDL = """
scalar DateTime
scalar Date
scalar URI
enum IssueState { OPEN CLOSED }
enum IssueStateReason { COMPLETED NOT_PLANNED REOPENED DUPLICATE }
enum MilestoneState { OPEN CLOSED }
enum IssueTimelineItemsItemType { CLOSED_EVENT REOPENED_EVENT }
enum IssueOrderField { UPDATED_AT CREATED_AT }
enum MilestoneOrderField { UPDATED_AT CREATED_AT DUE_DATE NUMBER }
enum OrderDirection { ASC DESC }
enum ProjectV2StatusUpdateStatus { INACTIVE ON_TRACK AT_RISK OFF_TRACK COMPLETE }
enum ProjectV2StatusUpdateOrderField { CREATED_AT }
input IssueFilters { since: DateTime }
input IssueOrder { field: IssueOrderField! direction: OrderDirection! }
input MilestoneOrder { field: MilestoneOrderField! direction: OrderDirection! }
input ProjectV2StatusOrder { field: ProjectV2StatusUpdateOrderField! direction: OrderDirection! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
interface Node { id: ID! }
interface Actor { login: String! }
interface RepositoryOwner { login: String! }
interface ProjectV2Owner { projectsV2(first: Int after: String): ProjectV2Connection! }
type User implements Actor { login: String! name: String }
type Organization implements RepositoryOwner & ProjectV2Owner {
  login: String! projectsV2(first: Int after: String): ProjectV2Connection!
}
type Label { id: ID! name: String! }
type IssueType { name: String! }
type PullRequest { id: ID! url: URI! }
type ClosedEvent { id: ID! createdAt: DateTime! stateReason: IssueStateReason actor: Actor }
type ReopenedEvent { id: ID! createdAt: DateTime! actor: Actor }
union IssueTimelineItems = ClosedEvent | ReopenedEvent
type ProjectV2ItemFieldSingleSelectValue { name: String }
type ProjectV2ItemFieldDateValue { date: Date }
type ProjectV2ItemFieldNumberValue { number: Float }
union ProjectV2ItemFieldValue =
  ProjectV2ItemFieldSingleSelectValue | ProjectV2ItemFieldDateValue | ProjectV2ItemFieldNumberValue
type ProjectV2StatusUpdate { status: ProjectV2StatusUpdateStatus startDate: Date targetDate: Date }
type ProjectV2 {
  id: ID! number: Int! title: String! shortDescription: String url: URI! closed: Boolean! template: Boolean!
  createdAt: DateTime! updatedAt: DateTime! closedAt: DateTime creator: Actor
  statusUpdates(first: Int orderBy: ProjectV2StatusOrder): ProjectV2StatusUpdateConnection!
}
type ProjectV2Item {
  id: ID! isArchived: Boolean! project: ProjectV2! fieldValueByName(name: String!): ProjectV2ItemFieldValue
}
type Milestone {
  id: ID! number: Int! title: String! description: String url: URI! state: MilestoneState! dueOn: DateTime
  createdAt: DateTime! updatedAt: DateTime! closedAt: DateTime progressPercentage: Float! creator: Actor
}
type Issue implements Node {
  id: ID! number: Int! title: String! url: URI! state: IssueState! stateReason: IssueStateReason
  createdAt: DateTime! updatedAt: DateTime! closedAt: DateTime author: Actor milestone: Milestone parent: Issue
  issueType: IssueType
  assignees(first: Int): UserConnection!
  labels(first: Int after: String): LabelConnection
  closedByPullRequestsReferences(first: Int after: String): PullRequestConnection
  projectItems(first: Int after: String): ProjectV2ItemConnection!
  timelineItems(first: Int after: String itemTypes: [IssueTimelineItemsItemType!]): IssueTimelineItemsConnection!
}
type UserConnection { nodes: [User] pageInfo: PageInfo! }
type LabelConnection { nodes: [Label] pageInfo: PageInfo! }
type PullRequestConnection { nodes: [PullRequest] pageInfo: PageInfo! }
type ProjectV2ItemConnection { nodes: [ProjectV2Item] pageInfo: PageInfo! }
type ProjectV2StatusUpdateConnection { nodes: [ProjectV2StatusUpdate] pageInfo: PageInfo! }
type IssueTimelineItemsConnection { nodes: [IssueTimelineItems] pageInfo: PageInfo! }
type IssueConnection { totalCount: Int! nodes: [Issue] pageInfo: PageInfo! }
type MilestoneConnection { totalCount: Int! nodes: [Milestone] pageInfo: PageInfo! }
type ProjectV2Connection { nodes: [ProjectV2] pageInfo: PageInfo! }
type Repository {
  databaseId: Int nameWithOwner: String! hasIssuesEnabled: Boolean! owner: RepositoryOwner!
  issues(first: Int after: String filterBy: IssueFilters orderBy: IssueOrder): IssueConnection!
  milestones(first: Int after: String orderBy: MilestoneOrder): MilestoneConnection
}
type Query {
  repository(owner: String! name: String!): Repository
  repositoryOwner(login: String!): RepositoryOwner
  node(id: ID!): Node
}
"""
START = datetime(2026, 1, 1, tzinfo=UTC)
ANN = {"__typename": "User", "login": "ann", "name": "Ann Archer"}
BOB = {"__typename": "User", "login": "bob"}


def at(hours: int) -> str:
    """A time so many hours after the start."""
    return (START + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


class GitHubServer:
    """Repositories by `owner/name` in lower case, issues by id. Call it with a request."""

    def __init__(self, schema: graphql.GraphQLSchema) -> None:
        self.has_types = "issueType" in schema.type_map["Issue"].fields  # type: ignore[attr-defined]  # an object
        self.repositories: dict[str, Node] = {}
        self.issues: dict[str, Node] = {}
        self.milestones: dict[str, Node] = {}
        self.projects: dict[str, list[Node]] = {}
        self.pages = 0
        self.before_page: Callable[[int], None] = lambda _number: None
        self.rest: list[httpx.Request] = []
        self.now = at(5_000)
        self.graphql = GraphQlServer(
            schema,
            {
                "repository": self._repository,
                "repositoryOwner": lambda **given: {
                    "__typename": "Organization",
                    "login": given["login"],
                    "projectsV2": self.projects.get(given["login"], []),
                },
                "node": lambda **given: {"__typename": "Issue", **self.issues[given["id"]]},
            },
            most=100,
        )

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        answer.headers["Date"] = email.utils.format_datetime(datetime.fromisoformat(self.now), usegmt=True)
        return answer

    def _answered(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("graphql"):
            return self.graphql(request)
        self.rest.append(request)
        return self._rest(request)

    def repository(self, name: str, number: int, *, has_issues: bool = True) -> Node:
        """Add a repository."""
        owner = name.partition("/")[0]
        self.repositories[name.lower()] = one = {
            "databaseId": number,
            "nameWithOwner": name,
            "hasIssuesEnabled": has_issues,
            "owner": {"__typename": "Organization", "login": owner},
            "issues": lambda **given: self._issues(number, given),
            "milestones": lambda **_: [m for m in self.milestones.values() if m["repository"] == number],
        }
        return one

    def issue(self, number: int, repository: int = 1, **fields: Any) -> Node:
        """Add an issue, changed so many hours after the start as its number says."""
        kind = fields.pop("type", None)
        self.issues[f"I{repository}_{number}"] = one = {
            "id": f"I{repository}_{number}",
            "repository": repository,
            "number": number,
            "title": f"Issue {number}",
            "url": f"https://github.com/acme/r{repository}/issues/{number}",
            "state": "OPEN",
            "createdAt": at(0),
            "updatedAt": at(number),
            "author": ANN,
            "issueType": {"name": kind} if kind else None,
            **fields,
        }
        return one

    def milestone(self, number: int, repository: int = 1, **fields: Any) -> Node:
        """Add a milestone."""
        self.milestones[f"M{repository}_{number}"] = one = {
            "id": f"M{repository}_{number}",
            "repository": repository,
            "number": number,
            "title": f"Milestone {number}",
            "url": f"https://github.com/acme/r{repository}/milestone/{number}",
            "state": "OPEN",
            "progressPercentage": 0.0,
            "createdAt": at(0),
            "updatedAt": at(1),
            **fields,
        }
        return one

    def project(self, number: int, owner: str = "acme", **fields: Any) -> Node:
        """Add a Project."""
        one = {
            "id": f"P{number}",
            "number": number,
            "title": f"Project {number}",
            "url": f"https://github.com/orgs/acme/projects/{number}",
            "closed": False,
            "template": False,
            "createdAt": at(0),
            "updatedAt": at(1),
            **fields,
        }
        self.projects.setdefault(owner, []).append(one)
        return one

    def _repository(self, **given: Any) -> Node:
        name = f"{given['owner']}/{given['name']}".lower()
        if name not in self.repositories:
            raise graphql.GraphQLError("Could not resolve to a Repository", extensions={"type": "NOT_FOUND"})
        return self.repositories[name]

    def _issues(self, repository: int, given: Node) -> list[Node]:
        order = given.get("orderBy") or {}
        is_newest_first = order.get("direction") == "DESC"
        if not is_newest_first:
            self.before_page(self.pages)
            self.pages += 1
        since = (given.get("filterBy") or {}).get("since")
        found = [
            one
            for one in self.issues.values()
            if one["repository"] == repository and (since is None or str(one.get("updatedAt")) >= since)
        ]
        is_by_change = order.get("field") == "UPDATED_AT"
        return sorted(
            found,
            key=lambda one: str(one.get("updatedAt")) if is_by_change else str(one["number"]),
            reverse=is_newest_first,
        )

    def _rest(self, request: httpx.Request) -> httpx.Response:
        """The list of issues with a type, which leads over pages of two."""
        if not request.url.path.endswith("/issues"):
            return httpx.Response(200, json={"login": "ann"})
        params = dict(request.url.params)
        assert (params["state"], params["type"]) == ("all", "*")
        typed = [
            {"number": one["number"], "type": one["issueType"]}
            for one in self.issues.values()
            if one["issueType"]
        ]
        page = int(params.get("page", "1"))
        more = request.url.copy_merge_params({"page": str(page + 1)})
        headers = {"link": f'<{more}>; rel="next"'} if page * 2 < len(typed) else {}
        return httpx.Response(200, json=typed[page * 2 - 2 : page * 2], headers=headers)


def board(project: Node, **values: Any) -> Node:
    """An item of a Project with values of its fields by name."""

    def value(**given: Any) -> Node | None:
        found = values.get(given["name"].replace(" ", "_").lower())
        if isinstance(found, float):
            return {"__typename": "ProjectV2ItemFieldNumberValue", "number": found}
        is_date = isinstance(found, str) and found[:4].isdecimal()
        kind, name = ("DateValue", "date") if is_date else ("SingleSelectValue", "name")
        return {"__typename": f"ProjectV2ItemField{kind}", name: found} if found else None

    return {
        "id": f"item of {project['id']}",
        "isArchived": False,
        "project": project,
        "fieldValueByName": value,
    }
