"""Shapes of payloads of Git hosts. Keep out: parsers, which are the product's.

A stored answer may lack lists that the connector asks for beside it; they are empty here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.connections.values import EPOCH
from ingest.json_paths import JsonPath
from ingest.providers.azure import records as azure_records
from ingest.providers.azure.threads import people_of, read_threads
from ingest.providers.bitbucket import cloud_records as bitbucket_cloud_records
from ingest.providers.bitbucket.activity import read_activity
from ingest.providers.github.host import repository as github_repository
from ingest.providers.github.pull_request_documents import LISTS
from ingest.providers.github.records import pull_request as github_pull_request
from ingest.providers.gitlab import merge_requests as gitlab_merge_requests
from ingest.providers.gitlab.events import events_of
from ingest.providers.gitlab.host import project as gitlab_project
from tests.connectors.payloads.shape import EACH, Shape
from tests.connectors.payloads.traced import TracedDict

GITLAB_DETAILS: dict[str, list[Any]] = {"commits": [], "notes": [], "state_events": [], "closes": []}
AZURE_PLACES: tuple[JsonPath, ...] = tuple(
    ("responses", status, "body", *rest) for status in ("200", "201") for rest in ((), ("value",))
)


def _github_pull_request(one: Any) -> Any:
    """Another query names its lists otherwise; those that it lacks are empty."""
    for name in LISTS:
        if dict.get(dict.get(one, name) or {}, "nodes") is None:
            one[name] = {"nodes": []}
    for name, other in (("number", 0), ("updatedAt", dict.get(one, "createdAt"))):
        if dict.get(one, name) is None:
            one[name] = other
    return github_pull_request("7", "r", one)


def _gitlab_merge_request(one: Any) -> Any:
    return gitlab_merge_requests.merge_request("7", "r", one, GITLAB_DETAILS)


def _gitlab_hook(one: Any) -> Any:
    """A hook has another name for the page."""
    one["web_url"] = dict.get(one, "url") and one["url"]
    return _gitlab_merge_request(one)


def _gitlab_note(hook: Any) -> Any:
    """A hook has another name for the words of a note, and the author beside it."""
    note = hook["object_attributes"]
    note["body"], note["author"] = note["note"], hook["user"]
    made = events_of({}, [note], [])
    if not made:
        raise ValueError("the note is no event")
    return made


def _bitbucket_repository(one: Any) -> Any:
    return bitbucket_cloud_records.repository_of(one)


def _bitbucket_pull_request(one: Any) -> Any:
    home = _bitbucket_repository(
        {"uuid": "{u}", "full_name": "acme/shop", "links": {"clone": []}, "is_private": True}
    )
    merged = (dict.get(one, "merge_commit") or {}).get("hash")
    return bitbucket_cloud_records.pull_request_of(home, "r", one, [], [], merged)


def _bitbucket_activity(entry: Any) -> Any:
    story = read_activity([entry], EPOCH)
    if not story.events and story.ended_at is None and "state" not in dict.get(entry, "update", {}):
        raise ValueError("the entry is no event")
    return story


def _azure_repository(one: Any) -> Any:
    return azure_records.repository_of("acme", one)


def _azure_pull_request(one: Any) -> Any:
    """Some collectors store threads and commits within it; a repository there may lack its address."""
    home = dict.get(one, "repository") or TracedDict({}, one._trace, "")
    plain = {"id": home.get("id"), "name": home.get("name"), "project": home.get("project") or {"name": "p"}}
    repository = _azure_repository(
        {**plain, "remoteUrl": dict.get(home, "remoteUrl") or "https://h/p/_git/r"}
    )
    threads, commits = (dict.get(one, name) or [] for name in ("threads", "commits"))
    return azure_records.pull_request_of(repository, "r", one, threads, commits, [])


def _azure_thread(one: Any) -> Any:
    return read_threads([one], people_of({}, [one]))


def _of_azure(folder: str, places: tuple[JsonPath, ...]) -> Iterator[Shape]:
    for place in places:
        yield Shape(folder, "repository", place, frozenset({"id", "remoteUrl", "project"}), _azure_repository)
        yield Shape(
            folder,
            "pull request",
            place,
            frozenset({"pullRequestId", "creationDate", "status"}),
            _azure_pull_request,
        )
        yield Shape(
            folder, "thread", place, frozenset({"comments", "publishedDate", "isDeleted"}), _azure_thread
        )
        yield Shape(
            folder,
            "source commit",
            place,
            frozenset({"commitId", "author", "comment"}),
            azure_records.commit_of,
        )


GITLAB_HOOK = frozenset({"iid", "source_branch", "state", "created_at"})
GITHUB_REPOSITORY = frozenset({"id", "name", "owner", "clone_url", "full_name"})
HOST_SHAPES: tuple[Shape, ...] = (
    Shape("github", "repository", (), GITHUB_REPOSITORY, github_repository),
    Shape("github_octokit", "repository", (EACH, "response"), GITHUB_REPOSITORY, github_repository),
    Shape("github_octokit", "repository", (EACH, "response", EACH, "repository"), GITHUB_REPOSITORY, github_repository),
    Shape("github", "pull request", ("repository", "pullRequests", "nodes"), frozenset({"createdAt", "title"}),
          _github_pull_request),
    Shape("gitlab", "repository", (), frozenset({"id", "path_with_namespace", "visibility"}), gitlab_project),
    Shape("gitlab", "pull request", (), frozenset({"iid", "source_branch", "created_at", "state", "sha"}),
          _gitlab_merge_request),
    Shape("gitlab", "pull request", ("object_attributes",), GITLAB_HOOK, _gitlab_hook),
    Shape("gitlab", "pull request", ("merge_request",), GITLAB_HOOK, _gitlab_hook),
    Shape("gitlab", "event", (), frozenset({"object_attributes", "merge_request"}), _gitlab_note, "note"),
    Shape("gitlab", "source commit", (), frozenset({"short_id", "author_email", "message"}),
          gitlab_merge_requests.source_commit),
    Shape("gitlab", "source commit", (EACH, "commit"), frozenset({"short_id", "author_email"}),
          gitlab_merge_requests.source_commit),
    Shape("bitbucket", "repository", (), frozenset({"uuid", "full_name", "is_private", "scm"}), _bitbucket_repository),
    Shape("bitbucket", "pull request", (), frozenset({"id", "state", "source", "destination"}),
          _bitbucket_pull_request),
    Shape("bitbucket", "entry of an activity", (), frozenset({"pull_request", "update"}), _bitbucket_activity),
    Shape("bitbucket", "entry of an activity", (), frozenset({"pull_request", "approval"}), _bitbucket_activity),
    Shape("bitbucket", "source commit", (), frozenset({"hash", "author", "message", "parents"}),
          bitbucket_cloud_records.commit_of),
    *_of_azure("azure_devops", AZURE_PLACES),
    *_of_azure("azure-repos", ((), ("value",))),
)  # fmt: skip
