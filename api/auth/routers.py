"""The routers of `/auth`."""

from api.auth import (
    accounts,
    identity_providers,
    invitations,
    passwords,
    sessions,
)

ROUTERS = (
    accounts.router,
    sessions.router,
    passwords.router,
    invitations.router,
    identity_providers.router,
)
