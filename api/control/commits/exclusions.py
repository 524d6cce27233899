"""Manual decisions to exclude a commit from all figures, or to count a commit that a rule excludes.

A commit has at most two rows: an exclusion, and below it an inclusion. The exclusion wins. Removing it restores the
earlier decision, and with it exactly the earlier figures. Keep out: the rules (dbt models `int_exclusions__*`).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import case

from api.control.audit import Target, record
from api.control.errors import InvalidSetting, NotPossible
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page, whole
from api.control.models import CommitExclusion
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.repositories.repositories import existing_repository
from api.control.store import ControlStore

KEYS = {
    "decidedAt": Key(CommitExclusion.decided_at),
    "commitId": Key(CommitExclusion.commit_id),
    "isExcluded": Key(case((CommitExclusion.is_excluded, 1), else_=0)),
}
MAX_NOTE_LENGTH = 1000
SHOWN_OF_SUBJECT = 255


class ExclusionReason(StrEnum):
    """Why a commit is left out; upper case over HTTP. OTHER needs words."""

    GENERATED_CODE = "generated_code"
    IMPORT = "import"
    REVERT = "revert"
    MIGRATION = "migration"
    FORMATTING = "formatting"
    DUPLICATE = "duplicate"
    OTHER = "other"


# Rules that a person can overrule. Other reasons are settings, or the commit has nothing to count.
OVERRULED = frozenset({"UPSTREAM", "IMPORT", "IMPORT_WAITING", "REPOSITORY_COPY", "FOREIGN", "DUPLICATE"})
BY_HAND = "EXCLUDED_BY_HAND"
ADVICE = {
    "EXCLUDED": "its repository is excluded; set `isExcluded` of the repository to false",
    "BEFORE_START": "it was delivered before the start of the analysis; set an earlier start for the repository",
    "BOT": "its author is a bot; change the `kind` of the developer",
    "MERGE": "it is a merge without changes of its own",
    "NOT_DELIVERED": "it is not on the default branch yet; merge it first",
    "WAITING": "it waits for the license, the payment or the limit of the plan; …/zeroReasons says for which",
}


# Reasons for single files (listed by …/zeroReasons) belong to the files.
NO_LINE = "rules exclude all its file changes; …/commits/{commit}/files has the reasons"
NOT_OUT = "it is not excluded"


@dataclass(frozen=True, slots=True)
class NamedCommit:
    """A commit as the newest build knows it. `zero_reason` is None where it counts."""

    id: str
    sha: str
    repository_id: str
    subject: str
    zero_reason: str | None


def exclude(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    commit: NamedCommit,
    reason: ExclusionReason,
    note: str | None = None,
) -> CommitExclusion:
    """Exclude a commit from every figure. A second call replaces the reason.

    Raises InvalidSetting for the reason OTHER without a note, and for a note that is too long.
    """
    note = checked_text(note, "note", max_length=MAX_NOTE_LENGTH) if note and note.strip() else None
    if reason is ExclusionReason.OTHER and note is None:
        raise InvalidSetting("note", "the reason OTHER needs a note; describe the reason")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        row = session.get(CommitExclusion, (organization_id, commit.id, True))
        before = _state(row)
        if row is None:
            row = _row(organization_id, commit, is_excluded=True)
            session.add(row)
        if before == {"isExcluded": True, "reason": reason.value, "note": note}:
            return row
        row.reason, row.note = reason.value, note
        _sign(row, store, actor)
        record(session, "commits.exclude", _target(row), before, _state(row), restates=True)
        return row


def include(
    store: ControlStore, actor: Principal, organization_id: str, commit: NamedCommit
) -> CommitExclusion | None:
    """Remove an exclusion, or without one count the commit against the rule that excludes it.

    Returns the decision in force afterwards; None when only the rules apply. Raises NotPossible for a counted commit,
    and for a reason that no decision can overrule.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_COMMITS) as session:
        excluded = session.get(CommitExclusion, (organization_id, commit.id, True))
        included = session.get(CommitExclusion, (organization_id, commit.id, False))
        if excluded is not None:
            before, after = _state(excluded), _state(included)
            record(session, "commits.include", _target(excluded), before, after, restates=True)
            session.delete(excluded)
            return included if included is not None else None
        if included is not None:
            return included
        if commit.zero_reason == BY_HAND:
            # The decision was undone after the newest build.
            return None
        if commit.zero_reason not in OVERRULED:
            why = ADVICE.get(commit.zero_reason, NO_LINE) if commit.zero_reason else NOT_OUT
            raise NotPossible(f"commit {commit.sha[:12]} cannot be included: {why}")
        row = _row(organization_id, commit, is_excluded=False)
        _sign(row, store, actor)
        session.add(row)
        record(session, "commits.include", _target(row), None, _state(row), restates=True)
        return row


def list_exclusions(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    repository_id: str | None = None,
    is_excluded: bool | None = None,
) -> ListPage[CommitExclusion]:
    """A page of the manual decisions about commits, newest first. Raises NotFound for an unknown repository."""
    # Ids are in lower case, however they are spelled.
    repository_id = repository_id and repository_id.lower()
    chosen = given((CommitExclusion.repository_id, repository_id), (CommitExclusion.is_excluded, is_excluded))
    statement = owned(CommitExclusion, organization_id, *chosen)
    # A commit can have two rows, so its id alone would not end the order.
    order = asked.order_by or "decidedAt desc"
    if "isExcluded" not in order:
        asked = ListQuery(asked.limit, f"{order}, isExcluded", asked.after)
    with store.session() as session:
        if repository_id is not None:
            existing_repository(session, organization_id, repository_id)
        return list_page(session, statement, KEYS, asked, whole, default="decidedAt desc", unique="commitId")


def _row(organization_id: str, commit: NamedCommit, *, is_excluded: bool) -> CommitExclusion:
    return CommitExclusion(
        organization_id=organization_id,
        commit_id=commit.id,
        is_excluded=is_excluded,
        commit_sha=commit.sha,
        repository_id=commit.repository_id,
        subject=commit.subject[:SHOWN_OF_SUBJECT],
        reason=None,
        note=None,
        import_burst_id=None,
    )


def _sign(row: CommitExclusion, store: ControlStore, actor: Principal) -> None:
    row.decided_by, row.decided_at = actor.actor[2], store.now()


def _target(row: CommitExclusion) -> Target:
    return Target("commit", row.commit_id, row.commit_sha)


def _state(row: CommitExclusion | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {"isExcluded": row.is_excluded, "reason": row.reason, "note": row.note}
