"""Settings of the API process, from the environment.

Keep out: what an administrator changes while the service runs (control database).
"""

from functools import cached_property
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from api.control.database import database_url


class ApiSettings(BaseSettings):
    """Where the API finds its data, where it listens, how much it may use."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    data_dir: Path = Field(Path("data"), validation_alias="EAS_DATA_DIR")
    host: str = Field("127.0.0.1", validation_alias="EAS_API_HOST")
    port: int = Field(8000, ge=0, le=65535, validation_alias="EAS_API_PORT")
    # More readers than cores only queue inside the database and let the slowest answer wait for all others.
    read_threads: int = Field(2, ge=1, le=64, validation_alias="EAS_API_READ_THREADS")
    read_memory_mb: int = Field(1024, ge=64, validation_alias="EAS_API_READ_MEMORY_MB")
    response_cache_mb: int = Field(32, ge=0, validation_alias="EAS_API_RESPONSE_CACHE_MB")

    @cached_property
    def published_root(self) -> Path:
        """Folder of the published snapshots, one folder per organization inside."""
        return self.data_dir / "published"

    @property
    def control_url(self) -> str:
        """URL of the control database."""
        return database_url(self.data_dir)
