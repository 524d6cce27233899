"""Chooses the engine that builds an organization, or reads it.

Keep out: how engines build (build/).
"""

from __future__ import annotations

from dataclasses import dataclass

from api.control.errors import ControlError
from api.control.organizations import warehouse_engines
from orchestration.build import spark_session
from orchestration.deployment import Deployment
from orchestration.runtime.explanations import Explained

DEFAULT = "default"
ENGINES = ("duckdb", "spark")


class EngineRefused(Explained):
    """The organization or the engine is unknown. The message says what to use."""


@dataclass(frozen=True)
class Choice:
    """The engine of an organization's next build. `lack` is what this machine needs for it."""

    slug: str
    engine: str
    is_own: bool
    lack: str | None


def choose(deployment: Deployment, organization: str, wanted: str | None) -> Choice:
    """Give an organization an engine of its own, that of the deployment (DEFAULT), or change nothing (None).

    Raises EngineRefused.
    """
    if wanted not in (None, DEFAULT, *ENGINES):
        raise EngineRefused(f"{wanted!r} is no engine: use one of {', '.join((*ENGINES, DEFAULT))}")
    try:
        with deployment.control() as control:
            known = control.organization(organization)
            if wanted is not None:
                warehouse_engines.choose_engine(control, known.id, None if wanted == DEFAULT else wanted)
            own = warehouse_engines.own_engine(control, known.id)
    except ControlError as error:
        raise EngineRefused(str(error)) from error
    used = own or deployment.warehouse_engine
    lack = spark_session.missing() if used == "spark" else None
    return Choice(known.slug, used, own is not None, lack)
