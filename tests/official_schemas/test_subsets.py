"""The schemas that invented servers have are parts of the official ones."""

import graphql
import pytest

from tests.ingest.trackers import github_repositories, linear_workspace
from tests.ingest.trackers.graphql_server import subset
from tests.official_schemas.graphql_schemas import official

SUBSETS = {"github": github_repositories.SDL, "linear": linear_workspace.SDL}
# The connector asks first whether the host has types of issues; the official schema does not list them.
UNLISTED = {"github": {"IssueType", "Issue.issueType"}, "linear": set[str]()}


@pytest.mark.parametrize("name", SUBSETS)
def test_every_field_of_a_subset_stands_in_the_official_schema_with_its_type(name: str) -> None:
    whole = official(name)
    departures = []
    for type_name, part in subset(SUBSETS[name]).type_map.items():
        found = whole.type_map.get(type_name)
        if found is None:
            departures.append(type_name)
        elif isinstance(part, graphql.GraphQLEnumType):
            assert isinstance(found, graphql.GraphQLEnumType)
            departures += [f"{type_name}.{value}" for value in part.values if value not in found.values]
        elif (
            isinstance(part, graphql.GraphQLObjectType | graphql.GraphQLInterfaceType)
            and type_name[:2] != "__"
        ):
            departures += [f"{type_name}.{field}" for field in departing_fields(part, found)]
    assert set(departures) == UNLISTED[name]


def departing_fields(part: graphql.GraphQLNamedType, whole: graphql.GraphQLNamedType) -> list[str]:
    """Fields of another type, and those with arguments that the whole does not take."""
    owners = graphql.GraphQLObjectType | graphql.GraphQLInterfaceType
    assert isinstance(part, owners)
    assert isinstance(whole, owners)
    return [
        name
        for name, field in part.fields.items()
        if (found := whole.fields.get(name)) is None
        or graphql.get_named_type(found.type).name != graphql.get_named_type(field.type).name
        or not field.args.keys() <= found.args.keys()
    ]
