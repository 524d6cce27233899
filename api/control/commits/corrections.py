"""Corrections: requests of members about their own figures, which an administrator accepts or rejects.

Accepting makes the change in the same transaction. Keep out: the changes themselves (identities/identities.py,
exclusions.py, categories.py), and the check that the target is the member's own (api/v1/commits/corrections.py).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import NotFound, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page
from api.control.models import Correction
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.store import ControlStore, Write

KEYS = {"filedAt": Key(Correction.filed_at), "state": Key(Correction.state), "id": Key(Correction.id)}
NEWEST_FIRST = "filedAt desc"
MAX_TEXT_LENGTH = 1000
MAX_NAME_LENGTH = 255
# More than anybody would read.
MAX_PENDING = 100


class CorrectionKind(StrEnum):
    """The kind of a correction; upper case over HTTP."""

    ALIAS = "alias"
    EXCLUSION = "exclusion"
    CATEGORY = "category"


class CorrectionState(StrEnum):
    """The state of a correction; upper case over HTTP."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class CorrectionTarget:
    """The content of a correction: for an alias `email` and `is_mine`, else the commit and its repository, and for a
    category `category`.
    """

    kind: CorrectionKind
    developer_id: str
    developer_name: str
    text: str
    email: str | None = None
    is_mine: bool | None = None
    commit_id: str | None = None
    commit_sha: str | None = None
    repository_id: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRecord(CorrectionTarget):
    """A correction with its author and its state."""

    id: str
    state: CorrectionState
    filed_by: str
    filed_by_email: str
    filed_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    answer: str | None


def file_correction(
    store: ControlStore, actor: Principal, organization_id: str, requested: CorrectionTarget
) -> CorrectionRecord:
    """Submit a request to the administrators. Raises InvalidSetting, and NotPossible if too many requests wait."""
    text = checked_text(requested.text, "text", max_length=MAX_TEXT_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_OWN_CORRECTIONS) as session:
        waiting = session.scalar(
            select(func.count()).where(
                Correction.organization_id == organization_id,
                Correction.filed_by == actor.account_id,
                Correction.state == CorrectionState.PENDING,
            )
        )
        if waiting is not None and waiting >= MAX_PENDING:
            raise NotPossible(
                f"{waiting} of your corrections are pending; ask an owner or admin to decide about them first"
            )
        name = requested.developer_name[:MAX_NAME_LENGTH]
        row = Correction(
            id=new_id(),
            organization_id=organization_id,
            state=CorrectionState.PENDING,
            filed_by=actor.account_id or "",
            filed_by_email=actor.email or "",
            filed_at=store.now(),
            **asdict(replace(requested, text=text, developer_name=name)),
        )
        session.add(row)
        record(session, "corrections.create", _target(row), None, _state(row))
        return copied(CorrectionRecord, row)


def list_corrections(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    filed_by: str | None = None,
    state: CorrectionState | None = None,
) -> ListPage[CorrectionRecord]:
    """A page of the corrections, of one account where `filed_by` is given, the newest first."""
    chosen = given((Correction.filed_by, filed_by), (Correction.state, state))
    statement = owned(Correction, organization_id, *chosen)
    with store.session() as session:
        return list_page(
            session,
            statement,
            KEYS,
            asked,
            partial(copied, CorrectionRecord),
            default=NEWEST_FIRST,
            unique="id",
        )


def correction(
    store: ControlStore, organization_id: str, correction_id: str, *, filed_by: str | None = None
) -> CorrectionRecord:
    """A correction; with `filed_by` only where this account filed it. Raises NotFound."""
    with store.session() as session:
        row = _existing(session, organization_id, correction_id)
        if filed_by is not None and row.filed_by != filed_by:
            raise NotFound(f"no correction {correction_id!r} among your own; …/me/corrections lists them")
        return copied(CorrectionRecord, row)


def accept_correction(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    correction_id: str,
    answer: str,
    change: Callable[[ControlStore], None],
) -> CorrectionRecord:
    """Make the change and mark the correction as accepted, in one transaction.

    `change` writes through the store that it receives. Raises NotFound, NotPossible for a decided correction, and the
    errors of `change`.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CORRECTIONS) as session:
        row = _decide(session, store, correction_id, CorrectionState.ACCEPTED, answer)
        change(store.joined(session))
        return copied(CorrectionRecord, row)


def reject_correction(
    store: ControlStore, actor: Principal, organization_id: str, correction_id: str, answer: str
) -> CorrectionRecord:
    """Reject a correction with a reason. Raises NotFound, InvalidSetting, and NotPossible for a decided correction."""
    answer = checked_text(answer, "answer", max_length=MAX_TEXT_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CORRECTIONS) as session:
        return copied(
            CorrectionRecord, _decide(session, store, correction_id, CorrectionState.REJECTED, answer)
        )


def _decide(
    session: Write, store: ControlStore, correction_id: str, state: CorrectionState, answer: str
) -> Correction:
    row = _existing(session, session.organization_id, correction_id)
    if row.state != CorrectionState.PENDING:
        raise NotPossible(f"this correction was {row.state} on {row.decided_at:%Y-%m-%d} by {row.decided_by}")
    before = _state(row)
    row.state, row.decided_at, row.decided_by = state, store.now(), session.actor.actor[2]
    row.answer = checked_text(answer, "answer", max_length=MAX_TEXT_LENGTH) if answer.strip() else None
    verb = "accept" if state is CorrectionState.ACCEPTED else "reject"
    record(session, f"corrections.{verb}", _target(row), before, _state(row))
    return row


def _existing(session: Session, organization_id: str, correction_id: str) -> Correction:
    return existing(session, Correction, organization_id, correction_id, "correction", "corrections")


def _target(row: Correction) -> Target:
    return Target("correction", row.id, f"{row.kind} of {row.developer_name}"[:MAX_NAME_LENGTH])


def _state(row: Correction) -> dict[str, Any]:
    said = {
        "kind": row.kind,
        "state": row.state,
        "text": row.text,
        "email": row.email,
        "isMine": row.is_mine,
        "commitSha": row.commit_sha,
        "category": row.category,
        "answer": row.answer,
    }
    return {name: value for name, value in said.items() if value is not None}
