"""Requests for new texts of summaries: of one repository, or of the organization. A build answers them.

Keep out: writing texts (orchestration).
"""

from api.control.audit import Target, record
from api.control.errors import NotFound
from api.control.models import Organization, Repository
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.store import ControlStore

REGENERATE = "summaries.regenerate"


def regenerate(store: ControlStore, actor: Principal, organization_id: str, repository_id: str | None) -> str:
    """The id of the operation, which ends with the build after which the texts are there. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_SUMMARIES) as session:
        if repository_id is None:
            name = session.get_one(Organization, organization_id).name
            target = Target("organization", organization_id, name)
        else:
            row = session.get(Repository, (organization_id, repository_id.lower()))
            if row is None or row.removed_at is not None:
                raise NotFound(
                    f"no repository {repository_id!r} in this organization; …/repositories lists them"
                )
            target = Target("repository", row.id, row.name)
        made = record(session, REGENERATE, target, restates=True)
    assert made is not None
    return made
