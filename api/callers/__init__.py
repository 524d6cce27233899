"""Declarations of a route about its caller: the required permission, and the rows that the route reads."""
