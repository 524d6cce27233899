"""Settings of this machine for `ingest`.

Add: paths, process counts and limits of the machine. Keep out: settings of an administrator (control database)
and constants of the measures (dbt seeds).

Callers give them; `orchestration.deployment` reads them from the environment. Proxies are the standard variables
(`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), which Git and httpx read themselves.
"""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from ingest.reach import Reach

CHECKOUT = Path(__file__).resolve().parent.parent


def _default_workers() -> int:
    """Processes for extraction. More than four gain little, because the classifier runs on one core."""
    return min(4, os.cpu_count() or 1)


def _default_memory_mb() -> int:
    """Half of the machine's memory, at least one gigabyte. Large histories need one to three gigabytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1024, min(machine, _container_memory()) // 2 // 1024**2)


def _container_memory() -> int:
    """The memory limit of the container in bytes; a huge number without one."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return 2**62


class Settings(BaseModel):
    """Settings of the machine. docs/operations/settings.md has their variables: `workers` is EAS_WORKERS."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data_dir: Path = CHECKOUT / "data"
    raw_dir: str | None = None
    workers: int = Field(default_factory=_default_workers)
    # Every host that requests a login gets it.
    git_token: SecretStr | None = None
    git_token_hosts: str = ""
    # Hosts on which repositories added over the API may be.
    reach: Reach = Reach()
    git_timeout_seconds: float = 7200
    read_timeout_seconds: float = 21_600
    read_memory_mb: int = Field(default_factory=_default_memory_mb)
    max_refs: int = 200_000
    max_commit_paths: int = 1_000_000
    max_folder_depth: int = 200
    max_path_bytes: int = 16_384
    max_object_mb: int = 64

    @field_validator("data_dir", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("raw_dir", mode="after")
    @classmethod
    def _absolute_unless_url(cls, value: str | None) -> str | None:
        if value is None or "://" in value:
            return value
        return str(Path(value).expanduser().absolute())

    @property
    def raw_root(self) -> str:
        """Root of the raw lake as a path or fsspec URL, without trailing slash."""
        return (self.raw_dir or str(self.data_dir / "raw")).rstrip("/") or "/"

    @property
    def lake_folder(self) -> Path:
        """Locks and copies of a raw lake in an object store."""
        return self.data_dir / "lake"

    @property
    def mirrors_dir(self) -> Path:
        """Bare mirrors of remote repositories, one `<repository_id>.git` each."""
        return self.data_dir / "mirrors"

    def warehouse_file(self, organization_id: str) -> Path:
        """DuckDB file of one organization, which only its running build opens."""
        return self.data_dir / "warehouse" / f"{organization_id}.duckdb"

    @property
    def published_dir(self) -> Path:
        """Published snapshots, one folder per organization."""
        return self.data_dir / "published"

    @property
    def dagster_dir(self) -> Path:
        """Dagster's storage."""
        return self.data_dir / "dagster"

    def dbt_target_dir(self, organization_id: str) -> Path:
        """dbt's target path of one organization: its log and the SQL that it ran last."""
        return self.data_dir / "dbt" / organization_id

    @property
    def exports_dir(self) -> Path:
        """Files written by `eas analyze`."""
        return self.data_dir / "exports"
