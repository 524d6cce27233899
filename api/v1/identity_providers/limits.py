"""Rate limits of identity providers."""

from datetime import timedelta

from api.control.accounts.throttles import Allowance

# Each makes the service send a request to an address that somebody chose.
CHECKS = Allowance("check issuers for this organization", 30, timedelta(seconds=20))
