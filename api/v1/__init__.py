"""Routers of `/api/v1`, one module per resource."""

from api.v1 import commits, organizations

ROUTERS = (organizations.router, commits.router)
