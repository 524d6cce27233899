"""Requests to read a commit from Git again. The result of the operation lists the changes.

Keep out: reading and comparing (orchestration).
"""

from api.control.audit import Target, record
from api.control.commits.exclusions import NamedCommit
from api.control.errors import NotFound, NotPossible
from api.control.models import Repository
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.repositories.sync_status import REANALYZE
from api.control.store import ControlStore


def reanalyze(store: ControlStore, actor: Principal, organization_id: str, commit: NamedCommit) -> str:
    """The id of the operation, which ends with the build after its repository was read from scratch.

    Raises NotFound where the repository is gone, NotPossible while it is not read.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        row = session.get(Repository, (organization_id, commit.repository_id))
        if row is None or row.removed_at is not None:
            raise NotFound(f"the repository of commit {commit.sha[:12]} is no longer in this organization")
        if row.is_disabled or row.is_stopped:
            state = "disabled" if row.is_disabled else "stopped"
            raise NotPossible(
                f"{row.name} is {state}, so commit {commit.sha[:12]} cannot be analysed again; "
                "enable the repository first"
            )
        target = Target("commit", commit.id, commit.sha)
        made = record(session, REANALYZE, target, read_again=row.id)
    assert made is not None
    return made
