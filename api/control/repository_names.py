"""Names that tell the repositories of an organization apart.

Keep out: names that people choose, which may be any.
"""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.models import Repository

MAX_LENGTH = 255


def free_name(session: Session, organization_id: str, repository_id: str, name: str, origin: str) -> str:
    """The name, or where another repository has it, as much of the end of the origin as tells them apart: its owner,
    its host, or the folders above it.
    """
    others = select(func.lower(Repository.name)).where(
        Repository.organization_id == organization_id,
        Repository.id != repository_id,
        Repository.removed_at.is_(None),
    )
    parts = [part for part in origin.split("/") if part]
    ends = ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
    longer = [end for end in ends if len(name) < len(end) <= MAX_LENGTH]
    candidates = [name, *longer]
    taken: set[str] = set(
        session.scalars(others.where(func.lower(Repository.name).in_([one.lower() for one in candidates])))
    )
    free = (one for one in candidates if one.lower() not in taken)
    return next(free, f"{name[: MAX_LENGTH - 10]} {repository_id[:8]}")
