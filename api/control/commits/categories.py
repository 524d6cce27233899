"""Manual categories of commits. Each applies to all changes of a commit.

Keep out: the rules (dbt models `int_categories__*`).
"""

from api.control.audit import Target, record
from api.control.categories import CATEGORIES
from api.control.commits.exclusions import NamedCommit
from api.control.errors import InvalidSetting
from api.control.models import CommitCategory
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.store import ControlStore

MAX_DECIDED_BY_LENGTH = 254


def categorize(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    commit: NamedCommit,
    category: str | None,
) -> None:
    """Set the manual category of a commit; None removes it. Raises InvalidSetting."""
    if category is not None and category not in CATEGORIES:
        raise InvalidSetting("category", f"use one of {', '.join(CATEGORIES)}")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        row = session.get(CommitCategory, (organization_id, commit.id))
        before = row.category if row else None
        if before == category:
            return
        if row is None:
            row = CommitCategory(
                organization_id=organization_id, commit_id=commit.id, commit_sha=commit.sha, category=category
            )
            session.add(row)
        if category is None:
            session.delete(row)
        else:
            row.repository_id = commit.repository_id
            row.category, row.decided_at = category, store.now()
            row.decided_by = actor.actor[2][:MAX_DECIDED_BY_LENGTH]
        states = ({"category": one} if one else None for one in (before, category))
        record(session, "commits.categorize", Target("commit", commit.id, commit.sha), *states, restates=True)
