"""Subscriptions of members to summaries by mail, and the mails that a stored summary queues.

Keep out: texts of mails (api/mail), what a subscriber may see of a summary (read/summaries/).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, String, and_, case, func, select, type_coerce, update
from sqlalchemy.orm import Session

from api.control.accounts.mails import MailKind, queue_mail
from api.control.accounts.verified_addresses import refuse_unverified
from api.control.audit import Target, record
from api.control.errors import InvalidSetting, NotAllowed, NotFound, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import (
    Account,
    Member,
    Organization,
    Repository,
    Summary,
    SummarySubscription,
    Team,
)
from api.control.permissions import Permission, Role, allows
from api.control.principals import Principal
from api.control.records import copied, owned
from api.control.rights import present_role
from api.control.store import ControlStore
from api.control.summaries.kinds import Period, ScopeKind
from api.control.teams.teams import existing_team
from api.control.visibility import OTHER_TEAMS, Visibility, has_mailbox, is_vouched, visibility

KEYS = {"createdAt": Key(SummarySubscription.created_at), "id": Key(SummarySubscription.id)}
# Three for each of thirty scopes; somebody who wants more reads the list.
MAX_SUBSCRIPTIONS = 100


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """A subscription of an account. `is_paused`: the account may not read summaries of this scope now, so nothing is
    mailed, and the scope has no name.
    """

    id: str
    scope_kind: ScopeKind
    scope_id: str
    scope_name: str | None
    period: Period
    created_at: datetime
    mailed_at: datetime | None
    is_paused: bool


@dataclass(frozen=True, slots=True)
class Subscriber:
    """The recipient of a mail, with the rights of the account in the organization at this moment."""

    email: str
    visibility: Visibility


def subscribe(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    kind: ScopeKind,
    scope_id: str | None,
    period: Period,
) -> SubscriptionRecord:
    """Mail every new summary of a scope to the actor's address. A second call changes nothing.

    Raises NotFound for an unknown scope, NotAllowed for one whose summaries the actor may not read, InvalidSetting for
    a missing id, NotPossible without an account, for an unverified address and beyond `MAX_SUBSCRIPTIONS`.
    """
    if kind is ScopeKind.ORGANIZATION:
        scope_id = organization_id
    elif scope_id is None:
        raise InvalidSetting("scopeId", f"name the {kind.value} whose summaries you want")
    scope = scope_id.lower()
    with store.allowed_write(actor, organization_id, Permission.MANAGE_OWN_SUBSCRIPTIONS) as session:
        if actor.account_id is None:
            raise NotPossible("only an account has an address to which summaries can be mailed; sign in")
        # Nobody may have mails sent to an address that belongs to somebody else.
        if not is_vouched(session, organization_id, actor.account_id):
            refuse_unverified(session, actor, "subscribe to summaries")
        seen = _visibility(session, actor, organization_id)
        if not is_readable(seen, kind, scope):
            raise NotAllowed(f"you may not subscribe to summaries of this {kind.value}: {OTHER_TEAMS}")
        name = _existing_scope(session, organization_id, kind, scope)
        own = (SummarySubscription.account_id == actor.account_id,)
        same = (
            SummarySubscription.scope_kind == kind.value,
            SummarySubscription.scope_id == scope,
            SummarySubscription.period == period.value,
        )
        row = session.scalar(owned(SummarySubscription, organization_id, *own, *same))
        if row is None:
            made = session.scalar(
                select(func.count()).select_from(owned(SummarySubscription, organization_id, *own).subquery())
            )
            if (made or 0) >= MAX_SUBSCRIPTIONS:
                raise NotPossible(
                    f"you have {MAX_SUBSCRIPTIONS} subscriptions, which is the most; delete one first"
                )
            row = SummarySubscription(
                id=new_id(),
                organization_id=organization_id,
                account_id=actor.account_id,
                scope_kind=kind.value,
                scope_id=scope,
                period=period.value,
                created_at=store.now(),
                mailed_at=None,
            )
            session.add(row)
            record(session, "summarySubscriptions.create", target_of(row, name), after=state_of(row))
        return copied(SubscriptionRecord, row, scope_name=name, is_paused=False)


def unsubscribe(store: ControlStore, actor: Principal, organization_id: str, subscription_id: str) -> None:
    """End a subscription of the actor. Raises NotFound, also for one of somebody else."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_OWN_SUBSCRIPTIONS) as session:
        chosen = SummarySubscription.id == subscription_id.lower()
        found = session.execute(_named(organization_id, actor.account_id).where(chosen)).one_or_none()
        if found is None:
            raise NotFound(
                f"you have no subscription {subscription_id!r} in this organization; …/summarySubscriptions lists yours"
            )
        row, name = found
        record(session, "summarySubscriptions.delete", target_of(row, name), state_of(row))
        session.delete(row)


def list_subscriptions(
    store: ControlStore, organization_id: str, asked: ListQuery, *, account_id: str | None, seen: Visibility
) -> ListPage[SubscriptionRecord]:
    """A page of the subscriptions of an account, newest first; `seen` is what the account sees now."""
    with store.session() as session:
        return list_page(
            session,
            _named(organization_id, account_id),
            KEYS,
            asked,
            lambda row, name: _record(row, name, seen),
            default="createdAt desc",
            unique="id",
        )


