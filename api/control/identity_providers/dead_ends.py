"""Sentences for those who cannot sign in: people whose account keeps an organization's provider from it, and operators
of a deployment without any way in.

Each names a way that this deployment offers. Keep out: when it does not sign them in (joining.py).
"""

from api.control.accounts.sign_in_rules import OfferedWays
from api.operator.variables import PASSWORDS, SIGN_IN


def own_first(ways: OfferedWays) -> str:
    """For somebody with an account of their own that is no member."""
    known = "you have an account with this address already"
    if not ways.has_passwords and not ways.has_providers:
        return (
            f"{known}, and this deployment offers no way to sign in to it; ask its operator to make the account a "
            "member with `eas account grant`"
        )
    return (
        f"{known}, which joins only if you agree: sign in to it at /signIn, open the link of the invitation, and "
        "from then on sign in here"
    )


def unproven(ways: OfferedWays) -> str:
    """The next step for a person whose address belongs to an unverified account."""
    if ways.has_passwords:
        proof = "reset the password of that account by mail, which proves the address, and sign in here again"
    elif ways.has_providers:
        proof = "sign in at /signIn once, which proves the address, and then here again"
    else:
        proof = (
            "this deployment offers no way to prove that it is yours, so ask its operator to take passwords "
            "(EAS_PASSWORD_SIGN_IN) until you have reset that one by mail"
        )
    return f"somebody signed up with your address and never verified it; {proof}"


def no_way_in(ways: OfferedWays, *, has_own_providers: bool) -> str | None:
    """For the operator of a deployment that offers no way to sign in; None where it offers one."""
    if ways.has_passwords or ways.has_providers:
        return None
    who = (
        "nobody can sign in but with the providers of organizations"
        if has_own_providers
        else "nobody can sign in"
    )
    return (
        f"{who}: passwords are off and the deployment has no identity provider; set {SIGN_IN}<KIND>_CLIENT_ID and "
        f"…_CLIENT_SECRET, or remove {PASSWORDS}=false, and start the API again"
    )
