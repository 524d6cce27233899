"""What a run leaves for the next one: where each repository was read, in which state, and how it ended.

Add: what a later run or `eas doctor` asks about an earlier one. Keep out: facts (the lake) and decisions (the
control database); losing the run state costs one superfluous run and the place of local repositories.
One small JSON file per repository and per organization, replaced atomically.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RepositoryEntry:
    """The last runs of one repository.

    `target` is the path or address (without secrets) that it was named by; `state` the fingerprint of what the
    last success read; instants are RFC 3339 in UTC; `seconds` is how long that success took.
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


@dataclass(frozen=True)
class BuildEntry:
    """The last published build of an organization and the fingerprint of all that went into it."""

    inputs: dict[str, str]
    build_id: str
    published_at: str
    seconds: float


class RunState:
    """The run state below a folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def repository(self, organization_id: str, repository_id: str) -> RepositoryEntry | None:
        """The entry of a repository, None when it was never run here."""
        found = _read(self._repository_file(organization_id, repository_id))
        return RepositoryEntry(**found) if found else None

    def repositories(self, organization_id: str) -> list[RepositoryEntry]:
        """Every repository that was run here, by name."""
        files = (self._folder / organization_id / "repositories").glob("*.json")
        entries = [self.repository(organization_id, file.stem) for file in files]
        return sorted(
            (entry for entry in entries if entry), key=lambda entry: (entry.name, entry.repository_id)
        )

    def record(self, organization_id: str, entry: RepositoryEntry) -> None:
        """Replace the entry of a repository."""
        _write(self._repository_file(organization_id, entry.repository_id), asdict(entry))

    def forget(self, organization_id: str, repository_id: str) -> None:
        """Delete the entry of a repository, if there is one."""
        self._repository_file(organization_id, repository_id).unlink(missing_ok=True)

    def build(self, organization_id: str) -> BuildEntry | None:
        """The last published build, None before the first."""
        found = _read(self._folder / organization_id / "build.json")
        return BuildEntry(**found) if found else None

    def record_build(self, organization_id: str, entry: BuildEntry) -> None:
        """Replace the entry of the last published build."""
        _write(self._folder / organization_id / "build.json", asdict(entry))

    def _repository_file(self, organization_id: str, repository_id: str) -> Path:
        return self._folder / organization_id / "repositories" / f"{repository_id}.json"


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return None  # a torn or foreign file says nothing: the run that it would have saved is done again
    return found if isinstance(found, dict) else None


def _write(file: Path, content: dict[str, object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # One name for all writers: what a killed one leaves, the next one takes over.
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    with suppress(FileNotFoundError):  # another writer has just put its own in place
        partial.replace(file)