def is_readable(seen: Visibility, kind: ScopeKind, scope_id: str) -> bool:
    """Whether somebody who sees this reads summaries of the scope: a lead reads those of the led teams."""
    teams = seen.team_ids
    return teams is None or (kind is ScopeKind.TEAM and scope_id in teams)


def queue_mails(session: Session, now: datetime, summary: Summary) -> None:
    """Queue a mail for every subscriber of a summary, in the transaction that stores its first text.

    Who may see what is decided when the mail is sent.
    """
    rows = session.execute(
        select(SummarySubscription, Account.email)
        .join(Account, Account.id == SummarySubscription.account_id)
        .where(
            SummarySubscription.organization_id == summary.organization_id,
            SummarySubscription.scope_kind == summary.scope_kind,
            SummarySubscription.scope_id == summary.scope_id,
            SummarySubscription.period == summary.period,
        )
        .order_by(SummarySubscription.id)
    ).all()
    for row, email in rows:
        queue_mail(session, now, MailKind.SUMMARY, email, subscription=row.id, summary=summary.id)


def subscriber(store: ControlStore, subscription_id: str) -> tuple[str, Subscriber]:
    """The organization and the subscriber of a subscription, as they are now.

    Raises NotFound for a subscription that has ended, NotAllowed for an account that may read no summaries or whose
    address is not its own.
    """
    with store.session() as session:
        found = session.execute(
            select(SummarySubscription, Organization, Account, Member.role)
            .join(Organization, Organization.id == SummarySubscription.organization_id)
            .join(Account, Account.id == SummarySubscription.account_id)
            .join(
                Member,
                and_(
                    Member.organization_id == SummarySubscription.organization_id,
                    Member.account_id == SummarySubscription.account_id,
                ),
            )
            .where(SummarySubscription.id == subscription_id)
        ).one_or_none()
        if found is None:
            raise NotFound("the subscription has ended")
        row, organization, account = found[0], found[1], found[2]
        role = Role(found[3])
        if not allows(Permission.READ_SUMMARIES, role):
            raise NotAllowed(f"a {role.shown} reads no summaries")
        if not has_mailbox(session, organization.id, account):
            raise NotAllowed("the address of the account is not verified")
        seen = visibility(session, organization, role, account)
        return row.organization_id, Subscriber(account.email, seen)


def note_mailed(store: ControlStore, subscription_id: str) -> None:
    """The mail server took a mail of this subscription."""
    with store.session() as session:
        session.execute(
            update(SummarySubscription)
            .where(SummarySubscription.id == subscription_id)
            .values(mailed_at=store.now())
        )


def _visibility(session: Session, actor: Principal, organization_id: str) -> Visibility:
    """What the actor sees in this transaction, which may be less than when the request began."""
    role, _ = present_role(session, actor, organization_id)
    account = session.get(Account, actor.account_id)
    if role is None:
        return Visibility(teams=())
    return visibility(session, session.get_one(Organization, organization_id), role, account)


def _existing_scope(session: Session, organization_id: str, kind: ScopeKind, scope_id: str) -> str:
    """The name of a scope. Raises NotFound."""
    if kind is ScopeKind.ORGANIZATION:
        return session.get_one(Organization, organization_id).name
    if kind is ScopeKind.TEAM:
        return existing_team(session, organization_id, scope_id).name
    row = session.get(Repository, (organization_id, scope_id))
    if row is None or row.removed_at is not None:
        raise NotFound(f"no repository {scope_id!r} in this organization; …/repositories lists them")
    return row.name


def _named(organization_id: str, account_id: str | None) -> Select[SummarySubscription, str]:
    of_kind = SummarySubscription.scope_kind
    name = case(
        (of_kind == ScopeKind.ORGANIZATION.value, Organization.name),
        (of_kind == ScopeKind.TEAM.value, Team.name),
        else_=Repository.name,
    )
    scope = SummarySubscription.scope_id
    return (
        select(SummarySubscription, type_coerce(name, String))
        .join(Organization, Organization.id == SummarySubscription.organization_id)
        .outerjoin(Team, and_(of_kind == ScopeKind.TEAM.value, Team.id == scope))
        .outerjoin(
            Repository,
            and_(
                of_kind == ScopeKind.REPOSITORY.value,
                Repository.organization_id == SummarySubscription.organization_id,
                Repository.id == scope,
            ),
        )
        .where(
            SummarySubscription.organization_id == organization_id,
            # Without an account, as an operator's key is, nothing is one's own.
            SummarySubscription.account_id == (account_id or ""),
        )
    )


def _record(row: SummarySubscription, name: str, seen: Visibility) -> SubscriptionRecord:
    is_paused = not is_readable(seen, ScopeKind(row.scope_kind), row.scope_id)
    return copied(SubscriptionRecord, row, scope_name=None if is_paused else name, is_paused=is_paused)


def target_of(row: SummarySubscription, name: str | None) -> Target:
    """A subscription in the log of changes."""
    return Target("summarySubscription", row.id, name or row.scope_id)


def state_of(row: SummarySubscription) -> dict[str, str]:
    """What a subscription is to, in the log of changes."""
    return {"scopeKind": row.scope_kind, "scopeId": row.scope_id, "period": row.period}
