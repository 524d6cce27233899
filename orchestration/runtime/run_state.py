"""Stores the state of the last runs: location, fingerprint and result of each repository, and the last build.

Add: state that a later run or `eas doctor` reads. Keep out: facts (the lake) and decisions (the control database).
Losing the run state costs one unnecessary run and the paths of local repositories. The store has one small JSON file
per repository, connection and organization, replaced atomically.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from orchestration.runtime import sealed


@dataclass(frozen=True)
class RepositoryEntry:
    """The last runs of one repository.

    `target` is the path or address (without secrets) that the user gave. `state` is the fingerprint of the refs and
    code of the last success, `seconds` its wall time. `batch` and `facts` are the number and the digest of its state in
    the lake. Instants are RFC 3339 in UTC.
    """

    repository_id: str
    name: str
    target: str
    state: str | None = None
    succeeded_at: str | None = None
    failed_at: str | None = None
    error: str | None = None
    commits: int = 0
    seconds: float = 0.0
    batch: int = 0
    facts: str | None = None


@dataclass(frozen=True)
class ConnectionEntry:
    """The last runs of one connection. `category` is the noun of its raw tables, `rows` are their rows.

    `parkings` counts the runs in a row that the provider paused, and `next_attempt_at` ends the pause. `error` is of
    the last run, `seconds` its wall time. Other fields are as in RepositoryEntry.
    """

    connection_id: str
    name: str
    category: str
    succeeded_at: str | None = None
    failed_at: str | None = None
    error: str | None = None
    rows: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    batch: int = 0
    facts: str | None = None
    parkings: int = 0
    next_attempt_at: str | None = None


@dataclass(frozen=True)
class BuildEntry:
    """The last published build of an organization: fingerprints of its inputs, and seconds of publishing.

    `warehouse` has the size and the sha256 of the warehouse after the build. `connections` has by id the batch in the
    lake and the last batch that counts.
    """

    inputs: dict[str, str]
    build_id: str
    published_at: str
    seconds: float
    warehouse: list[int | str] | None = None
    connections: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class ExportEntry:
    """The last file that `eas analyze` exported: its build, and its sha256."""

    build_id: str
    sha256: str


Entry = RepositoryEntry | ConnectionEntry | BuildEntry | ExportEntry
Found = TypeVar("Found", RepositoryEntry, ConnectionEntry, BuildEntry, ExportEntry)
REPOSITORIES, CONNECTIONS, BUILD, EXPORT = "repositories", "connections", "build", "export"


class RunState:
    """The run state below a folder. The first write creates the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def repository(self, organization_id: str, repository_id: str) -> RepositoryEntry | None:
        """The entry of a repository; None if no run here has recorded it."""
        return self._find(RepositoryEntry, organization_id, REPOSITORIES, repository_id)

    def repositories(self, organization_id: str) -> list[RepositoryEntry]:
        """The entries of all repositories that ran here, sorted by name."""
        files = (self._folder / organization_id / REPOSITORIES).glob("*.json")
        entries = [self.repository(organization_id, file.stem) for file in files]
        return sorted(
            (entry for entry in entries if entry), key=lambda entry: (entry.name, entry.repository_id)
        )

    def connection(self, organization_id: str, connection_id: str) -> ConnectionEntry | None:
        """The entry of a connection; None if no run here has recorded it."""
        return self._find(ConnectionEntry, organization_id, CONNECTIONS, connection_id)

    def build(self, organization_id: str) -> BuildEntry | None:
        """The last published build; None before the first one."""
        return self._find(BuildEntry, organization_id, BUILD)

    def export(self, organization_id: str) -> ExportEntry | None:
        """The last export; None if no run here has recorded it."""
        return self._find(ExportEntry, organization_id, EXPORT)

    def record(self, organization_id: str, entry: Entry) -> None:
        """Replace the entry of a repository or connection, of the last published build or of the last export."""
        match entry:
            case RepositoryEntry():
                owner, file = self._place(organization_id, REPOSITORIES, entry.repository_id)
            case ConnectionEntry():
                owner, file = self._place(organization_id, CONNECTIONS, entry.connection_id)
            case BuildEntry():
                owner, file = self._place(organization_id, BUILD)
            case ExportEntry():
                owner, file = self._place(organization_id, EXPORT)
        sealed.write(file, asdict(entry), owner)

    def forget_repository(self, organization_id: str, repository_id: str) -> None:
        """Delete the entry of a repository, if it exists."""
        self._place(organization_id, REPOSITORIES, repository_id)[1].unlink(missing_ok=True)

    def forget_connection(self, organization_id: str, connection_id: str) -> None:
        """Delete the entry of a connection, if it exists."""
        self._place(organization_id, CONNECTIONS, connection_id)[1].unlink(missing_ok=True)

    def has_connections(self, organization_id: str) -> bool:
        """Whether a run here has recorded a connection."""
        return (self._folder / organization_id / CONNECTIONS).exists()

    def _find(self, kind: type[Found], *place: str) -> Found | None:
        """The entry at a place; None for a damaged or foreign file, which costs one more run."""
        owner, file = self._place(*place)
        with suppress(FileNotFoundError, ValueError, TypeError):
            return kind(**sealed.read(file, owner))
        return None

    def _place(self, organization_id: str, kind: str, identifier: str | None = None) -> tuple[str, Path]:
        """The owner that seals an entry, and its file."""
        folder = self._folder / organization_id
        if identifier is None:
            return organization_id, folder / f"{kind}.json"
        return f"{organization_id}/{identifier}", folder / kind / f"{identifier}.json"
