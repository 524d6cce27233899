"""Every kind of connection with an invented server, small enough that a run over it can break at each request.

Add a provider by one case. Its `make` starts a server with several pages of main rows that have details; its `change`
edits one main row (`edited` is the column and its new value) and adds another, later than all others, of `rows_of_one`
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import httpx

from ingest.connections import news
from ingest.connections.ai_tools.days import Kept
from ingest.connections.model import Connection, Provider, WantedRepository
from ingest.http.pages import Offset, Seek
from ingest.providers.anthropic import claude_code
from ingest.providers.anthropic import organization as anthropic
from ingest.providers.anthropic.claude_code import ClaudeCode
from ingest.providers.anthropic.organization import Anthropic
from ingest.providers.asana import tracker as asana
from ingest.providers.asana.tracker import Asana
from ingest.providers.azure import changes as azure_changes
from ingest.providers.azure import host as azure_devops
from ingest.providers.azure import tracker as azure_boards
from ingest.providers.azure.host import AzureDevOps
from ingest.providers.azure.tracker import AzureBoards
from ingest.providers.bitbucket.cloud import BitbucketCloud
from ingest.providers.bitbucket.data_center import BitbucketDataCenter
from ingest.providers.cursor import tool as cursor
from ingest.providers.cursor.tool import Cursor
from ingest.providers.gitea.host import Gitea
from ingest.providers.github import copilot as github_copilot
from ingest.providers.github import issue_documents as github_documents
from ingest.providers.github import pull_requests as github_pull_requests
from ingest.providers.github.copilot import GitHubCopilot
from ingest.providers.github.host import GitHub
from ingest.providers.github.tracker import GitHubIssues
from ingest.providers.gitlab import merge_requests as gitlab_merge_requests
from ingest.providers.gitlab import tracker as gitlab_issues
from ingest.providers.gitlab.host import GitLab
from ingest.providers.gitlab.tracker import GitLabIssues
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from ingest.providers.linear import documents as linear_documents
from ingest.providers.linear.tracker import Linear
from ingest.providers.litellm import proxy as litellm
from ingest.providers.litellm.proxy import LiteLlm
from ingest.providers.openai import organization as openai
from ingest.providers.openai.organization import OpenAi
from ingest.providers.windsurf import tool as windsurf
from ingest.providers.windsurf.tool import Windsurf
from tests.ingest.connections.running import TOKEN, Handler, connection_to
from tests.ingest.providers.ai_tools import reports as ai_reports
from tests.ingest.providers.ai_tools.copilot_server import CopilotServer
from tests.ingest.providers.ai_tools.copilot_server import copilot as copilot_row
from tests.ingest.providers.ai_tools.reports import Reports
from tests.ingest.providers.ai_tools.windsurf_server import WindsurfServer
from tests.ingest.providers.ai_tools.windsurf_server import windsurf as windsurf_row
from tests.ingest.providers.asana import workspace as asana_workspace
from tests.ingest.providers.azure import host_server as azure_server
from tests.ingest.providers.azure import tracker_server as azure_boards_server
from tests.ingest.providers.bitbucket import cloud_server as bitbucket_cloud_server
from tests.ingest.providers.bitbucket import data_center_server as bitbucket_server
from tests.ingest.providers.gitea import server as gitea_server
from tests.ingest.providers.github import host_server as github_server
from tests.ingest.providers.github import tracker_server as github_repositories
from tests.ingest.providers.gitlab import host_server as gitlab_server
from tests.ingest.providers.gitlab import tracker_server as fake_gitlab
from tests.ingest.providers.graphql_server import subset
from tests.ingest.providers.jira import server as fake_jira
from tests.ingest.providers.linear import workspace as linear_workspace
from tests.ingest.providers.runs import at as october

ROWS = 5


@dataclass(frozen=True)
class Case:
    """`main` is a part of the path or document of requests for main rows. `patches` are sizes of pages.

    With `counts_rows` the next page starts after as many rows as came, so that a server which repeats rows would hide
    others; such servers page by offset and repeat none.
    """

    provider: Provider
    address: str
    main: str
    make: Callable[[], Any]
    change: Callable[[Any], None]
    origin: str | None = None
    user: str = ""
    patches: Sequence[tuple[Any, str, Any]] = ()
    counts_rows: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    edited: tuple[str, Any] = ("title", "Renamed")
    rows_of_one: int = 1
    has_pages: bool = True

    @property
    def table(self) -> str:
        return self.provider.category.main_table

    @property
    def connection(self) -> Connection:
        return connection_to(self.provider, self.address, user=self.user, **self.options)

    def is_main(self, request: httpx.Request) -> bool:
        return self.main in f"{request.url} {request.content.decode()}"

    @property
    def wanted(self) -> list[WantedRepository]:
        return [WantedRepository("wanted", self.origin)] if self.origin else []


def _reported(server: type[Reports], row: Callable[[str], dict[str, Any]]) -> Callable[[], Handler]:
    """A vendor with three people on each of the last days."""

    def make() -> Handler:
        made = server(TOKEN)
        for back in range(ROWS + 1):
            made.days[_today() - timedelta(days=back)] = [row(f"p{n}@example.com") for n in range(3)]
        return made

    return make


def _changed(
    edited: Callable[[str], dict[str, Any]], added: Callable[[str], dict[str, Any]], back: int = 0
) -> Callable[[Any], None]:
    """Restate what a vendor said of a person yesterday, and add a person on a day: today, or so many days back."""

    def change(server: Reports) -> None:
        server.days[_today() - timedelta(days=1)][0] = edited("p0@example.com")
        server.days[_today() - timedelta(days=back)].append(added("new@example.com"))

    return change


def _today() -> date:
    return datetime.now(UTC).date()


def _claude(email: str, sessions: int = 1) -> dict[str, Any]:
    return ai_reports.person(email, "claude-opus-5", sessions=sessions)


def _asana() -> Handler:
    server = asana_workspace.AsanaServer()
    server.goal(1)
    server.project(1)
    for number in range(1, ROWS + 1):
        server.task(number, "p1")
    server.task(9, parent="k1")
    return server


def _change_asana(server: asana_workspace.AsanaServer) -> None:
    server.tasks["k2"] |= {"name": "Renamed", "modified_at": asana_workspace.at(40)}
    server.task(41, "p1")


def _boards() -> Handler:
    server = azure_boards_server.AzureBoards(page_size=2)
    for number in range(1, ROWS + 1):
        server.change(number, number)
    server.change(1, 6, "Active")
    return server


def _change_boards(server: azure_boards_server.AzureBoards) -> None:
    server.change(2, 20, "Closed", Title="Renamed")
    server.change(9, 21)


def _azure() -> Handler:
    return azure_server.AzureDevOps(
        pulls=[azure_server.pull(n) for n in range(1, ROWS + 1)],
        threads={n: [azure_server.vote(9, 10)] for n in range(1, ROWS + 1)},
        commits={1: [azure_server.commit(1)]},
    )


def _change_azure(server: azure_server.AzureDevOps) -> None:
    server.pulls[1] |= {"title": "Renamed", "status": "completed", "closedDate": azure_server.at(20)}
    server.pulls.append(azure_server.pull(21))


def _bitbucket_cloud() -> Handler:
    cloud = bitbucket_cloud_server
    approval = {"approval": {"date": cloud.at(9), "user": cloud.user("bob")}}
    return cloud.BitbucketCloud(
        pulls=[cloud.pull(n) for n in range(1, ROWS + 1)],
        activities={n: [approval] for n in range(1, ROWS + 1)},
        commits={1: [cloud.commit(2), cloud.commit(1)]},
        page_size=2,
    )


def _change_bitbucket_cloud(server: bitbucket_cloud_server.BitbucketCloud) -> None:
    server.pulls[1] |= {"title": "Renamed", "updated_on": bitbucket_cloud_server.at(20)}
    server.pulls.append(bitbucket_cloud_server.pull(21))


def _bitbucket() -> Handler:
    return bitbucket_server.BitbucketServer(
        pulls=[bitbucket_server.pull(n) for n in range(1, ROWS + 1)],
        activities={n: [bitbucket_server.activity("APPROVED", 9)] for n in range(1, ROWS + 1)},
        commits={1: [bitbucket_server.commit(2), bitbucket_server.commit(1)]},
        page_size=2,
    )


def _change_bitbucket(server: bitbucket_server.BitbucketServer) -> None:
    server.pulls[1] |= {"title": "Renamed", "updatedDate": bitbucket_server.at(20)}
    server.pulls.append(bitbucket_server.pull(21))


def _gitea() -> Handler:
    return gitea_server.GiteaServer(
        pulls=[gitea_server.pull(n) for n in range(1, ROWS + 1)],
        commits={1: [gitea_server.commit(2), gitea_server.commit(1)]},
        reviews={2: [gitea_server.review("APPROVED", 9)]},
        page_size=2,
    )


def _change_gitea(server: gitea_server.GiteaServer) -> None:
    server.pulls[1] |= {"title": "Renamed", "updated_at": gitea_server.at(20)}
    server.pulls.append(gitea_server.pull(21))


def _github() -> Handler:
    server = github_server.GitHubServer()
    server.pulls["shop"] = [
        github_server.pull(n, reviews=[github_server.review("APPROVED", 9)]) for n in range(1, ROWS + 1)
    ]
    server.pulls["shop"][0]["commits"] = [github_server.commit(f"{n:040x}") for n in range(6)]
    return server


def _change_github(server: github_server.GitHubServer) -> None:
    server.pulls["shop"][1] |= {"title": "Renamed", "updatedAt": github_server.at(20)}
    server.pulls["shop"].append(github_server.pull(21))


def _github_issues() -> Handler:
    server = github_repositories.GitHubServer(subset(github_repositories.SDL))
    server.repository("acme/shop", 1)
    server.project(1)
    server.milestone(1)
    for number in range(1, ROWS + 1):
        server.issue(number)
    return server


def _change_github_issues(server: github_repositories.GitHubServer) -> None:
    server.issues["I1_2"] |= {"title": "Renamed", "updatedAt": github_repositories.at(40)}
    server.issue(41)


def _gitlab() -> Handler:
    return gitlab_server.GitLabServer(
        merge_requests=[gitlab_server.merge_request(n) for n in range(1, ROWS + 1)],
        notes={n: [gitlab_server.note(gitlab_server.at(9), "approved this merge request")] for n in (1, 2)},
        commits={1: [gitlab_server.commit(2), gitlab_server.commit(1)]},
    )


def _change_gitlab(server: gitlab_server.GitLabServer) -> None:
    server.merge_requests[1] |= {"title": "Renamed", "updated_at": gitlab_server.at(20)}
    server.merge_requests.append(gitlab_server.merge_request(21))


def _gitlab_issues() -> Handler:
    shop = fake_gitlab.project(1, "acme/shop")
    return fake_gitlab.FakeGitLab(
        [shop],
        [fake_gitlab.issue(n, at=october(n), of=shop) for n in range(1, ROWS + 1)],
        work_items=[fake_gitlab.work_item(1, group=(70, "acme"), at=october(1))],
    )


def _change_gitlab_issues(server: fake_gitlab.FakeGitLab) -> None:
    server.issues[1] |= {"title": "Renamed", "updated_at": fake_gitlab.spelled(october(20))}
    server.issues.append(fake_gitlab.issue(21, at=october(21), of=server.projects[0]))


def _jira(page: int) -> Callable[[], Handler]:
    def make() -> Handler:
        server = fake_jira.FakeJira.of(*(fake_jira.issue(n, at=october(n)) for n in range(1, 9)), page=page)
        server.log(1, october(2), status=("1", "2"))
        return server

    return make


def _change_jira(server: fake_jira.FakeJira) -> None:
    server.edit(2, october(20), summary="Renamed")
    added = fake_jira.issue(21, at=october(21))
    server.issues[added["id"]] = added


def _linear() -> Handler:
    workspace = linear_workspace.Workspace(subset(linear_workspace.SDL))
    workspace.initiative(1)
    workspace.project(1)
    for number in range(1, ROWS + 1):
        workspace.issue(number)
    workspace.server.workspace = workspace  # type: ignore[attr-defined]  # for `_change_linear`
    return workspace.server


def _change_linear(server: Any) -> None:
    server.workspace.issues["i2"] |= {"title": "Renamed", "updatedAt": linear_workspace.at(40)}
    server.workspace.issue(41)


SHORT = Kept(days=ROWS, restated=3)
ASKS = (news, "MIN_ASKED", 1)
"""The question for the changes in many repositories is asked for one, too."""
LINEAR_PAGES = {"initiatives": 2, "projects": 2, "issues": 2}
CASES = (
    Case(Asana(), "https://app.asana.com", "/tasks", _asana, _change_asana, patches=[(asana, "PAGE", 2)]),
    Case(
        Anthropic(), "https://api.anthropic.com", "/analytics/usage",
        _reported(ai_reports.AnthropicServer, ai_reports.analytics),
        _changed(partial(ai_reports.analytics, tokens=9), ai_reports.analytics),
        edited=("input_tokens", 9), rows_of_one=3,
        patches=[(anthropic, "KEPT", SHORT), (anthropic, "OF_PEOPLE", SHORT)],
    ),
    Case(
        ClaudeCode(), "https://api.anthropic.com", "/claude_code", _reported(ai_reports.ClaudeCodeServer, _claude),
        _changed(partial(_claude, sessions=9), ai_reports.person), edited=("sessions", 9),
        patches=[(claude_code, "KEPT", SHORT)],
    ),
    Case(
        Cursor(), "https://api.cursor.com", "/filtered-usage-events",
        _reported(ai_reports.CursorServer, ai_reports.cursor),
        _changed(partial(ai_reports.cursor, charged=9), ai_reports.cursor), edited=("amount_nano", 90_000_000),
        rows_of_one=2,
        patches=[(cursor, "KEPT", SHORT), (cursor, "PAGE", ai_reports.PAGE)],
    ),
    Case(
        GitHubCopilot(), "https://github.com", "/copilot/billing/seats", _reported(CopilotServer, copilot_row),
        _changed(partial(copilot_row, used=9), copilot_row, back=1), edited=("amount_nano", 90_000_000),
        options={"organization": "acme"}, patches=[(github_copilot, "KEPT", replace(SHORT, late=1))],
    ),
    Case(
        LiteLlm(), "https://litellm.example", "/spend/logs", _reported(ai_reports.LiteLlmServer, ai_reports.litellm),
        _changed(partial(ai_reports.litellm, completion=9), ai_reports.litellm), edited=("output_tokens", 9),
        patches=[(litellm, "KEPT", SHORT), (litellm, "PAGE", ai_reports.PAGE)],
    ),
    Case(
        OpenAi(), "https://api.openai.com/v1", "/usage/completions",
        _reported(ai_reports.OpenAiServer, ai_reports.openai),
        _changed(partial(ai_reports.openai, tokens=509), ai_reports.openai), edited=("input_tokens", 9), rows_of_one=2,
        patches=[(openai, "KEPT", SHORT)],
    ),
    Case(
        Windsurf(), "https://server.codeium.com/api/v1", "/CascadeAnalytics", _reported(WindsurfServer, windsurf_row),
        _changed(partial(windsurf_row, suggested=9), windsurf_row), edited=("lines_suggested", 9), rows_of_one=3,
        patches=[(windsurf, "KEPT", replace(SHORT, at_once=3))], counts_rows=True, has_pages=False,
    ),
    Case(
        AzureBoards(), "https://dev.azure.com/acme", "workitemrevisions", _boards, _change_boards,
        patches=[(azure_boards, "BATCH", 2)],
    ),
    Case(
        AzureDevOps(), "https://dev.azure.com/acme", "_apis/git/pullrequests", _azure, _change_azure,
        "dev.azure.com/acme/Web Shop/_git/shop", counts_rows=True,
        patches=[
            (azure_devops, "PAGE", 2), (azure_devops, "LIST", Offset(("value",), "$skip", 2)),
            (azure_changes, "PAGE", 2), (azure_changes, "LIST", Offset(("value",), "$skip", 2, 1)),
            (azure_changes, "MIN_IN_PROJECT", 1), ASKS,
        ],
    ),
    Case(
        BitbucketCloud(), "https://bitbucket.org", "/pullrequests?", _bitbucket_cloud, _change_bitbucket_cloud,
        "bitbucket.org/acme/shop", user=bitbucket_cloud_server.EMAIL,
    ),
    Case(
        BitbucketDataCenter(), "https://git.example.com/bitbucket", "/pull-requests?", _bitbucket, _change_bitbucket,
        "git.example.com:7999/shop/web",
    ),
    Case(
        Gitea(), gitea_server.ADDRESS, "/issues?", _gitea, _change_gitea, "git.example.com/acme/shop",
        patches=[ASKS],
    ),
    Case(
        GitHub(), "https://github.com", "query PullRequests", _github, _change_github, "github.com/acme/shop",
        patches=[(github_pull_requests, "SIZE", 2), (github_pull_requests, "INNER", 4)],
    ),
    Case(
        GitHubIssues(), "https://github.com", "query Issues", _github_issues, _change_github_issues,
        "github.com/acme/shop", patches=[(github_documents, "PAGE", 2)],
    ),
    Case(
        GitLab(), gitlab_server.ADDRESS, "/merge_requests?", _gitlab, _change_gitlab,
        "git.example.com/tools/acme/shop", patches=[(gitlab_merge_requests, "PAGE", 2), ASKS],
    ),
    Case(
        GitLabIssues(), fake_gitlab.ADDRESS, "/issues?", _gitlab_issues, _change_gitlab_issues,
        "gitlab.example/tools/acme/shop",
        patches=[
            (gitlab_issues, "PAGE", 2), (gitlab_issues, "ISSUES", Seek((), ("created_at",), "created_after", 2)), ASKS,
        ],
    ),
    Case(
        JiraCloud(), "https://acme.atlassian.net", "/search/jql", _jira(3), _change_jira, user="ann@example.com"
    ),
    Case(JiraDataCenter(), "https://jira.example", "/search?", _jira(7), _change_jira, counts_rows=True),
    Case(
        Linear(), "https://api.linear.app", "{ issues(", _linear, _change_linear,
        patches=[(linear_documents, "PAGES", LINEAR_PAGES)],
    ),
)  # fmt: skip
NAMES = [case.provider.kind.lower() for case in CASES]
