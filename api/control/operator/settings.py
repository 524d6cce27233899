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
REFUSED = 2
"""Exit code of a process that does not start because of these settings, as for wrong usage."""


class DeploymentKind(StrEnum):
    """A single machine, servers of a customer, or a hosted service; upper case over HTTP."""

    LOCAL = "local"
    SELF_HOSTED = "self_hosted"
    CLOUD = "cloud"


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The kind of deployment and the license."""

    deployment: DeploymentKind = DeploymentKind.LOCAL
    license_key: str | None = field(default=None, repr=False)


class StartRefused(Exception):
    """The service does not start with these settings. The message names the variable and a remedy."""


def operator_settings() -> OperatorSettings:
    """The settings of the environment. Raises StartRefused."""
    kind = os.environ.get(KIND, "").strip() or DeploymentKind.LOCAL
    if kind not in tuple(DeploymentKind):
        kinds = ", ".join(DeploymentKind)
        raise StartRefused(f"{KIND}={kind!r} is no kind of deployment; use one of {kinds}")
    return OperatorSettings(DeploymentKind(kind), os.environ.get(LICENSE, "").strip() or None)
