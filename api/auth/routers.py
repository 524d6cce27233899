"""Routers of `/auth`. Apart from the package itself, which whoever checks a caller imports."""

from api.auth import accounts, invitations, passwords, sessions
from api.auth import mailed_links as pages

ROUTERS = (accounts.router, sessions.router, passwords.router, invitations.router, pages.router)
