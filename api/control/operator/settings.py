"""Settings of the operator from the environment. Every process reads them when it starts.

Add: a setting that only the operator of the machine may change. Keep out: settings of organizations (control
database), paths and limits of a process (api.settings, ingest.settings). Plain Python, because the import of a library
would double the time in which `eas --help` answers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from api.control.operator.root_keys import SUPPORT_KEYS, problem_of_key

KIND = "EAS_DEPLOYMENT"
LICENSE = "EAS_LICENSE_KEY"
ADMINISTRATOR = "EAS_ADMINISTRATOR_KEY"
NO_SUPPORT = "DISABLE_SERVICE_SUPPORT_ACCESS"
ADDRESS = "EAS_APP_URL"
CHECKOUT = "EAS_CHECKOUT_URL"
BILLING = "EAS_BILLING_SECRET"
MAIL_SERVER = "EAS_SMTP_URL"
REFUSED = 2
"""Exit code of a process that does not start because of these settings, as for wrong usage."""
MAKE_KEY = f"`env -u {NO_SUPPORT} -u {ADMINISTRATOR} eas root-login new-key FILE`"


# As long as the digest of SHA-256.
MIN_SECRET_LENGTH = 32


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
        return self.address is not None and not _is_loopback(self.address)

    @property
    def allows_support(self) -> bool:
        """Whether the service's own key may sign root logins."""
        return RootSigner.SERVICE in self.root_keys.values()


class StartRefused(Exception):
    """The service does not start with these settings. The message names the variable and a remedy."""


def operator_settings() -> OperatorSettings:
    """The settings of the environment. Raises StartRefused."""
    kind = os.environ.get(KIND, "").strip() or DeploymentKind.LOCAL
    if kind not in tuple(DeploymentKind):
        kinds = ", ".join(DeploymentKind)
        raise StartRefused(f"{KIND}={kind!r} is no kind of deployment; use one of {kinds}")
    administrator_key = os.environ.get(ADMINISTRATOR, "").strip() or None
    if administrator_key is not None and (problem := problem_of_key(administrator_key)):
        # Without the value: somebody may have set the private key.
        raise StartRefused(f"{ADMINISTRATOR} {problem}; set it to the public key that {MAKE_KEY} prints")
    is_support_disabled = _is_true(NO_SUPPORT)
    if is_support_disabled and administrator_key is None:
        raise StartRefused(
            f"{NO_SUPPORT}=true leaves {ADMINISTRATOR} as the only key that signs in as root, and it is not set; "
            f"set it to the public key that {MAKE_KEY} prints, or remove {NO_SUPPORT}"
        )
    return OperatorSettings(
        DeploymentKind(kind),
        os.environ.get(LICENSE, "").strip() or None,
        administrator_key,
        is_support_disabled,
        _checkout_url(),
        _billing_secrets(),
        os.environ.get(ADDRESS, "").strip() or None,
        bool(os.environ.get(MAIL_SERVER, "").strip()),
    )


def start_or_exit(*checks: Callable[[], object]) -> None:
    """End this process with code 2 and the reason, unless the settings of the operator let it start.

    `checks` are further ones that raise StartRefused.
    """
    try:
        operator_settings()
        for check in checks:
            check()
    except StartRefused as error:
        sys.stderr.write(f"Error: {error}.\n")
        sys.exit(REFUSED)


def application_address() -> str:
    """The public address of this deployment as `EAS_APP_URL` has it, without a slash at its end."""
    given = os.environ.get(ADDRESS, "").strip()
    return (given or f"http://127.0.0.1:{os.environ.get('EAS_API_PORT', '').strip() or '8000'}").rstrip("/")


def _is_loopback(address: str) -> bool:
    """Whether an address leads to the machine of whoever opens it; also for one that names no host."""
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


def _is_true(name: str) -> bool:
    """A switch. A misspelled one would silently leave open what it was to close."""
    value = os.environ.get(name, "").strip()
    if value.lower() not in ("", "true", "false"):
        raise StartRefused(f"{name}={value!r} is neither true nor false; use one of them")
    return value.lower() == "true"


def _checkout_url() -> str | None:
    url = os.environ.get(CHECKOUT, "").strip()
    if url and (not url.startswith("https://") or "#" in url or any(map(str.isspace, url))):
        raise StartRefused(
            f"{CHECKOUT} is no address to pay at; use one that starts with https:// and has no #"
        )
    return url or None


def _billing_secrets() -> tuple[str, ...]:
    secrets = tuple(one for part in os.environ.get(BILLING, "").split(",") if (one := part.strip()))
    if any(len(one) < MIN_SECRET_LENGTH for one in secrets):
        raise StartRefused(
            f"{BILLING} holds a secret of fewer than {MIN_SECRET_LENGTH} characters; make one with "
            "`openssl rand -hex 32`. Separate several by commas"
        )
    return secrets
