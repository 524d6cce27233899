"""The routers of `/auth`."""

from api.auth import accounts, invitations, passwords, sessions
from api.auth import mailed_links as pages

ROUTERS = (accounts.router, sessions.router, passwords.router, invitations.router, pages.router)
