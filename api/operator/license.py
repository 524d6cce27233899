"""The license of a self-hosted deployment, verified offline, and its state at an instant.

A license is a signed text with the claims `type` ("license"), `licensee`, `nbf`, `exp`, `grace_days` and `limits`.
Keep out: signing (the release scripts), and what waits while the license pauses the analysis (plans/plans.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeGuard

from joserfc.jwk import OKPKey

from api.operator.settings import DeploymentKind, OperatorSettings, operator_settings
from api.operator.signatures import BadSignature, instant_claim, public_key, signed_claims
from api.operator.variables import LICENSE

TYPE = "license"
PUBLIC_KEYS: tuple[str, ...] = ("zRtdlNrWvAyRUMoyMtxbg8ZAnVXp_QAHGyLrMIOdnYw",)
"""Keys of the service's provider. A retired key stays as long as licenses that it signed are valid."""
# Long enough for a purchase.
WARNED_DAYS = 30
MAX_GRACE_DAYS = 366
PAUSED = "new analysis is paused, and published figures stay readable"


class LicenseState(StrEnum):
    """The state of a license at an instant; upper case over HTTP."""

    NOT_REQUIRED = "not_required"
    VALID = "valid"
    APPROACHING_EXPIRY = "approaching_expiry"
    IN_GRACE = "in_grace"
    EXPIRED = "expired"
    ABSENT = "absent"
    NOT_YET_VALID = "not_yet_valid"
    UNVERIFIABLE = "unverifiable"


RUNNING = frozenset(
    {LicenseState.NOT_REQUIRED, LicenseState.VALID, LicenseState.APPROACHING_EXPIRY, LicenseState.IN_GRACE}
)


@dataclass(frozen=True, slots=True)
class License:
    """A verified license. `limits` are numbers by name, such as developers; the service shows them."""

    licensee: str
    valid_from: datetime
    expires_at: datetime
    grace_days: int
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def grace_ends_at(self) -> datetime:
        """The instant at which new analysis pauses."""
        return self.expires_at + timedelta(days=self.grace_days)


@dataclass(frozen=True, slots=True)
class LicenseStatus:
    """The state with its message for the operator."""

    state: LicenseState
    message: str
    license: License | None = None

    @property
    def pauses_analysis(self) -> bool:
        """Whether new commits wait."""
        return self.state not in RUNNING


def license_status(now: datetime, settings: OperatorSettings | None = None) -> LicenseStatus:
    """The state of this deployment's license at an instant with time zone."""
    chosen = settings or operator_settings()
    if chosen.deployment is not DeploymentKind.SELF_HOSTED:
        message = f"a {chosen.deployment.value.replace('_', '-')} deployment needs no license"
        return LicenseStatus(LicenseState.NOT_REQUIRED, message)
    if chosen.license_key is None:
        message = f"this self-hosted deployment has no license: {PAUSED}. Set {LICENSE} to the license key and restart"
        return LicenseStatus(LicenseState.ABSENT, message)
    try:
        # A mail program may have wrapped the key into lines.
        return _at(now, read_license("".join(chosen.license_key.split())))
    except ValueError:
        message = f"{LICENSE} is no license of this service: {PAUSED}. Copy the whole key as it was sent, and restart"
        return LicenseStatus(LicenseState.UNVERIFIABLE, message)


def read_license(token: str, keys: Sequence[OKPKey] | None = None) -> License:
    """A license whose signature is right, expired or not. Raises ValueError for any other text."""
    known = [public_key(one) for one in PUBLIC_KEYS] if keys is None else keys
    try:
        claims = signed_claims(token, known)
    except BadSignature:
        raise ValueError("no license") from None
    licensee, grace, limits = claims.get("licensee"), claims.get("grace_days"), claims.get("limits", {})
    if claims.get("type") != TYPE or not isinstance(licensee, str) or not licensee.strip():
        raise ValueError("no license")
    if not _is_count(grace) or grace > MAX_GRACE_DAYS:
        raise ValueError("the days of grace are no number")
    if not isinstance(limits, dict) or not all(map(_is_count, limits.values())):
        raise ValueError("a limit is no number")
    starts, ends = instant_claim(claims, "nbf"), instant_claim(claims, "exp")
    if ends <= starts or ends.year > 9000:
        raise ValueError("the license ends before it starts")
    printable = "".join(character for character in licensee if character.isprintable())
    return License(printable.strip(), starts, ends, grace, limits)


def _at(now: datetime, found: License) -> LicenseStatus:
    name, ended = f"the license of {found.licensee}", f"{found.expires_at:%Y-%m-%d}"
    renew = f"ask the provider for a renewal, set {LICENSE} to it and restart"
    if now < found.valid_from:
        starts = f"{found.valid_from:%Y-%m-%d %H:%M} UTC"
        text = (
            f"{name} is valid from {starts}: new analysis is paused until then. Look at the clock of this machine "
            f"({now:%Y-%m-%d})"
        )
        return LicenseStatus(LicenseState.NOT_YET_VALID, text, found)
    if now < found.expires_at - timedelta(days=WARNED_DAYS):
        return LicenseStatus(LicenseState.VALID, f"{name} is valid until {ended}", found)
    if now < found.expires_at:
        days = (found.expires_at - now).days
        left = {0: "within a day", 1: "in 1 day"}.get(days, f"in {days} days")
        text = f"{name} ends on {ended}, {left}: {renew}"
        return LicenseStatus(LicenseState.APPROACHING_EXPIRY, text, found)
    if now < found.grace_ends_at:
        text = f"{name} ended on {ended}. Analysis goes on until {found.grace_ends_at:%Y-%m-%d}: {renew}"
        return LicenseStatus(LicenseState.IN_GRACE, text, found)
    return LicenseStatus(LicenseState.EXPIRED, f"{name} ended on {ended}: {PAUSED}. To go on, {renew}", found)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
