"""Every provider, by kind. A new provider is a folder and one line here."""

from __future__ import annotations

from ingest.connections.model import Checked, Connection, Provider
from ingest.connections.sweeping import MALFORMED, unexpected
from ingest.errors import Permanent, ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.providers.anthropic.claude_code import ClaudeCode
from ingest.providers.anthropic.organization import Anthropic
from ingest.providers.asana.tracker import Asana
from ingest.providers.azure.host import AzureDevOps
from ingest.providers.azure.tracker import AzureBoards
from ingest.providers.bitbucket.cloud import BitbucketCloud
from ingest.providers.bitbucket.data_center import BitbucketDataCenter
from ingest.providers.cursor.tool import Cursor
from ingest.providers.gitea.host import Gitea
from ingest.providers.github.copilot import GitHubCopilot
from ingest.providers.github.host import GitHub
from ingest.providers.github.tracker import GitHubIssues
from ingest.providers.gitlab.host import GitLab
from ingest.providers.gitlab.tracker import GitLabIssues
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from ingest.providers.linear.tracker import Linear
from ingest.providers.litellm.proxy import LiteLlm
from ingest.providers.openai.organization import OpenAi
from ingest.providers.openai_compatible.endpoint import OpenAiCompatible
from ingest.providers.windsurf.tool import Windsurf
from ingest.reach import Reach

PROVIDERS: tuple[Provider, ...] = (
    Anthropic(),
    Asana(),
    AzureBoards(),
    AzureDevOps(),
    BitbucketCloud(),
    BitbucketDataCenter(),
    ClaudeCode(),
    Cursor(),
    Gitea(),
    GitHub(),
    GitHubCopilot(),
    GitHubIssues(),
    GitLab(),
    GitLabIssues(),
    JiraCloud(),
    JiraDataCenter(),
    Linear(),
    LiteLlm(),
    OpenAi(),
    OpenAiCompatible(),
    Windsurf(),
)
BY_KIND = {one.kind: one for one in PROVIDERS}


def provider(kind: str) -> Provider:
    """The provider of a kind. Raises Permanent for an unknown one."""
    try:
        return BY_KIND[kind]
    except KeyError:
        raise Permanent(f"{kind} is no kind of connection; one of {', '.join(BY_KIND)}") from None


def client_of(
    connection: Connection, reach: Reach | None = None, *, answer_seconds: float | None = None
) -> Client:
    """A client with the login of a connection."""
    of_kind = provider(connection.kind)
    return Client(of_kind.login(connection), of_kind.rate_limits, reach=reach, answer_seconds=answer_seconds)


def checked(client: Client, connection: Connection) -> Checked:
    """The check of a connection. Raises ProviderRefused for an answer of an unknown shape, and as `Provider.check`."""
    of_kind = provider(connection.kind)
    try:
        return of_kind.check(client, connection)
    except MALFORMED as error:
        raise ProviderRefused(
            Refusal.BAD_ADDRESS, f"{of_kind.title} answers in an unknown way ({unexpected(error)})."
        ) from error
