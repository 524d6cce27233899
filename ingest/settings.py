"""Settings of this machine for `ingest`.

Add: paths, process counts and limits of the machine. Keep out: settings of an administrator (control database)
and constants of the measures (dbt seeds).

Environment variables start with `EAS_`; `RAW_DIR` is accepted as well. Proxies are the standard ones
(`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), which Git and httpx read themselves.
"""

import os
from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

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


class Settings(BaseSettings):
    """Settings of the machine, each overridable by an environment variable.

    Raises pydantic's ValidationError for an invalid value; it names the variable.
    """

    model_config = SettingsConfigDict(env_prefix="EAS_", env_ignore_empty=True, extra="ignore", frozen=True)

    data_dir: Path = Field(CHECKOUT / "data", description="Everything that the service writes.")
    raw_dir: str | None = Field(
        None,
        validation_alias=AliasChoices("raw_dir", "EAS_RAW_DIR", "RAW_DIR"),
        description="Root of the raw lake: a path or an fsspec URL such as s3://bucket/raw.",
    )
    workers: int = Field(default_factory=_default_workers, ge=1, le=64, description="Extraction processes.")
    git_token: SecretStr | None = Field(
        None,
        description="Token for HTTPS remotes: `secret`, `user:secret` or `Bearer secret`."
        " Every host that requests a login gets it.",
    )
    git_token_hosts: str = Field(
        "",
        description="Comma-separated hosts on which repositories added over the API are read with the token and"
        " with the operator's own logins (credential helpers, netrc, ssh keys and agent).",
    )
    private_hosts: str = Field(
        "",
        description="Comma-separated hosts, addresses and networks that users of the API may fetch from although they"
        " are not public.",
    )
    git_timeout_seconds: float = Field(7200, gt=0, description="Limit for one clone or fetch.")
    read_timeout_seconds: float = Field(21_600, gt=0, description="Limit for reading one repository.")
    read_memory_mb: int = Field(
        default_factory=_default_memory_mb,
        ge=256,
        description="Memory of each process that reads a repository.",
    )
    max_refs: int = Field(200_000, ge=1, description="Branches and tags of a repository.")
    max_commit_paths: int = Field(
        1_000_000, ge=1, description="Files and folders that differ between a commit and its parent."
    )
    max_folder_depth: int = Field(
        200,
        ge=1,
        le=400,
        description="Levels of folders. Walks of trees are recursive, which limits the limit.",
    )
    max_path_bytes: int = Field(16_384, ge=1, description="Bytes of a path.")
    max_object_mb: int = Field(
        64, ge=1, description="Megabytes of a tree; a commit or tag may have an eighth."
    )

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

    @field_validator("private_hosts", mode="after")
    @classmethod
    def _readable(cls, value: str) -> str:
        Reach.listed(value)
        return value

    @property
    def reach(self) -> Reach:
        """Hosts on which repositories added over the API may be."""
        return Reach.listed(self.private_hosts)

    @property
    def raw_root(self) -> str:
        """Root of the raw lake as a path or fsspec URL, without trailing slash."""
        return (self.raw_dir or str(self.data_dir / "raw")).rstrip("/") or "/"

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
