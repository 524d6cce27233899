"""Rate limits of attempts that guess or flood, by address and by client network."""

from datetime import timedelta

from fastapi import Request

from api.control.accounts.throttles import Allowance, Try
from api.http.client_networks import client_network

# Per person and client network: a typing mistake or two costs nothing, guessing gets half a minute per word.
SIGN_IN_HERE = Allowance("sign in", 5, timedelta(seconds=30))
# Per person from anywhere: looser, so a remote attacker does not lock the person out at once.
SIGN_IN_ANYWHERE = Allowance("sign in to this account", 30, timedelta(seconds=20))
# Per client network, for all accounts: one password tried on many accounts.
PASSWORDS_FROM_HERE = Allowance("sign in from here", 60, timedelta(seconds=5))
SIGN_UP_FROM_HERE = Allowance("sign up", 20, timedelta(seconds=30))
# As for a reset: the answer tells whether the address is registered.
SIGN_UP_OF_ONE = Allowance("sign up", 3, timedelta(minutes=10))
RESET_OF_ONE = Allowance("reset this password", 3, timedelta(minutes=10))
RESET_FROM_HERE = Allowance("reset passwords from here", 20, timedelta(seconds=30))
VERIFICATION_OF_ONE = Allowance("ask for a confirmation", 3, timedelta(minutes=10))

# A signature cannot be guessed; this bounds what a flood costs.
ROOT_LOGINS_FROM_HERE = Allowance("sign in as root from here", 60, timedelta(seconds=5))
LINKS_FROM_HERE = Allowance("open links from here", 60, timedelta(seconds=5))

# Each begins or ends a way to an identity provider, which the service asks then.
PROVIDERS_FROM_HERE = Allowance("sign in with identity providers from here", 60, timedelta(seconds=5))


def sign_in_tries(request: Request, email: str) -> list[Try]:
    """The rate limits that one sign-in attempt counts against."""
    key, here = email.strip().lower(), client_network(request)
    return [
        Try(SIGN_IN_HERE, f"{key}\0{here}"),
        Try(SIGN_IN_ANYWHERE, key),
        Try(PASSWORDS_FROM_HERE, here),
    ]
