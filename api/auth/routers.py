"""The routers of `/auth`."""

from api.auth import (
    accounts,
    identity_providers,
    invitations,
    password_pages,
    passwords,
    sessions,
    sign_in_pages,
    unsubscribe_pages,
)
from api.auth import mailed_links as pages

ROUTERS = (
    accounts.router,
    sessions.router,
    passwords.router,
    invitations.router,
    identity_providers.router,
    sign_in_pages.router,
    password_pages.router,
    pages.router,
    unsubscribe_pages.router,
)
