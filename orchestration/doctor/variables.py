"""Checks of the settings in the environment. They run before the others, which need settings.

Keep out: what the settings say (`machine`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from api.control.identity_providers.deployment import deployment_providers
from api.operator.environment import misspelled
from api.operator.settings import problems
from api.operator.variables import VARIABLES
from orchestration.doctor.findings import Finding


def settings() -> Iterator[Finding]:
    """Each setting that is malformed or missing, each name that is none, and the names of those that are set."""
    refused = problems(deployment_providers)
    for error in refused:
        yield Finding("Setting", False, str(error))
    for _, sentence in misspelled():
        yield Finding("Setting", None, sentence, is_warning=True)
    if not refused:
        found = ", ".join(name for name in VARIABLES if os.environ.get(name, "").strip())
        yield Finding("Settings", True, f"{found}; the others are defaults" if found else "all are defaults")
