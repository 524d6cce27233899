"""Settings of the endpoint for metrics.

Keep out: the endpoint (api/monitoring), settings of the API (api/settings.py).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from api.operator.environment import StartRefused, value_of

PORT = "EAS_METRICS_PORT"
HOST = "EAS_METRICS_HOST"
TOKEN = "EAS_METRICS_TOKEN"


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """Where metrics are offered, and the token that asks for them. Without a token anybody at the address may ask."""

    port: int
    host: str = "127.0.0.1"
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Raises StartRefused for an address that other machines reach without a token."""
        if self.token is None and not _is_loopback(self.host):
            raise StartRefused(
                HOST,
                f"{HOST}={self.host!r} can be reached from other machines; set {TOKEN} to a secret of at least 32"
                f" characters, or unset {HOST}",
            )


def metrics_settings() -> MetricsSettings | None:
    """The settings of the environment; None where no port is set. Raises StartRefused."""
    port = value_of(PORT)
    if port is None:
        return None
    return MetricsSettings(port, value_of(HOST) or "127.0.0.1", value_of(TOKEN))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
