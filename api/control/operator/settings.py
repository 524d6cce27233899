"""Settings of the operator from the environment. Every process reads them when it starts.

Add: a setting that only the operator of the machine may change. Keep out: settings of organizations (control
database), paths and limits of a process (api.settings, ingest.settings). Plain Python, because the import of a library
would double the time in which `eas --help` answers.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum

KIND = "EAS_DEPLOYMENT"
LICENSE = "EAS_LICENSE_KEY"
CHECKOUT = "EAS_CHECKOUT_URL"
BILLING = "EAS_BILLING_SECRET"
REFUSED = 2
"""Exit code of a process that does not start because of these settings, as for wrong usage."""


# As long as the digest of SHA-256.
MIN_SECRET_LENGTH = 32


class DeploymentKind(StrEnum):
    """A single machine, servers of a customer, or a hosted service; upper case over HTTP."""

    LOCAL = "local"
    SELF_HOSTED = "self_hosted"
    CLOUD = "cloud"


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The kind of deployment, its license and its payment system."""

    deployment: DeploymentKind = DeploymentKind.LOCAL
    license_key: str | None = field(default=None, repr=False)
    # Where owners pay.
    checkout_url: str | None = None
    # Secrets with which the payment system may sign: several while one replaces another.
    billing_secrets: tuple[str, ...] = field(default=(), repr=False)


class StartRefused(Exception):
    """The service does not start with these settings. The message names the variable and a remedy."""


def operator_settings() -> OperatorSettings:
    """The settings of the environment. Raises StartRefused."""
    kind = os.environ.get(KIND, "").strip() or DeploymentKind.LOCAL
    if kind not in tuple(DeploymentKind):
        kinds = ", ".join(DeploymentKind)
        raise StartRefused(f"{KIND}={kind!r} is no kind of deployment; use one of {kinds}")
    return OperatorSettings(
        DeploymentKind(kind), os.environ.get(LICENSE, "").strip() or None, _checkout_url(), _billing_secrets()
    )


def _checkout_url() -> str | None:
    url = os.environ.get(CHECKOUT, "").strip()
    if url and (not url.startswith("https://") or "#" in url or any(map(str.isspace, url))):
        raise StartRefused(
            f"{CHECKOUT} is no address to pay at; use one that starts with https:// and has no #"
        )
    return url or None


def _billing_secrets() -> tuple[str, ...]:
    secrets = tuple(one for part in os.environ.get(BILLING, "").split(",") if (one := part.strip()))
    if any(len(one) < MIN_SECRET_LENGTH for one in secrets):
        raise StartRefused(
            f"{BILLING} holds a secret of fewer than {MIN_SECRET_LENGTH} characters; make one with "
            "`openssl rand -hex 32`. Separate several by commas"
        )
    return secrets
