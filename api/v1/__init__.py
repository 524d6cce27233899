"""Routers of `/api/v1`, one module per resource."""

from api.v1 import (
    audit_entries,
    capex,
    commits,
    developers,
    invitations,
    members,
    metrics,
    movements,
    operations,
    organizations,
    repositories,
    settings,
    team_memberships,
    teams,
    tokens,
)

ROUTERS = (
    organizations.router,
    settings.router,
    repositories.router,
    developers.router,
    teams.router,
    team_memberships.router,
    commits.router,
    metrics.router,
    movements.router,
    capex.router,
    members.router,
    invitations.router,
    tokens.router,
    operations.router,
    audit_entries.router,
)
