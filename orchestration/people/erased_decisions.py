"""Erases a person from the control database, in one transaction.

Rows that are the person's alone are deleted. Rows that figures or the audit log need keep their figures under the
pseudonym. Keep out: facts and files (erased_files.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from sqlalchemy import JSON, Delete, String, Table, Text, cast, delete, func, or_, select, update
from sqlalchemy.orm import Session

from api.control.audit import Target, record_for
from api.control.models import (
    Account,
    AccountIdentity,
    AiActor,
    ApiToken,
    AuditEntry,
    Base,
    CapexLockedRow,
    Correction,
    DeveloperAttribute,
    DirectoryGroupMember,
    DirectoryUser,
    IdentityDecision,
    IdentityPart,
    IngestToken,
    Invitation,
    Mail,
    Member,
    SignInSession,
    Throttle,
)
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from ingest.erasure import texts
from ingest.erasure.marks import compared
from orchestration.people.erased_person import Erasing

ACTION = "people.erase"
STAYS = (
    "the history in Git, its clones and the addresses of repositories: they are the organization's record of work",
    "backups, until they expire: restore none without erasing again",
    "figures under the pseudonym, with team, role, seniority and dates of employment: closed months need them",
    "entries of the audit log under the pseudonym: they show who may be asked about a decision",
    "keyed hashes of addresses, logins and full names: without them the next run would bring the person back",
)
# Figures of closed months and of people in general need the others.
PRIVATE_ATTRIBUTES = ("name", "primary_email", "avatar_url", "probation_end_date")
DATES = ("joining_date", "leaving_date", "probation_end_date")
# Credentials and addresses with which the service works. A connection of the person must be replaced by people.
LEFT = {
    "connections": {"user", "account", "address", "options"},
    "repositories": {"name", "origin", "address"},
    "identity_providers": {"issuer", "client_id", "domains", "name"},
    "organizations": {"slug", "name", "provider_domains"},
}
# The organization of their rows is that of a row that they belong to.
OWNERS = {
    "identity_parts": ("decision_id", "identity_decisions"),
    "connection_events": ("connection_id", "connections"),
}


def erase(control: ControlStore, one: Erasing, reason: str) -> dict[str, int]:
    """Delete and rewrite rows of a person, and log it. Returns the number of rows by table; a second call has none."""
    organization_id = one.person.organization_id
    with control.write_transaction(organization_id) as session:
        done = _delete_own(session, one)
        done["developer_attributes"] = _keep_attributes(session, one)
        done["ai_actors"] = _rename_actors(session, one)
        done["capex_locked_rows"] = _rename_locked_rows(session, one)
        for table in Base.metadata.sorted_tables:
            if (changed := _rewrite(session, table, one)) and table.name != "alembic_version":
                done[table.name] = done.get(table.name, 0) + changed
        done = {table: rows for table, rows in done.items() if rows}
        if done:
            after = {"reason": reason, "stays": list(STAYS)}
            target = Target("person", one.developer_id, one.pseudonym.name)
            record_for(session, organization_id, OPERATOR, ACTION, target, after=after, restates=True)
    return done


def _delete_own(session: Session, one: Erasing) -> dict[str, int]:
    """Rows that are about the person alone: account, ways to sign in, keys, invitations, requests."""
    organization_id, person = one.person.organization_id, one.person
    accounts = set(session.scalars(select(Account.id).where(Account.email_key.in_(person.addresses))))
    users = set(session.scalars(select(DirectoryUser.id).where(
        DirectoryUser.organization_id == organization_id,
        or_(DirectoryUser.email_key.in_(person.addresses), DirectoryUser.account_id.in_(accounts)),
    )))  # fmt: skip
    elsewhere = set(session.scalars(select(Member.account_id).where(
        Member.account_id.in_(accounts), Member.organization_id != organization_id
    )))  # fmt: skip
    elsewhere |= set(session.scalars(select(Account.id).where(
        Account.id.in_(accounts), Account.is_platform_administrator
    )))  # fmt: skip

    def of_organization(table: Any, *conditions: Any) -> Delete:
        return delete(table).where(table.organization_id == organization_id, *conditions)

    statements = [
        of_organization(ApiToken, ApiToken.created_by.in_(accounts)),
        of_organization(IngestToken, func.lower(IngestToken.developer_email).in_(person.addresses)),
        of_organization(Invitation, Invitation.email_key.in_(person.addresses)),
        of_organization(AccountIdentity, AccountIdentity.account_id.in_(accounts)),
        delete(DirectoryGroupMember).where(DirectoryGroupMember.member_id.in_(users)),
        of_organization(DirectoryUser, DirectoryUser.id.in_(users)),
        of_organization(Correction, or_(
            Correction.developer_id.in_(person.ids), Correction.filed_by.in_(accounts),
            func.lower(Correction.filed_by_email).in_(person.addresses), Correction.email.in_(person.addresses),
        )),
        of_organization(Member, Member.account_id.in_(accounts)),
        delete(SignInSession).where(
            SignInSession.account_id.in_(elsewhere), SignInSession.only_organization_id == organization_id
        ),
        delete(Account).where(Account.id.in_(accounts - elsewhere)),
        delete(Mail).where(or_(
            func.lower(Mail.recipient).in_(person.addresses), *_contain(Mail.facts, person.addresses)
        )),
        delete(Throttle).where(or_(False, *_contain(Throttle.key, person.addresses))),
    ]  # fmt: skip
    done = {str(one.table): int(getattr(session.execute(one), "rowcount", 0)) for one in statements}
    done["identity_decisions"] = _delete_identity_decisions(session, one, organization_id)
    return done


def _contain(column: Any, values: Iterable[str]) -> list[Any]:
    return [func.lower(cast(column, Text)).contains(value, autoescape=True) for value in sorted(values)]


def _delete_identity_decisions(session: Session, one: Erasing, organization_id: str) -> int:
    """Merges and dismissals of the person, and their parts of splits: the pseudonym is one address and needs none."""
    own = select(IdentityDecision.id).where(IdentityDecision.organization_id == organization_id)
    parts = session.scalars(select(IdentityPart).where(IdentityPart.decision_id.in_(own))).all()
    by_decision: dict[str, list[IdentityPart]] = defaultdict(list)
    for part in parts:
        by_decision[part.decision_id].append(part)
    count = 0
    for decision in session.scalars(
        select(IdentityDecision).where(IdentityDecision.organization_id == organization_id)
    ):
        about = by_decision[decision.id]
        theirs = [part for part in about if part.part_id in one.person.ids or _is_theirs(one, part)]
        if not theirs:
            continue
        count += len(theirs)
        if decision.kind != "split" or len(theirs) == len(about):
            session.delete(decision)
        else:
            for part in theirs:
                session.delete(part)
    session.flush()
    return count


def _is_theirs(one: Erasing, part: IdentityPart) -> bool:
    if part.email is None:
        return False
    return (one.marks.find("address", part.email) or one.marks.find_pair(part.name, part.email)) is not None


def _keep_attributes(session: Session, one: Erasing) -> int:
    """Attributes on which figures depend, under the new id; the others are deleted."""
    organization_id = one.person.organization_id
    rows = session.scalars(select(DeveloperAttribute).where(
        DeveloperAttribute.organization_id == organization_id, DeveloperAttribute.developer_id.in_(one.person.ids)
    )).all()  # fmt: skip
    kept: dict[str, str | None] = {}
    dated_by: str | None = None
    # The order in which models prefer the values of former ids.
    present = one.present_ids | {one.developer_id}
    for row in sorted(rows, key=lambda found: (found.developer_id not in present, found.developer_id)):
        if row.attribute in DATES:
            dated_by = dated_by or row.developer_id
            if row.developer_id != dated_by:
                continue
        if row.attribute in PRIVATE_ATTRIBUTES:
            continue
        kept.setdefault(row.attribute, row.value)
    session.execute(delete(DeveloperAttribute).where(
        DeveloperAttribute.organization_id == organization_id, DeveloperAttribute.developer_id.in_(one.person.ids)
    ))  # fmt: skip
    for attribute, value in kept.items():
        if session.get(DeveloperAttribute, (organization_id, one.developer_id, attribute)) is None:
            session.add(DeveloperAttribute(
                organization_id=organization_id, developer_id=one.developer_id, attribute=attribute, value=value
            ))  # fmt: skip
    session.flush()
    return len(rows)


def _rename_actors(session: Session, one: Erasing) -> int:
    """Decisions about actors of AI tools. Two actors of the person become one."""
    count = 0
    for row in session.scalars(
        select(AiActor).where(AiActor.organization_id == one.person.organization_id)
    ).all():
        actor = texts.cell(one.marks, "actor", row.actor)
        if actor == row.actor:
            continue
        count += 1
        values = {column.name: getattr(row, column.name) for column in AiActor.__table__.columns}
        session.delete(row)
        session.flush()
        if session.get(AiActor, (row.organization_id, actor)) is None:
            session.add(AiActor(**values | {"actor": actor}))
            session.flush()
    return count


def _rename_locked_rows(session: Session, one: Erasing) -> int:
    """Rows of closed months. Two of a month, from before a merge, stay two."""
    rows = session.scalars(select(CapexLockedRow).where(
        CapexLockedRow.organization_id == one.person.organization_id, CapexLockedRow.developer_id.in_(one.person.ids)
    )).all()  # fmt: skip
    by_month: dict[date, int] = defaultdict(int)
    for row in sorted(rows, key=lambda found: found.developer_id):
        key = (CapexLockedRow.organization_id == row.organization_id, CapexLockedRow.month == row.month)
        place, by_month[row.month] = by_month[row.month], by_month[row.month] + 1
        new_id = one.developer_id[:-1] + f"{place % 16:x}" if place else one.developer_id
        session.execute(
            update(CapexLockedRow)
            .where(*key, CapexLockedRow.developer_id == row.developer_id)
            .values(developer_id=new_id, row=_changed(one, "row", row.row, is_theirs=True))
        )
    session.expire_all()
    return len(rows)


def _rewrite(session: Session, table: Table, one: Erasing) -> int:
    """Put the pseudonym into all texts of a table of the organization. Returns the number of rows that change."""
    columns = table.columns
    if "organization_id" in columns:
        condition = columns["organization_id"] == one.person.organization_id
    elif table.name in OWNERS:
        name, owner_name = OWNERS[table.name]
        owner = Base.metadata.tables[owner_name]
        own = select(owner.c.id).where(owner.c.organization_id == one.person.organization_id)
        condition = columns[name].in_(own)
    else:
        return 0
    key = list(table.primary_key.columns)
    written = [
        column
        for column in columns
        if isinstance(column.type, String | JSON)
        and not column.primary_key
        and not column.foreign_keys
        and column.name not in LEFT.get(table.name, ())
        and not column.name.endswith(("_hash", "digest"))
    ]
    if not written:
        return 0
    count = 0
    for row in session.execute(select(*key, *written).where(condition)).all():
        found = dict(row._mapping)
        is_theirs = any(isinstance(value, str) and value in one.person.ids for value in found.values())
        values = {
            column.name: after
            for column in written
            if (before := found[column.name]) is not None
            and (after := _changed(one, column.name, before, is_theirs=is_theirs)) != before
        }
        if is_theirs and table.name == AuditEntry.__tablename__ and found["target_id"] in one.person.ids:
            # Opinions about the person, and what was entered of them.
            values |= {name: None for name in ("before", "after") if found[name] is not None}
        if values:
            count += 1
            session.execute(
                update(table).where(*(column == found[column.name] for column in key)).values(values)
            )
    return count


def _changed(one: Erasing, column: str, value: Any, *, is_theirs: bool) -> Any:
    """A value with the pseudonym; in a row of theirs, also for a name that others may have."""
    if isinstance(value, list):
        return [_changed(one, column, each, is_theirs=is_theirs) for each in value]
    if isinstance(value, dict):
        is_theirs = is_theirs or any(
            isinstance(each, str) and each in one.person.ids for each in value.values()
        )
        renamed = texts.structure(one.marks, value)
        return {
            _with_new_id(one, name): _changed(one, name, each, is_theirs=is_theirs)
            for name, each in renamed.items()
        }
    if not isinstance(value, str):
        return value
    value = _with_new_id(one, value)
    if is_theirs and compared("name", value) in {compared("name", name) for name in one.names}:
        return one.pseudonym.name
    return texts.cell(one.marks, column, value)


def _with_new_id(one: Erasing, value: str) -> str:
    for found in one.person.ids:
        value = value.replace(found, one.developer_id)
    return value
