"""Settings of the operator from the environment. Every process reads them when it starts.

Add: a rule about settings that every part of the service has to know. Keep out: the list of settings (variables.py),
settings of organizations (control database), paths and limits of a process (api.settings, ingest.settings). Plain
Python, because the import of a library would double the time in which `eas --help` answers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from api.operator.environment import StartRefused, malformed, misspelled, value_of
from api.operator.machines import DEFAULT_RUN_SLOTS, PUBLISHED_COPY, PUBLISHED_FROM, RUN_QUEUE, RUN_SLOTS
from api.operator.metrics import metrics_settings
from api.operator.root_keys import SUPPORT_KEYS
from api.operator.variables import (
    ADDRESS,
    ADMINISTRATOR,
    BILLING,
    CHECKOUT,
    KIND,
    LICENSE,
    MAIL_SERVER,
    MAKE_KEY,
    NO_SUPPORT,
)

REFUSED = 2
"""Exit code of a process that does not start because of its settings, as for wrong usage."""


class DeploymentKind(StrEnum):
    """A single machine, servers of a customer, or a hosted service; upper case over HTTP."""

    LOCAL = "local"
    SELF_HOSTED = "self_hosted"
    CLOUD = "cloud"


class RootSigner(StrEnum):
    """Whose key signs root logins; upper case over HTTP."""

    ADMINISTRATOR = "administrator"
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The kind of deployment, the license, the payment system, mails, and the keys that sign root logins."""

    deployment: DeploymentKind = DeploymentKind.LOCAL
    license_key: str | None = field(default=None, repr=False)
    administrator_key: str | None = None
    is_support_disabled: bool = False
    # Where owners pay.
    checkout_url: str | None = None
    # Secrets with which the payment system may sign: several while one replaces another.
    billing_secrets: tuple[str, ...] = field(default=(), repr=False)
    # The public address of the application, where the operator sets one.
    address: str | None = None
    # Without a server for them mails are files.
    sends_mails: bool = False

    @property
    def root_keys(self) -> dict[str, RootSigner]:
        """The public keys that may sign root logins now. Only a self-hosted deployment has the service's support."""
        has_support = self.offers_support and self.has_own_address
        found = dict.fromkeys(SUPPORT_KEYS if has_support else (), RootSigner.SERVICE)
        if self.administrator_key is not None:
            found[self.administrator_key] = RootSigner.ADMINISTRATOR
        return found

    @property
    def offers_support(self) -> bool:
        """Whether the operator lets the service's own key sign root logins, once the deployment has an address."""
        return self.deployment is DeploymentKind.SELF_HOSTED and not self.is_support_disabled

    @property
    def has_own_address(self) -> bool:
        """Whether the address can tell this deployment from others. Each machine has loopback addresses.

        A credential names the address that it is for, and the service's key signs for all deployments.
        """
        return self.address is not None and not is_loopback(self.address)

    @property
    def allows_support(self) -> bool:
        """Whether the service's own key may sign root logins."""
        return RootSigner.SERVICE in self.root_keys.values()


def operator_settings() -> OperatorSettings:
    """The settings of the environment. Raises StartRefused."""
    administrator_key = value_of(ADMINISTRATOR)
    is_support_disabled = bool(value_of(NO_SUPPORT))
    if is_support_disabled and administrator_key is None:
        raise StartRefused(
            ADMINISTRATOR,
            f"{NO_SUPPORT}=true leaves {ADMINISTRATOR} as the only key that signs in as root, and it is not set; "
            f"set it to the public key that {MAKE_KEY} prints, or remove {NO_SUPPORT}",
        )
    return OperatorSettings(
        DeploymentKind(value_of(KIND) or DeploymentKind.LOCAL),
        value_of(LICENSE),
        administrator_key,
        is_support_disabled,
        value_of(CHECKOUT),
        value_of(BILLING) or (),
        value_of(ADDRESS),
        value_of(MAIL_SERVER) is not None,
    )


def refuse_both_stores() -> None:
    """Refuse a machine that copies its builds and fetches them as well: it makes none. Raises StartRefused."""
    if value_of(PUBLISHED_COPY) is not None and value_of(PUBLISHED_FROM) is not None:
        raise StartRefused(
            PUBLISHED_COPY,
            f"{PUBLISHED_COPY} is for the machine that builds, and {PUBLISHED_FROM} for those that fetch its builds; "
            f"unset {PUBLISHED_FROM} if this machine builds, or {PUBLISHED_COPY} if it only answers",
        )


def refuse_few_places() -> None:
    """Refuse two places for reading, builds and copies: hosts and stores that do not answer can hold both.

    Raises StartRefused.
    """
    if value_of(PUBLISHED_COPY) is None or value_of(RUN_QUEUE) is None:
        return
    if int(value_of(RUN_SLOTS) or DEFAULT_RUN_SLOTS) <= DEFAULT_RUN_SLOTS:
        raise StartRefused(
            RUN_SLOTS,
            f"{RUN_SLOTS} has to be at least 3 with {PUBLISHED_COPY}: reading, builds and copies need a place each; "
            f"set {RUN_SLOTS}=3, and start workers with 3 places",
        )


def problems(*checks: Callable[[], object]) -> list[StartRefused]:
    """Why no process starts with the settings of the environment. `checks` are further ones that raise StartRefused."""
    found = {str(error): error for error in malformed()}
    for check in (operator_settings, metrics_settings, refuse_both_stores, refuse_few_places, *checks):
        try:
            check()
        except StartRefused as error:
            found.setdefault(str(error), error)
    return list(found.values())


def start_or_exit(*checks: Callable[[], object]) -> None:
    """End this process with code 2 and a sentence per problem, unless it may start with its settings.

    It warns of variables that look like settings and are none, and removes them, so that the processes that this one
    starts do not warn again.
    """
    for name, sentence in misspelled():
        sys.stderr.write(f"Warning: {sentence}.\n")
        del os.environ[name]
    if found := problems(*checks):
        for error in found:
            sys.stderr.write(f"Error: {error}.\n")
        sys.exit(REFUSED)


def application_address() -> str:
    """The public address of this deployment without a slash at its end. Raises StartRefused."""
    port = value_of("EAS_API_PORT")
    return str(value_of(ADDRESS) or f"http://127.0.0.1:{8000 if port is None else port}").rstrip("/")


def is_loopback(address: str) -> bool:
    """Whether an address leads to the machine on which it is opened; also for one that names no host."""
    import ipaddress  # noqa: PLC0415 - every command imports this module
    import socket  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return True
    if not host or host == "localhost" or host.endswith((".localhost", ".localdomain")):
        return True
    with suppress(OSError):
        # Also 127.1 and 2130706433.
        host = socket.inet_ntoa(socket.inet_aton(host))
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_loopback or ip.is_unspecified
