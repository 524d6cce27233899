"""A host and a tracker on loopback over TLS, connections to them, and runs as the sensor asks for them."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import httpx

from api.control.connections import connections
from api.control.connections.available import named_repositories
from api.control.connections.connections import NewConnection
from api.control.connections.records import ConnectionRecord
from api.control.operations.operations import OperationRecord, operation
from api.control.principals import OPERATOR
from api.control.repositories.repositories import NewRepository, add_repository
from api.control.repositories.settings import Settings as RepositorySettings
from ingest.connections import contents
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.connection_sensors import connections_due
from orchestration.graph.reading_jobs import reading_definitions
from orchestration.reading import syncs
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import CONNECTIONS, REPOSITORIES, key, register
from orchestration.runtime.progress import Progress
from orchestration.state.connections import KnownConnection, known
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.providers.github.host_server import GitHubServer, repository
from tests.ingest.providers.graphql_server import subset
from tests.ingest.providers.linear.workspace import SDL, Workspace

TOKEN, KEY = "ghp_t0kenThatNobodyMaySee0123456789", "lin_api_k3yThatNobodyMaySee0123456789"
Refuse = Callable[[httpx.Request], httpx.Response | None]


@dataclass
class Place:
    """A server of one provider that knows a token. `refuse` answers instead where it wants to."""

    remote: HttpRemote
    answer: Callable[[httpx.Request], httpx.Response]
    authorization: str
    refuse: Refuse = lambda _: None
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.remote.api = self

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        refused = self.refuse(request)
        if refused is not None:
            return refused
        if request.headers.get("authorization") != self.authorization:
            return httpx.Response(401, json={"message": "Bad credentials"})
        return self.answer(request)

    @property
    def address(self) -> str:
        return self.remote.url("").rstrip("/")


@dataclass
class GitHubPlace(Place):
    """An Enterprise Server with the interface and the Git repositories."""

    server: GitHubServer = field(default_factory=GitHubServer)


@dataclass
class LinearPlace(Place):
    """A workspace of Linear."""

    workspace: Workspace = field(default_factory=lambda: Workspace(subset(SDL)))


def github(remote: HttpRemote) -> GitHubPlace:
    """A host whose one repository is `acme/shop`, as Git serves it. Git and its interface accept `TOKEN`."""
    server = GitHubServer()
    server.repositories = [repository(7, "shop", clone_url=remote.url("acme/shop.git"))]
    return GitHubPlace(remote, server, f"Bearer {TOKEN}", server=server)


def linear(remote: HttpRemote) -> LinearPlace:
    """A workspace without items."""
    workspace = Workspace(subset(SDL))
    return LinearPlace(remote, workspace.server, KEY, workspace=workspace)


def served(folder: Any, context: ssl.SSLContext) -> HttpRemote:
    """A server for repositories below a folder, over TLS."""
    return HttpRemote(folder, context=context)


def connect(deployment: Deployment, place: Place, name: str, secret: str | None = None) -> str:
    """Add a connection as the API does after its checks. Returns its id."""
    is_host = isinstance(place, GitHubPlace)
    kind, category = ("GITHUB", "hosts") if is_host else ("LINEAR", "trackers")
    levels = {} if is_host else {"initiative": "objective", "project": "sub_objective", "issue": "issue"}
    wanted = NewConnection(
        kind, category, place.address, name, secret or (TOKEN if is_host else KEY), default_levels=levels
    )
    with deployment.control() as control:
        return connections.add_connection(control, OPERATOR, LOCAL_ORGANIZATION, wanted).id


def add_listed(deployment: Deployment, connection_id: str, provider_id: str = "7") -> str:
    """Add a repository that a connection lists, as the API does. Returns its id."""
    with deployment.control() as control:
        [one] = named_repositories(control, LOCAL_ORGANIZATION, connection_id, [provider_id]).values()
        origin = one.address.partition("://")[2].removesuffix(".git")
        wanted = NewRepository(
            one.repository_id,
            origin,
            one.address,
            RepositorySettings(f"{one.owner}/{one.name}"),
            connection_id=connection_id,
            provider_id=provider_id,
        )
        return add_repository(control, OPERATOR, LOCAL_ORGANIZATION, wanted).id


def record(deployment: Deployment, connection_id: str) -> ConnectionRecord:
    """The connection as the API shows it."""
    with deployment.control() as control:
        return connections.connection(control, LOCAL_ORGANIZATION, connection_id)


def found(deployment: Deployment, connection_id: str) -> KnownConnection:
    return known(deployment, connection_id)


def request_sync(deployment: Deployment, connection_id: str, *, is_full: bool = False) -> str:
    """Ask for a sync. Returns the operation."""
    with deployment.control() as control:
        asked = connections.request_sync(
            control, OPERATOR, LOCAL_ORGANIZATION, connection_id, is_full=is_full
        )
        return asked.id


def operation_record(deployment: Deployment, operation_id: str) -> OperationRecord:
    with deployment.control() as control:
        return operation(control, LOCAL_ORGANIZATION, operation_id)


def tick(instance: dg.DagsterInstance, deployment: Deployment) -> list[dg.RunRequest]:
    """The runs that the sensor requests now."""
    context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
    requests = connections_due(context) or ()
    assert isinstance(requests, Iterable)
    return [one for one in requests if isinstance(one, dg.RunRequest)]


def run(
    instance: dg.DagsterInstance, deployment: Deployment, request: dg.RunRequest
) -> dg.ExecuteInProcessResult:
    """Run a job as Dagster's daemon does for a request."""
    assert request.job_name is not None
    assert request.partition_key is not None
    register(instance, CONNECTIONS, request.partition_key)
    definitions = reading_definitions(deployment, Readings(), Progress())
    return definitions.resolve_job_def(request.job_name).execute_in_process(
        partition_key=request.partition_key,
        instance=instance,
        tags=dict(request.tags),
        raise_on_error=False,
    )


def read_repository(
    instance: dg.DagsterInstance, deployment: Deployment, repository_id: str
) -> dg.ExecuteInProcessResult:
    """Run the job of a repository."""
    partition = key("shop", repository_id)
    register(instance, REPOSITORIES, partition)
    definitions = reading_definitions(deployment, Readings(), Progress())
    return definitions.resolve_job_def("extract_repository").execute_in_process(
        partition_key=partition, instance=instance, raise_on_error=False
    )


def rows(deployment: Deployment, connection_id: str, table: str) -> dict[str, dict[str, Any]]:
    """Rows of a connection in the lake that still exist, by their ids at the provider."""
    source = syncs.source_of(deployment, found(deployment, connection_id))
    return {row["provider_id"]: row for row in contents.existing_rows(source, table)}


def limited(seconds: int) -> httpx.Response:
    """The answer of a provider that limits requests."""
    return httpx.Response(429, json={"message": "slow down"}, headers={"Retry-After": str(seconds)})


def squashed(repository: GitRepository, number: int, message: str = "Squashed") -> tuple[str, str]:
    """A pull request that was squashed: its commit, kept by its ref alone, and the one on `main`."""
    repository.branch("topic")
    source = repository.commit(
        {"squashed.py": "value = 1\n"},
        branch="topic",
        author="Grace Hopper <grace@acme.example>",
        message="Work\n\nCo-authored-by: Claude <noreply@anthropic.com>",
    )
    repository.delete("topic")
    repository.git("update-ref", f"refs/pull/{number}/head", source)
    delivered = repository.commit({"squashed.py": "value = 1\n"}, message=message)
    return source, delivered
