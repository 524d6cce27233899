"""The engine that builds the warehouse of an organization, where the operator chose another than the deployment's.

Keep out: the engine of the deployment (EAS_WAREHOUSE_ENGINE), and how engines build.
"""

from __future__ import annotations

from sqlalchemy import select

from api.control.audit import Target, record
from api.control.models import Organization
from api.control.permissions import Permission
from api.control.principals import OPERATOR
from api.control.store import ControlStore


def own_engine(store: ControlStore, organization_id: str) -> str | None:
    """The engine of an organization's own; None where it has that of the deployment, or is unknown."""
    with store.session() as session:
        return session.scalar(select(Organization.warehouse_engine).where(Organization.id == organization_id))


def own_engines(store: ControlStore) -> dict[str, str]:
    """By slug, the engines of the organizations that have one of their own."""
    statement = select(Organization.slug, Organization.warehouse_engine).order_by(Organization.slug)
    with store.session() as session:
        return {slug: engine for slug, engine in session.execute(statement) if engine is not None}


def choose_engine(store: ControlStore, organization_id: str, engine: str | None) -> None:
    """Build an organization with this engine from the next build on; None: with that of the deployment."""
    with store.allowed_write(OPERATOR, organization_id, Permission.MANAGE_ORGANIZATION) as session:
        row = session.get_one(Organization, organization_id)
        if row.warehouse_engine == engine:
            return
        before, row.warehouse_engine = {"warehouseEngine": row.warehouse_engine}, engine
        target = Target("organization", organization_id, row.name)
        record(session, "organizations.chooseEngine", target, before, {"warehouseEngine": engine})
