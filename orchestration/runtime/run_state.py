"""Stores the state of the last runs: location, fingerprint and result of each repository, and the last build.

Add: state that a later run or `eas doctor` reads. Keep out: facts (the lake) and decisions (the control database).
Losing the run state costs one unnecessary run and the paths of local repositories. The store has one small JSON file
per repository, connection and organization, replaced atomically.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

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

    `warehouse` has the size and the sha256 of the warehouse after the build.
    """

    inputs: dict[str, str]
    build_id: str
    published_at: str
    seconds: float
    warehouse: list[int | str] | None = None


@dataclass(frozen=True)
class ExportEntry:
    """The last file that `eas analyze` exported: its build, and its sha256."""

    build_id: str
    sha256: str


class RunState:
    """The run state below a folder. The first write creates the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def repository(self, organization_id: str, repository_id: str) -> RepositoryEntry | None:
        """The entry of a repository; None if no run here has recorded it."""
        found = _read(
            self._repository_file(organization_id, repository_id), f"{organization_id}/{repository_id}"
        )
        with suppress(TypeError):
            return RepositoryEntry(**found) if found else None
        return None

    def repositories(self, organization_id: str) -> list[RepositoryEntry]:
        """The entries of all repositories that ran here, sorted by name."""
        files = (self._folder / organization_id / "repositories").glob("*.json")
        entries = [self.repository(organization_id, file.stem) for file in files]
        return sorted(
            (entry for entry in entries if entry), key=lambda entry: (entry.name, entry.repository_id)
        )

    def record(self, organization_id: str, entry: RepositoryEntry) -> None:
        """Replace the entry of a repository."""
        file = self._repository_file(organization_id, entry.repository_id)
        _write(file, f"{organization_id}/{entry.repository_id}", asdict(entry))

    def forget(self, organization_id: str, repository_id: str) -> None:
        """Delete the entry of a repository, if it exists."""
        self._repository_file(organization_id, repository_id).unlink(missing_ok=True)

    def connection(self, organization_id: str, connection_id: str) -> ConnectionEntry | None:
        """The entry of a connection; None if no run here has recorded it."""
        found = _read(
            self._connection_file(organization_id, connection_id), f"{organization_id}/{connection_id}"
        )
        with suppress(TypeError):
            return ConnectionEntry(**found) if found else None
        return None

    def record_connection(self, organization_id: str, entry: ConnectionEntry) -> None:
        """Replace the entry of a connection."""
        file = self._connection_file(organization_id, entry.connection_id)
        _write(file, f"{organization_id}/{entry.connection_id}", asdict(entry))

    def forget_connection(self, organization_id: str, connection_id: str) -> None:
        """Delete the entry of a connection, if it exists."""
        self._connection_file(organization_id, connection_id).unlink(missing_ok=True)

    def build(self, organization_id: str) -> BuildEntry | None:
        """The last published build; None before the first one."""
        found = _read(self._folder / organization_id / "build.json", organization_id)
        with suppress(TypeError):
            return BuildEntry(**found) if found else None
        return None

    def record_build(self, organization_id: str, entry: BuildEntry) -> None:
        """Replace the entry of the last published build."""
        _write(self._folder / organization_id / "build.json", organization_id, asdict(entry))

    def export(self, organization_id: str) -> ExportEntry | None:
        """The last export; None if no run here has recorded it."""
        found = _read(self._folder / organization_id / "export.json", organization_id)
        with suppress(TypeError):
            return ExportEntry(**found) if found else None
        return None

    def record_export(self, organization_id: str, entry: ExportEntry) -> None:
        """Replace the entry of the last export."""
        _write(self._folder / organization_id / "export.json", organization_id, asdict(entry))

    def connections_folder(self, organization_id: str) -> Path:
        """The folder of the entries of connections; it exists once one was recorded."""
        return self._folder / organization_id / "connections"

    def _connection_file(self, organization_id: str, connection_id: str) -> Path:
        return self.connections_folder(organization_id) / f"{connection_id}.json"

    def _repository_file(self, organization_id: str, repository_id: str) -> Path:
        return self._folder / organization_id / "repositories" / f"{repository_id}.json"


def _read(file: Path, owner: str) -> dict[str, Any] | None:
    try:
        return sealed.read(file, owner)
    except (FileNotFoundError, ValueError):
        return None  # a damaged or foreign file counts as no entry, which costs one more run


def _write(file: Path, owner: str, content: dict[str, object]) -> None:
    sealed.write(file, content, owner)
