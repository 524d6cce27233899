"""Links in mails that end one subscription without a sign-in. A link works as long as its subscription.

The token has a code that only this deployment can make, so nothing is stored for it, and it ends no other subscription.
Keep out: headers of mails (mail/one_click.py), the page (auth/unsubscribe_pages.py).
"""

import hmac
from dataclasses import dataclass

from sqlalchemy import select

from api.control.accounts.tokens import signing_key
from api.control.audit import record_for
from api.control.errors import NotFound
from api.control.models import Account, SummarySubscription
from api.control.principals import ActorKind
from api.control.store import ControlStore
from api.control.summaries.subscriptions import state_of, target_of

KEY = "unsubscribe_links"


@dataclass(frozen=True, slots=True)
class LinkHolder:
    """The holder of a link that was mailed to an account. The log of changes names the account and the link."""

    account_id: str
    email: str

    @property
    def actor(self) -> tuple[ActorKind, str | None, str]:
        """Kind, id and name under which changes are logged."""
        return ActorKind.ACCOUNT, self.account_id, f"{self.email} (link in a mail)"


def make_token(store: ControlStore, subscription_id: str) -> str:
    """The token that ends a subscription."""
    return f"{subscription_id}.{_code(store, subscription_id)}"


def is_made_here(store: ControlStore, token: str) -> bool:
    """Whether this deployment made a token, in constant time."""
    subscription_id, _, code = token.partition(".")
    return hmac.compare_digest(code.encode(), _code(store, subscription_id).encode())


def end_subscription(store: ControlStore, token: str) -> None:
    """End the subscription of a token; nothing changes if it has ended. Raises NotFound for any other token."""
    if not is_made_here(store, token):
        raise NotFound("this link ends no subscription; open the whole address of the newest mail")
    chosen = SummarySubscription.id == token.partition(".")[0]
    with store.session() as session:
        organization_id = session.scalar(select(SummarySubscription.organization_id).where(chosen))
    if organization_id is None:
        return
    with store.write_transaction(organization_id) as session:
        row = session.scalar(select(SummarySubscription).where(chosen))
        if row is None:
            return
        holder = LinkHolder(row.account_id, session.get_one(Account, row.account_id).email)
        record_for(
            session,
            organization_id,
            holder,
            "summarySubscriptions.delete",
            target_of(row, None),
            state_of(row),
        )
        session.delete(row)


def _code(store: ControlStore, subscription_id: str) -> str:
    given = f"unsubscribe\0{subscription_id}".encode(errors="replace")
    return hmac.digest(signing_key(store, KEY), given, "sha256").hex()
