"""The Dagster code location, which the code server and the processes of its runs import.

Keep out: what it consists of (graph/assembly.py). Commands make definitions of their own from there.
"""

from __future__ import annotations

from api.control.identity_providers.deployment import deployment_providers
from api.operator.settings import start_or_exit
from orchestration.graph.assembly import build_defs

# The code server ends; Dagster's other processes end with the instance (runtime/event_log.py).
start_or_exit(deployment_providers)
defs = build_defs()
