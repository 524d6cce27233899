"""Limits of invitations and of their mails, because a recipient did not ask for them.

Keep out: invitations themselves (invitations.py), counting (throttles.py).
"""

from datetime import timedelta

from sqlalchemy.orm import Session

from api.control.accounts.throttles import Allowance, Try, count
from api.control.errors import TooMany
from api.control.store import ControlStore

# An organization can have many inviters, a person many organizations. A company starts with all its people.
MEANWHILE = "copy the links of the pending invitations"
INVITATIONS = Allowance("invite to this organization", 200, timedelta(minutes=5), MEANWHILE)
INVITATIONS_BY_ONE = Allowance("invite people", 200, timedelta(minutes=5), MEANWHILE)
# These limits refuse no invitation, so nobody can block or detect the invitations of others.
MAILS_TO_ONE_HERE = Allowance("mail invitations of an organization to an address", 5, timedelta(hours=4))
# One inviter gets a third of what an address gets, at once and in the long run. The rest is for others, even if the
# inviter has many organizations.
MAILS_TO_ONE_BY_ONE = Allowance("mail invitations of one inviter to an address", 5, timedelta(hours=6))
MAILS_TO_ONE = Allowance("mail invitations to an address", 15, timedelta(hours=2))


def count_invitation(
    session: Session,
    store: ControlStore,
    inviter: str | None,
    organization_id: str,
    email_key: str,
    *,
    is_new: bool,
) -> bool:
    """Whether the invitation may be mailed. Raises TooMany for a new invitation over the limit.

    `inviter` is the id of an account or a key; None for the operator, who has no limit.
    """
    if inviter is None:
        return True
    made = Try(INVITATIONS, organization_id), Try(INVITATIONS_BY_ONE, inviter)
    mailed = (
        Try(MAILS_TO_ONE_HERE, f"{organization_id}\0{email_key}"),
        Try(MAILS_TO_ONE_BY_ONE, f"{inviter}\0{email_key}"),
        Try(MAILS_TO_ONE, email_key),
    )
    # Always in this order, so concurrent invitations never deadlock.
    if is_new:
        count(session, store, *made)
    try:
        count(session, store, *mailed)
    except TooMany:
        return False
    return True
