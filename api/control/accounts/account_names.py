"""Names of accounts, which lists of members show, so every organization of an account logs a change.

Keep out: names of developers, which figures show (identities).
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.audit import Target, record_for
from api.control.models import Account, Member
from api.control.principals import Principal

MAX_NAME_LENGTH = 255


def proposed_name(address: str, name: str = "") -> str:
    """The name of a new owner of an account: the given one without what cannot be printed, else that of the mailbox."""
    printable = "".join(character for character in name if character.isprintable()).strip()
    return printable[:MAX_NAME_LENGTH] or address.strip().partition("@")[0]


def rename(session: Session, actor: Principal, row: Account, name: str) -> None:
    """Give an account another name, in a write transaction."""
    before, row.name = {"name": row.name}, name
    after = {"name": name}
    if before == after:
        return
    memberships = select(Member.organization_id).where(Member.account_id == row.id)
    target = Target("member", row.id, row.email)
    for organization_id in session.scalars(memberships.order_by(Member.organization_id)):
        record_for(session, organization_id, actor, "members.rename", target, before=before, after=after)
