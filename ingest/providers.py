"""Every provider, by kind. A new provider is its module and one line here."""

from __future__ import annotations

from ingest.connections.model import Connection, GitHost, Provider, Tracker
from ingest.errors import Permanent
from ingest.hosts.azure_devops import AzureDevOps
from ingest.hosts.bitbucket_cloud import BitbucketCloud
from ingest.hosts.bitbucket_data_center import BitbucketDataCenter
from ingest.hosts.gitea import Gitea
from ingest.hosts.github import GitHub
from ingest.hosts.gitlab import GitLab
from ingest.http import Client
from ingest.reach import Reach
from ingest.trackers.asana import Asana
from ingest.trackers.azure_boards import AzureBoards
from ingest.trackers.github_issues import GitHubIssues
from ingest.trackers.gitlab_issues import GitLabIssues
from ingest.trackers.jira_cloud import JiraCloud
from ingest.trackers.jira_data_center import JiraDataCenter
from ingest.trackers.linear import Linear

PROVIDERS: tuple[Provider, ...] = (
    Asana(),
    AzureBoards(),
    AzureDevOps(),
    BitbucketCloud(),
    BitbucketDataCenter(),
    Gitea(),
    GitHub(),
    GitHubIssues(),
    GitLab(),
    GitLabIssues(),
    JiraCloud(),
    JiraDataCenter(),
    Linear(),
)
BY_KIND = {one.kind: one for one in PROVIDERS}


def provider(kind: str) -> Provider:
    """The provider of a kind. Raises Permanent for an unknown one."""
    try:
        return BY_KIND[kind]
    except KeyError:
        raise Permanent(f"{kind} is no kind of connection; one of {', '.join(BY_KIND)}") from None


def client_of(connection: Connection, reach: Reach | None = None) -> Client:
    """A client with the login of a connection."""
    of_kind = provider(connection.kind)
    return Client(of_kind.login(connection), of_kind.rate_limits, reach=reach)


__all__ = ["BY_KIND", "PROVIDERS", "GitHost", "Tracker", "client_of", "provider"]
