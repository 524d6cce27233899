"""GitHub Issues: changes, deletions, kills, refusals, older servers."""

from pathlib import Path
from typing import Any

import graphql
import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, Refusal
from ingest.providers.github.tracker import GitHubIssues
from tests.ingest.providers.github.tracker_server import SDL, GitHubServer, at
from tests.ingest.providers.graphql_server import subset
from tests.ingest.providers.syncing import Synced, rows_after_kills
from tests.official_schemas.graphql_schemas import official
from tests.suite.tiers import some

WANTED = [
    WantedRepository("uuid-api", "github.com/acme/api"),
    WantedRepository("uuid-web", "github.com/Acme/Web"),
]


@pytest.fixture(params=["subset", "official"])
def server(request: pytest.FixtureRequest) -> GitHubServer:
    return served(official("github") if request.param == "official" else subset(SDL))


def served(schema: graphql.GraphQLSchema) -> GitHubServer:
    made = GitHubServer(schema)
    made.repository("acme/api", 1)
    return made


def synced(folder: Path, server: GitHubServer) -> Synced:
    return Synced(folder, GitHubIssues(), server, "https://github.com", repositories=WANTED)


def test_every_page_is_read_and_a_second_run_asks_for_changes_only(
    tmp_path: Path, server: GitHubServer
) -> None:
    server.milestone(1)
    for number in range(1, 131):
        server.issue(number)
    run = synced(tmp_path, server)
    assert run.run().rows == {"items": 131}
    second = run.run()
    # The probe, the lookup, which has the newest changes, and Projects.
    assert (second.rows, second.requests) == ({}, 3)
    server.issues["I1_7"] |= {"title": "Renamed", "updatedAt": at(500)}
    assert run.run().rows == {"items": 1}
    assert run.items()["I1_7"]["title"] == "Renamed"


def test_only_repositories_of_this_host_that_the_token_sees_are_read(
    tmp_path: Path, server: GitHubServer
) -> None:
    server.repository("acme/silent", 3, has_issues=False)
    server.repository("acme/renamed", 4)
    server.repositories["acme/before"] = server.repositories["acme/renamed"]
    server.issue(1)
    server.issue(2, repository=4)
    run = synced(tmp_path, server)
    run.repositories = [
        *WANTED,
        WantedRepository("u3", "github.com/acme/silent"),
        WantedRepository("u4", "github.com/acme/before"),
        WantedRepository("u5", "gitlab.com/acme/api"),
    ]
    report = run.run()
    assert report.is_complete
    assert report.notes == {
        "repositories: github.com/Acme/Web": "github.com/Acme/Web is not readable with this token."
    }
    keys = {one["key"]: one["previous_keys"] for one in run.items().values()}
    assert keys == {"acme/api#1": [], "acme/renamed#2": ["acme/before#2"]}


def test_all_issues_of_a_renamed_repository_get_its_name(tmp_path: Path, server: GitHubServer) -> None:
    """A new name is no change of an issue."""
    for number in range(1, 4):
        server.issue(number)
    run = synced(tmp_path, server)
    run.run()
    server.repositories["acme/api"]["nameWithOwner"] = "acme/interface"
    server.repositories["acme/interface"] = server.repositories["acme/api"]
    assert run.run().deleted == 0
    keys = [(one["key"], one["previous_keys"]) for one in run.items().values()]
    assert sorted(keys) == [(f"acme/interface#{n}", [f"acme/api#{n}"]) for n in range(1, 4)]


def test_a_transferred_or_deleted_issue_goes_with_a_sweep_and_an_empty_answer_removes_none(
    tmp_path: Path, server: GitHubServer
) -> None:
    for number in range(1, 31):
        server.issue(number)
    run = synced(tmp_path, server)
    run.run()
    del server.issues["I1_4"]
    assert run.run().deleted == 0
    assert run.run(days_later=8).deleted == 1
    del server.issues["I1_5"]
    assert run.run(is_full=True).deleted == 1
    assert "I1_4" not in run.items()
    kept = dict(server.issues)
    server.issues.clear()
    assert "Nothing was removed" in run.run(is_full=True).failures["issues/1/acme/api"]
    server.issues |= kept
    server.repositories.clear()
    assert run.run(is_full=True).notes
    assert len(run.items()) == 28


@pytest.mark.parametrize("every", some((11, 8, 9, 13), 1))
def test_runs_that_are_killed_end_with_the_rows_of_an_undisturbed_run(tmp_path: Path, every: int) -> None:
    server = served(subset(SDL))
    server.milestone(1)
    for number in range(1, 171):
        labels = [{"id": f"l{n}", "name": str(n)} for n in range(25 if number % 40 == 0 else 3)]
        server.issue(number, labels=labels, type="Bug" if number < 4 else None)
    assert rows_after_kills(lambda folder: synced(folder, server), tmp_path, every) == 171


