"""Decisions to count bursts of commits that a rule takes for imports.

One decision is one row for each commit of the burst at that time, so it keeps its meaning when the rules change. A
commit that joins the burst later needs a decision of its own. Keep out: the rules (dbt models `int_exclusions__*`),
decisions about single commits (exclusions.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.commits.exclusions import MAX_NOTE_LENGTH, SHOWN_OF_SUBJECT, NamedCommit
from api.control.errors import NotFound
from api.control.models import CommitExclusion
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class NamedBurst:
    """A burst as the newest build knows it; without commits where it knows none of this id."""

    id: str
    commits: Sequence[NamedCommit]


@dataclass(frozen=True, slots=True)
class BurstDecision:
    """The number of a burst's commits that count by decisions about bursts, and the number that a call changed."""

    burst_id: str
    counted_commits: int
    changed_commits: int


def include_burst(
    store: ControlStore, actor: Principal, organization_id: str, burst: NamedBurst, reason: str
) -> BurstDecision:
    """Count the commits of a burst against the rule that excludes them.

    A commit with a decision of its own keeps it. Raises NotFound for a burst that the newest build does not know,
    InvalidSetting for a missing reason.
    """
    reason = checked_text(reason, "reason", max_length=MAX_NOTE_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        if not burst.commits:
            raise NotFound(_unknown(burst.id))
        decided = _included(session, organization_id)
        added = [commit for commit in burst.commits if commit.id not in decided]
        before = sum(
            1 for commit in burst.commits if commit.id in decided and decided[commit.id].import_burst_id
        )
        session.add_all(
            CommitExclusion(
                organization_id=organization_id,
                commit_id=commit.id,
                is_excluded=False,
                commit_sha=commit.sha,
                repository_id=commit.repository_id,
                subject=commit.subject[:SHOWN_OF_SUBJECT],
                note=reason,
                import_burst_id=burst.id,
                decided_by=actor.actor[2],
                decided_at=store.now(),
            )
            for commit in added
        )
        made = BurstDecision(burst.id, before + len(added), len(added))
        if added:
            told = {"countedCommits": before}, {"countedCommits": made.counted_commits, "reason": reason}
            record(session, "importBursts.include", _target(burst), *told, restates=True)
        return made


def undo_burst(
    store: ControlStore, actor: Principal, organization_id: str, burst: NamedBurst
) -> BurstDecision:
    """Undo the decision about a burst, also by the id that the burst had then.

    Decisions about single commits stay. Raises NotFound without a decision.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        own = {commit.id for commit in burst.commits}
        rows = [
            row
            for row in _included(session, organization_id).values()
            if row.import_burst_id == burst.id or (row.import_burst_id and row.commit_id in own)
        ]
        if not rows:
            raise NotFound(f"no decision about import burst {burst.id!r} exists, so there is nothing to undo")
        for row in rows:
            session.delete(row)
        made = BurstDecision(burst.id, 0, len(rows))
        told = {"countedCommits": len(rows)}, {"countedCommits": 0, "reason": None}
        record(session, "importBursts.undo", _target(burst), *told, restates=True)
        return made


def _included(session: Session, organization_id: str) -> dict[str, CommitExclusion]:
    rows = session.scalars(owned(CommitExclusion, organization_id, CommitExclusion.is_excluded.is_(False)))
    return {row.commit_id: row for row in rows}


def _target(burst: NamedBurst) -> Target:
    return Target("importBurst", burst.id, burst.id)


def _unknown(burst_id: str) -> str:
    return f"no import burst {burst_id!r} in the newest build of this organization"
