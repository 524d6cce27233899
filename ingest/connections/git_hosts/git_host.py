"""A Git host is a provider with more: its login for Git, and the refs of its pull requests."""

from __future__ import annotations

from typing import ClassVar

from ingest.connections.model import Connection, Provider
from ingest.schemas.hosts import GIT_HOST


class GitHost(Provider):
    """A Git host: repositories and pull requests."""

    category = GIT_HOST
    review_refs: ClassVar[str | None] = None
    """Refspec source of the heads of pull requests, such as `refs/pull/*/head`; None if the host has none."""

    def git_login(self, connection: Connection) -> str:
        """The login for Git over HTTPS as `user:secret` or `Bearer secret` (`ingest.git.remote.credentials`)."""
        return f"{connection.user or 'x-access-token'}:{connection.secret}"
