"""Routers of `/api/v1`, one module per resource."""

from api.v1 import capex, commits, developers, metrics, movements, organizations, repositories

ROUTERS = (
    organizations.router,
    repositories.router,
    developers.router,
    commits.router,
    metrics.router,
    movements.router,
    capex.router,
)
