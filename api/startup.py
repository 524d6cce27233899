"""The log of the API when it starts: what the operator has to know or do.

Keep out: settings with which nothing starts (operator/settings.py).
"""

import logging
from collections.abc import Iterable

from api.control.accounts.sign_in_rules import OfferedWays
from api.control.connections.usable import usable_connections
from api.control.errors import BadSecretKey
from api.control.identity_providers.dead_ends import no_way_in
from api.control.identity_providers.usable import checked_providers
from api.control.models import Connection, IdentityProvider
from api.control.sealed_rows import encrypt_anew
from api.control.store import ControlStore
from api.operator.license import LicenseState, LicenseStatus

logger = logging.getLogger(__name__)

# A lost key concerns all of them, and a deployment may have thousands.
MAX_NAMED = 10


def log_license(status: LicenseStatus) -> None:
    """Tell the operator about the license."""
    if status.pauses_analysis:
        logger.error("license: %s", status.message)
    elif status.state in (LicenseState.APPROACHING_EXPIRY, LicenseState.IN_GRACE):
        logger.warning("license: %s", status.message)
    else:
        logger.info("license: %s", status.message)


def renew_encryption(store: ControlStore) -> None:
    """Move the stored secrets to the newest key. Without the key everything else still works."""
    try:
        if encrypt_anew(store, Connection):
            found = usable_connections(store)
            _log_unreadable(
                "token", "connection", ((one.name, one.organization_slug, one.problem) for one in found)
            )
        if encrypt_anew(store, IdentityProvider):
            providers = checked_providers(store)
            _log_unreadable(
                "client secret",
                "identity provider",
                ((one.record.name, one.organization_slug, one.problem) for one in providers),
            )
    except BadSecretKey as error:
        logger.error("no token of a connection and no client secret can be read: %s", error)


def log_ways(store: ControlStore, ways: OfferedWays) -> None:
    """Warn where nobody can sign in."""
    if problem := no_way_in(ways, has_own_providers=bool(checked_providers(store))):
        logger.warning("%s", problem)


def _log_unreadable(secret: str, noun: str, found: Iterable[tuple[str, str, str | None]]) -> None:
    unreadable = [(name, slug, problem) for name, slug, problem in found if problem is not None]
    if not unreadable:
        return
    named = ", ".join(f"{name!r} of {slug}" for name, slug, _ in unreadable[:MAX_NAMED])
    others = f" and {len(unreadable) - MAX_NAMED} more" if len(unreadable) > MAX_NAMED else ""
    what = f"{secret}s of {noun}s" if len(unreadable) > 1 else f"{secret} of the {noun}"
    logger.error(
        "the %s %s%s cannot be read (`eas doctor` names each): %s", what, named, others, unreadable[0][2]
    )
