"""A schema is read back from the TypeScript types that were made of it."""

import graphql
import pytest

from tests.official_schemas.typescript import sdl_of

TYPES = """type Maybe<T> = T | null;
type InputMaybe<T> = Maybe<T>;
/** All built-in and custom scalars. */
type Scalars = {
  ID: any;
  String: any;
  Boolean: any;
  Int: any;
  Float: any;
  DateTime: any;
};
/** A node. */
type Node = {
  /** Its id. */
  id: Scalars["ID"];
};
type Issue = Node & {
  __typename?: "Issue";
  comments: Array<Comment>;
  dueOn?: Maybe<Scalars["DateTime"]>;
  id: Scalars["ID"];
  labels: Array<Scalars["String"]>;
  state?: Maybe<State>;
  subject?: Maybe<Subject>;
};
type IssueCommentsArgs = {
  filter?: InputMaybe<CommentFilter>;
  first?: InputMaybe<Scalars["Int"]>;
};
type Comment = {
  __typename?: "Comment";
  text: Scalars["String"];
};
type CommentFilter = {
  ids?: InputMaybe<Array<Scalars["ID"]>>;
};
type Subject = Comment | Issue;
declare enum State {
  /** Not done. */
  InProgress = "in_progress",
  Done = "done",
}
type IssueFragment = { __typename: "Issue" };
"""
EXPECTED = """
scalar DateTime
enum State { in_progress done }
union Subject = Comment | Issue
interface Node { id: ID! }
type Issue implements Node {
  comments(filter: CommentFilter, first: Int): [Comment!]!
  dueOn: DateTime
  id: ID!
  labels: [String!]!
  state: State
  subject: Subject
}
type Comment { text: String! }
input CommentFilter { ids: [ID!] }
"""


def printed(sdl: str) -> str:
    schema = graphql.lexicographic_sort_schema(graphql.build_schema(sdl))
    return graphql.print_schema(schema)


def test_types_fields_arguments_enumerations_and_unions_are_read() -> None:
    assert printed(sdl_of(TYPES)) == printed(EXPECTED)


def test_a_type_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="this type is not known"):
        sdl_of(TYPES.replace("text: Scalars", "text: Partial<Scalars"))
