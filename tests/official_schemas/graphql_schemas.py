"""The official GraphQL schemas."""

from __future__ import annotations

from functools import cache

import graphql

from tests.official_schemas.packages import npm_file
from tests.official_schemas.typescript import sdl_of


@cache
def official(name: str) -> graphql.GraphQLSchema:
    """The schema of `github` or `linear`, read once in a process. Skips the test where it cannot be had."""
    if name == "github":
        sdl = npm_file("@octokit/graphql-schema/schema.graphql").read_text()
    else:
        sdl = sdl_of(npm_file("@linear/sdk/dist/index-*.d.mts").read_text())
    return graphql.build_schema(sdl, assume_valid_sdl=True)