def test_issues_that_change_while_they_are_read_are_neither_lost_nor_doubled(
    tmp_path: Path, server: GitHubServer
) -> None:
    """Each change moves an issue of an earlier page to the end of the list."""
    for number in range(1, 171):
        server.issue(number)

    def touch(page: int) -> None:
        if page:
            server.issues[f"I1_{page}"] |= {"title": f"Touched {page}", "updatedAt": at(300 + page)}

    server.before_page = lambda page: touch(page) if page < 6 else None
    run = synced(tmp_path, server)
    run.run()
    assert {key: one["title"] for key, one in run.items().items()} == {
        key: one["title"] for key, one in server.issues.items()
    }


def test_a_server_without_newer_fields_gives_the_rest(tmp_path: Path) -> None:
    """Enterprise Servers are years behind: no types, sub-issues or Projects."""
    sdl = SDL.replace("parent: Issue\n", "\n").replace("  issueType: IssueType\n", "")
    sdl = sdl.replace("  projectItems(first: Int after: String): ProjectV2ItemConnection!\n", "")
    server = GitHubServer(subset(sdl))
    server.repository("acme/api", 1)
    milestone = server.milestone(1)
    server.issue(1, milestone=milestone)
    run = synced(tmp_path, server)
    assert run.run().failures == {}
    assert run.items()["I1_1"]["parent_ids"] == ["M1_1"]


def test_a_token_without_projects_gives_a_note_and_the_issues(tmp_path: Path, server: GitHubServer) -> None:
    server.issue(1)
    scopes = {"type": "INSUFFICIENT_SCOPES", "message": "Your token needs read:project"}
    answer = httpx.Response(200, json={"errors": [scopes]})
    server.graphql.refuses = lambda document, _: (
        answer if any(word in document for word in ("projectsV2", "projectItems")) else None
    )
    run = synced(tmp_path, server)
    report = run.run()
    assert report.is_complete
    assert "read:project" in report.notes["projects/acme: acme"]
    assert list(run.items()) == ["I1_1"]


def test_rows_that_a_token_may_not_read_are_noted_and_malformed_ones_are_counted(tmp_path: Path) -> None:
    server = GitHubServer(subset(SDL))
    server.repository("acme/api", 1)
    server.issue(1)
    broken = {"id": "I1_9", "title": "without the rest"}

    def handle(request: httpx.Request) -> httpx.Response:
        answer = server(request)
        body: dict[str, Any] = answer.json()
        if "projectsV2(" in request.content.decode():
            body["data"]["repositoryOwner"]["projectsV2"]["nodes"] = [None]
            body["errors"] = [{"type": "FORBIDDEN", "message": "Resource not accessible"}]
        elif "filterBy" in request.content.decode():
            body["data"]["repository"]["issues"]["nodes"] += [broken, "text"]
        return httpx.Response(200, json=body)

    run = Synced(tmp_path, GitHubIssues(), handle, "https://github.com", repositories=WANTED[:1])
    report = run.run()
    assert report.notes == {"projects/acme: acme": "The token may not read 1 Projects of acme."}
    assert report.unread == {"issues/1/acme/api": 2}
    assert list(run.items()) == ["I1_1"]


def test_a_check_names_missing_scopes(tmp_path: Path) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"login": "ann"}, headers={"x-oauth-scopes": "gist, project"})

    run = Synced(tmp_path, GitHubIssues(), handle, "https://github.com")
    with run.client() as client:
        checked = run.tracker.check(client, run.connection)
    assert checked.account == "ann"
    assert [warning.partition(":")[0] for warning in checked.warnings] == ["The token lacks the scope repo"]


def test_a_refused_token_ends_the_run(tmp_path: Path) -> None:
    run = Synced(
        tmp_path,
        GitHubIssues(),
        lambda _: httpx.Response(401, json={"message": "Bad credentials"}),
        "https://github.com",
        repositories=WANTED,
    )
    with pytest.raises(ProviderRefused) as caught:
        run.run()
    assert caught.value.refusal is Refusal.UNAUTHORIZED


def test_requests_of_an_enterprise_server_stay_on_it(tmp_path: Path, server: GitHubServer) -> None:
    server.issue(1)
    hosts: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        hosts.append(f"{request.url.host}{request.url.path}")
        return server(request)

    wanted = [WantedRepository("u", "git.acme.example:2222/acme/api")]
    run = Synced(tmp_path, GitHubIssues(), handle, "https://git.acme.example", repositories=wanted)
    run.run()
    assert list(run.items()) == ["I1_1"]
    assert {host for host in hosts if "graphql" in host} == {"git.acme.example/api/graphql"}


def test_a_second_change_at_the_time_of_the_first_one_is_found(tmp_path: Path, server: GitHubServer) -> None:
    """The first run asks within the second of the first change, and the number and newest change stay the same."""
    server.issue(1)
    changed = server.issue(2)
    server.now = changed["updatedAt"]
    run = synced(tmp_path, server)
    run.run()
    changed["title"] = "Renamed"
    server.now = at(3)
    run.run()
    assert run.items()["I1_2"]["title"] == "Renamed"
    server.graphql.documents.clear()
    run.run()
    assert not [document for document in server.graphql.documents if "query Issues" in document]
