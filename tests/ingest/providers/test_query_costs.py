"""The costs of documents, by the providers' published rules."""

from collections.abc import Iterator

import graphql
import pytest

from ingest.providers.github import issue_documents as github_documents
from ingest.providers.linear import documents as linear_documents
from tests.ingest.providers.github.tracker_server import SDL

LINEAR_MOST = 10_000
GITHUB_POINTS_OF_A_PAGE = 5
"""5,000 points an hour: 100,000 issues, 50 a page, have to fit into two of them."""


def fields(node: graphql.Node) -> Iterator[graphql.FieldNode]:
    """The fields of a selection, also those below fragments."""
    for one in getattr(getattr(node, "selection_set", None), "selections", ()):
        if isinstance(one, graphql.FieldNode):
            yield one
        else:
            yield from fields(one)


def first(field: graphql.FieldNode, page: int) -> int | None:
    """The `first` of a connection; None for another field."""
    for argument in field.arguments:
        if argument.name.value == "first":
            return int(argument.value.value) if isinstance(argument.value, graphql.IntValueNode) else page
    return None


def linear_points(node: graphql.Node, page: int) -> float:
    """An object costs 1, a property 0.1, a connection its `first` times its nodes."""
    total = 0.0
    for field in fields(node):
        times = first(field, page)
        if field.selection_set is None:
            total += 0.1
        elif times is None:
            total += 1 + linear_points(field, page)
        else:
            nodes = next(one for one in fields(field) if one.name.value == "nodes")
            total += times * (1 + linear_points(nodes, page))
    return total


def github_requests(node: graphql.Node, page: int, times: int = 1) -> int:
    """Each connection counts as often as its parents have nodes; a hundred of them are a point."""
    total = 0
    for field in fields(node):
        size = first(field, page)
        total += times if size is not None else 0
        total += github_requests(field, page, times * (size or 1))
    return total


@pytest.mark.parametrize(
    ("noun", "document"),
    [
        ("issues", linear_documents.ISSUES),
        ("projects", linear_documents.PROJECTS),
        ("initiatives", linear_documents.INITIATIVES),
    ],
)
def test_a_page_of_linear_stays_below_the_most_that_a_query_may_cost(noun: str, document: str) -> None:
    page = linear_documents.PAGES[noun]
    points = linear_points(graphql.parse(document).definitions[0], page)
    assert page < points < LINEAR_MOST


def test_a_page_of_github_issues_costs_few_points() -> None:
    known = frozenset(graphql.build_schema(SDL).type_map["Issue"].fields)  # type: ignore[attr-defined]  # an object
    document = graphql.parse(github_documents.issues(known, with_projects=True)).definitions[0]
    points = github_requests(document, github_documents.PAGE) / 100
    assert 1 < points <= GITHUB_POINTS_OF_A_PAGE
