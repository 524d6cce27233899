"""Routers of `/api/v1`, one module per resource."""

from api.v1 import capex, commits, developers, metrics, organizations, repositories

ROUTERS = (
    organizations.router,
    repositories.router,
    developers.router,
    commits.router,
    metrics.router,
    capex.router,
)
