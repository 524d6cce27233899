"""The owner of an organization on the machine that runs the service, who signs in by a link that works once.

Whoever can start the service can read its data already. Keep out: from where a link is taken (api/web/sessions).
"""

from sqlalchemy import select

from api.control.accounts.accounts import find_by_email
from api.control.accounts.links import Purpose, make_link, use_link
from api.control.accounts.members import add_member
from api.control.accounts.sessions import NewSession, begin_session
from api.control.ids import new_id
from api.control.models import Account, Member
from api.control.permissions import Role
from api.control.store import ControlStore

# No mail reaches it: RFC 2606 keeps `.invalid` for names that never exist.
ADDRESS, NAME = "owner@this-machine.invalid", "Owner of this machine"
DEVICE = "A browser on this machine"


def make_local_link(store: ControlStore, organization_id: str) -> str:
    """A secret that signs the owner of this machine in, once, within an hour.

    The first call makes the owner's account, which has no password, and a membership. Raises NotFound for an unknown
    organization.
    """
    organization = store.organization(organization_id).id
    with store.write_transaction(organization) as session:
        row = find_by_email(session, ADDRESS)
        if row is None:
            now = store.now()
            row = Account(
                id=new_id(), email=ADDRESS, email_key=ADDRESS, name=NAME, password_hash=None,
                is_platform_administrator=False, verified_at=now, created_at=now,
            )  # fmt: skip
            session.add(row)
            session.flush()
        account = row.id
        of = (Member.organization_id == organization, Member.account_id == account)
        if session.scalar(select(Member.account_id).where(*of)) is None:
            add_member(session, store.now(), organization, account, Role.OWNER)
    return make_link(store, Purpose.LOCAL, account, ADDRESS)


def use_local_link(store: ControlStore, secret: str) -> NewSession:
    """The session that a link begins. Raises NotPossible for an unknown, used or expired one."""
    with store.session() as session:
        account = use_link(store, session, Purpose.LOCAL, secret)
        return begin_session(store, account.id, DEVICE, within=session)
