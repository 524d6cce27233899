"""The readers of official descriptions, and the schemas that the tests of connectors invent beside them."""

from collections.abc import Iterator

import graphql
import pytest
from graphql.utilities import find_breaking_changes

from tests.ingest.providers.github import tracker_server as github_repositories
from tests.ingest.providers.github.host_server import SCHEMA
from tests.ingest.providers.linear import workspace as linear_workspace
from tests.official_schemas.graphql_schemas import official
from tests.official_schemas.packages import asana_description
from tests.official_schemas.prism import Described, described_by
from tests.official_schemas.typescript import sdl_of

TYPES = """
type Scalars = {
  ID: string;
  String: string;
  Int: number;
  /** A day. */
  Day: any;
};
/** An issue. */
type Issue = Node & {
  __typename?: "Issue";
  due?: Maybe<Scalars["Day"]>;
  id: Scalars["ID"];
  labels: Array<Scalars["String"]>;
  parents?: Maybe<Array<Maybe<Issue>>>;
};
type IssueParentsArgs = {
  first: Scalars["Int"];
  kind?: InputMaybe<Array<Kind>>;
  where?: InputMaybe<Filter>;
};
type Filter = {
  since?: InputMaybe<Scalars["Day"]>;
};
declare enum Kind {
  EpicKind = "epic",
  Plain = "plain",
}
type Node = {
  id: Scalars["ID"];
};
type Either = Issue | Query;
type Query = {
  __typename?: "Query";
  issue: Either;
};
type IssueFragment = {
"""
SDL = """
scalar Day
enum Kind { epic plain }
union Either = Issue | Query
type Issue implements Node {
  due: Day
  id: ID!
  labels: [String!]!
  parents(first: Int!, kind: [Kind!], where: Filter): [Issue]
}
input Filter { since: Day }
interface Node { id: ID! }
type Query { issue: Either! }
"""


def test_declarations_in_typescript_are_read_as_their_schema() -> None:
    read = graphql.lexicographic_sort_schema(graphql.build_schema(sdl_of(TYPES)))
    assert graphql.print_schema(read) == graphql.print_schema(
        graphql.lexicographic_sort_schema(graphql.build_schema(SDL))
    )


@pytest.mark.parametrize("name", ["github", "linear"])
def test_an_official_schema_is_whole(name: str) -> None:
    assert graphql.validate_schema(official(name)) == []


@pytest.mark.parametrize(
    ("name", "sdl", "not_yet"),
    [
        ("linear", linear_workspace.SDL, []),
        ("github", SCHEMA.read_text(), []),
        # GitHub answers types of issues, which the package does not have yet.
        ("github", github_repositories.SDL, ["IssueType was removed.", "Issue.issueType was removed."]),
    ],
    ids=["Linear", "pull requests of GitHub", "issues of GitHub"],
)
def test_an_invented_schema_has_nothing_that_the_official_one_does_not_have(
    name: str, sdl: str, not_yet: list[str]
) -> None:
    found = find_breaking_changes(graphql.build_schema(sdl), official(name))
    assert [one.description for one in found] == not_yet


@pytest.fixture(scope="module")
def asana(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    with described_by(tmp_path_factory.mktemp("asana"), asana_description(), ["/tasks"]) as server:
        yield server


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("opt_fields=name,nmae", "one of the allowed values"),
        ("limit=101", "<= 100"),
        ("offest=1", "offest is no parameter"),
    ],
)
def test_a_request_that_does_not_fit_fails_its_test(asana: Described, query: str, words: str) -> None:
    headers = {"Authorization": "Bearer token"}
    assert asana.get("/tasks", "opt_fields=name&limit=100", headers).is_success
    with pytest.raises(AssertionError, match=words):
        asana.get("/tasks", query, headers)
