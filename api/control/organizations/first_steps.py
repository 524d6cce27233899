"""What an organization without a published build has to wait for or to do.

Keep out: lists of a build that are empty (api/read/).
"""

from sqlalchemy import func, select

from api.control.models import Connection, Repository
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.store import ControlStore

NOTHING = "This organization has no published build yet."
ADD = (
    "An owner or admin adds a repository (POST …/repositories:batchCreate) or a connection (POST …/connections); "
    "figures are here after the first analysis."
)


def first_step(store: ControlStore, organization_id: str) -> str:
    """The sentence for what is missing until figures are here."""
    read = Repository.is_disabled.is_(False) & Repository.is_stopped.is_(False)
    repositories = select(
        func.count(), func.count().filter(read), func.count().filter(read & Repository.failed_at.is_not(None))
    ).where(Repository.organization_id == organization_id, Repository.removed_at.is_(None))
    connections = select(func.count()).where(
        Connection.organization_id == organization_id,
        Connection.removed_at.is_(None),
        Connection.category != MODEL_ENDPOINTS,
    )
    with store.session() as session:
        known, active, failing = session.execute(repositories).one()
        connected = session.scalar(connections)
    if not known:
        return f"{NOTHING} {_of_connections() if connected else ADD}"
    if not active:
        return f"{NOTHING} Every repository is disabled or stopped: enable one (PATCH …/repositories/{{repository}})."
    if failing == active:
        return f"{NOTHING} No repository can be read; …/repositories:managed?state=NEEDS_ATTENTION says why."
    return f"{NOTHING} The first analysis of its repositories runs or waits: …/operations shows its state."


def _of_connections() -> str:
    return (
        "It has a connection and no repository: an owner or admin adds those that …/repositories:available lists (POST "
        "…/repositories:batchCreate)."
    )
