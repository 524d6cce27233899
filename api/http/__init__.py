"""Shared parts of all routes: errors, parameters, shapes, paging, responses, middleware and the OpenAPI document."""
