"""The report on payloads: rows, unread fields, and files without a connector."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.providers.registry import PROVIDERS
from ingest.schemas.hosts import GIT_HOST
from tests.connectors.payloads.report import main, walk
from tests.connectors.payloads.shapes import SHAPES

ISSUE = {
    "id": "1",
    "key": "ABC-1",
    "self": "https://jira.example/1",
    "fields": {
        "summary": "Pay",
        "created": "2026-10-01T12:00:00.000+0000",
        "votes": {"votes": 3},
        "empty": None,
    },
}


def store(folder: Path, **files: Any) -> None:
    for name, payload in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".json").write_text(json.dumps(payload))


def test_each_file_has_its_rows_and_the_fields_that_nobody_reads(tmp_path: Path) -> None:
    store(tmp_path, jira__search={"issues": [ISSUE, ISSUE], "total": 2})
    (report,) = walk(tmp_path)
    assert report.made == {"item": 2}
    assert report.failures == []
    assert report.trace.unread == ["issues[].fields.votes.votes", "issues[].self", "total"]


def test_a_file_is_read_by_the_connector_of_its_folder_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(
        tmp_path,
        jira__search={"issues": [ISSUE]},
        other__search={"issues": [ISSUE]},
        jira__boards={"values": []},
    )
    assert main([str(tmp_path)]) == 0
    shown, _, apart = capsys.readouterr().out.partition("without a connector:")
    assert "jira/search.json: 1 × item" in shown
    assert "jira/boards.json" in apart
    assert "other/search.json" in apart


def test_a_row_that_a_parser_refuses_fails_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(tmp_path, jira__search={"issues": [{**ISSUE, "fields": {"summary": "without a time"}}]})
    assert main([str(tmp_path)]) == 1
    assert "FAILED item: KeyError 'created'" in capsys.readouterr().out


def test_rows_in_answers_that_a_recording_wraps_are_found(tmp_path: Path) -> None:
    repository = {
        "id": 1,
        "name": "shop",
        "full_name": "acme/shop",
        "owner": {"login": "acme"},
        "clone_url": "u",
    }
    listed = [{"path": "/", "response": "text"}, {"path": "/repos", "response": [repository, repository]}]
    commit = {"commitId": "0123", "author": {"name": "Ann"}, "comment": "Pay"}
    store(tmp_path, github_octokit__recorded=listed)
    store(tmp_path, azure_devops__example={"responses": {"200": {"body": {"count": 1, "value": [commit]}}}})
    azure, github = walk(tmp_path)
    assert (github.made, azure.made) == ({"repository": 2}, {"source commit": 1})
    assert azure.trace.unread == ["responses.200.body.count"]


def test_rows_of_a_similar_shape_are_left_to_others(tmp_path: Path) -> None:
    fields = {"System.WorkItemType": "Bug", "System.Title": "Pay"}
    change = {"id": 1, "rev": 2, "workItemId": 7, "fields": {"System.Rev": {"oldValue": 1, "newValue": 2}}}
    value = [{"id": 7, "rev": 2, "fields": fields}, change]
    store(tmp_path / "azure-workitems-source", answer={"value": value})
    (report,) = walk(tmp_path)
    assert (report.made, report.failures) == ({"item": 1}, [])


@pytest.mark.parametrize("kind", sorted(one.kind for one in PROVIDERS if one.category is GIT_HOST))
def test_every_host_with_payloads_has_shapes(kind: str) -> None:
    """Nobody publishes answers of Gitea."""
    folders = {
        "GITHUB": "github",
        "GITLAB": "gitlab",
        "BITBUCKET_CLOUD": "bitbucket",
        "AZURE_DEVOPS": "azure_devops",
        "BITBUCKET_DATA_CENTER": "bitbucket-server",
    }
    made = {shape.makes for shape in SHAPES if shape.folder == folders.get(kind)}
    assert {"repository", "pull request"} <= made or kind == "GITEA"


def test_histories_and_lists_of_a_query_have_rows(tmp_path: Path) -> None:
    when = "2026-10-01T12:00:00Z"
    note = {"body": "approved this merge request", "system": True, "noteable_type": "MergeRequest"}
    steps = [{"field": "status", "from": "1", "fromString": "Open", "to": "2", "toString": "Done"}]
    issue = {"id": "1", "identifier": "WEB-1", "title": "Pay", "createdAt": when, "updatedAt": when}
    activity = {
        "id": 9,
        "action": "APPROVED",
        "createdDate": 1,
        "user": {"name": "ann", "emailAddress": "a@b"},
    }
    store(tmp_path, gitlab__notes=[note | {"created_at": when}])
    store(tmp_path, jira__changelog={"values": [{"id": "1", "created": when, "items": steps}]})
    store(tmp_path, linear__issues={"data": {"issues": {"nodes": [issue]}}})
    store(tmp_path / "bitbucket-server-source", activities={"values": [activity]})
    reports = walk(tmp_path)
    assert [report.made for report in reports] == [
        {"entry of an activity": 1}, {"note": 1}, {"entry of a changelog": 1}, {"item": 1}
    ]  # fmt: skip
    assert reports[0].trace.unread == ["values[].id", "values[].user.emailAddress"]


def test_a_folder_of_a_collector_is_named_after_its_provider(tmp_path: Path) -> None:
    store(tmp_path / "jira-source" / "files", search=ISSUE)
    (report,) = walk(tmp_path)
    assert report.made == {"item": 1}


def test_reports_and_seats_of_ai_tools_have_rows(tmp_path: Path) -> None:
    person = {
        "date": "2026-10-01T00:00:00Z",
        "actor": {"email_address": "ann@example.com"},
        "core_metrics": {"num_sessions": 2},
        "model_breakdown": [{"model": "claude-opus-5", "tokens": {"input": 1, "output": 2}}],
    }
    seat = {
        "assignee": {"login": "ann", "id": 1},
        "plan_type": "business",
        "created_at": "2026-01-01T00:00:00Z",
    }
    event = {"timestamp": "1750979225854", "model": "claude-opus-5", "userEmail": "ann@example.com"}
    store(tmp_path / "claude-source", report={"data": [person]})
    store(tmp_path / "github-source", seats={"total_seats": 1, "seats": [seat]})
    store(tmp_path / "cursor-source", events={"usageEvents": [event], "pagination": {"hasNextPage": False}})
    reports = {report.path: (report.made, report.failures) for report in walk(tmp_path)}
    assert reports == {
        "claude-source/report.json": ({"usage": 1}, []),
        "cursor-source/events.json": ({"usage": 1}, []),
        "github-source/seats.json": ({"seat": 1}, []),
    }
