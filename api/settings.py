"""Settings of the API process from the environment.

Keep out: settings that an administrator changes while the service runs (control database).
"""

import os
from functools import cached_property
from pathlib import Path

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from api.control.accounts.passwords import MEMORY_KIB
from api.control.database import database_url
from api.operator.environment import value_in
from api.operator.readers import HostList, MailServer

CHECKOUT = Path(__file__).resolve().parent.parent


class ApiSettings(BaseSettings):
    """The data of the API, its addresses and its limits.

    A text is read as the list of settings says (api.operator.variables). Raises StartRefused.
    """

    model_config = SettingsConfigDict(extra="ignore", frozen=True, case_sensitive=True, enable_decoding=False)

    data_dir: Path = Field(CHECKOUT / "data", validation_alias="EAS_DATA_DIR")
    host: str = Field("127.0.0.1", validation_alias="EAS_API_HOST")
    port: int = Field(8000, validation_alias="EAS_API_PORT")
    # Without it nothing speaks gRPC.
    grpc_port: int | None = Field(None, validation_alias="EAS_GRPC_PORT")
    # The public URL of this deployment, with which mailed links start. Default: its own port.
    app_url: str = Field(
        default_factory=lambda known: f"http://127.0.0.1:{known['port']}",
        validation_alias="EAS_APP_URL",
    )
    # Where another machine publishes. Without it builds are made on this one.
    published_from: str | None = Field(None, validation_alias="EAS_PUBLISHED_FROM")
    # Without it mails are files.
    mail_server: MailServer | None = Field(None, validation_alias="EAS_SMTP_URL")
    mail_from: str = Field("eas@localhost", validation_alias="EAS_MAIL_FROM")
    # Addresses of trusted proxies, separated by commas. Forwarded addresses from others would bypass rate limits.
    trusted_proxies: str = Field("", validation_alias="EAS_TRUSTED_PROXIES")
    # Hosts, addresses and networks that repositories may be added from although they are not public.
    private_hosts: HostList = Field(HostList(), validation_alias="EAS_PRIVATE_HOSTS")
    # Off: nobody signs in, signs up or resets with a password; identity providers alone.
    offers_passwords: bool = Field(True, validation_alias="EAS_PASSWORD_SIGN_IN")
    password_memory_kib: int = Field(MEMORY_KIB, validation_alias="EAS_PASSWORD_MEMORY_KIB")
    # Each opens builds for itself, so memory grows with them.
    processes: int = Field(
        default_factory=lambda: min(2, os.cpu_count() or 1), validation_alias="EAS_API_PROCESSES"
    )
    # Of each process. Trusted proxies are not counted as clients.
    connections_per_client: int = Field(128, validation_alias="EAS_API_CONNECTIONS_PER_CLIENT")
    # Of each process: more readers than cores only queue inside the database and let the slowest answer wait for all.
    read_threads: int = Field(2, validation_alias="EAS_API_READ_THREADS")
    # Of each build that a process has open.
    read_memory_mb: int = Field(1024, validation_alias="EAS_API_READ_MEMORY_MB")
    response_cache_mb: int = Field(32, validation_alias="EAS_API_RESPONSE_CACHE_MB")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: dict[str, object]) -> dict[str, object]:
        known = {
            name: value_in(name, value) if isinstance(value, str) else value for name, value in given.items()
        }
        return {name: value for name, value in known.items() if value is not None}

    @cached_property
    def published_root(self) -> Path:
        """Folder of the published snapshots, one folder per organization inside."""
        return self.data_dir / "published"

    @property
    def delivers_mails(self) -> bool:
        """Whether mails leave from here. Without a server for them, they wait for the machine that builds."""
        return self.mail_server is not None or self.published_from is None

    @cached_property
    def outbox(self) -> Path:
        """Folder of the mails, where no server takes them."""
        return self.data_dir / "outbox" / "mails"

    @cached_property
    def spool(self) -> Path:
        """Folder of the telemetry that the lake does not have yet."""
        return self.data_dir / "telemetry" / "spool"

    @property
    def control_url(self) -> str:
        """URL of the control database."""
        return database_url(self.data_dir)
