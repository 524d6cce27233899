"""Which addresses of a provider count as verified. Accounts are joined by these alone.

Sources: OpenID Connect Core 1.0, section 5.7 (an address identifies nobody across providers);
https://learn.microsoft.com/entra/identity-platform/migrate-off-email-claim-authorization (Microsoft's `email` is free
text of a tenant's administrator unless `xms_edov` says otherwise);
https://developers.google.com/identity/gsi/web/guides/verify-google-id-token (Google speaks for its own addresses and
for those of a Workspace, `hd`).
"""

from collections.abc import Mapping
from typing import Any

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.unverified import WithoutAddress

# Issuers that stand for any tenant.
MULTI_TENANT = ("/common/", "/organizations/", "/consumers/")
GOOGLE_DOMAINS = frozenset({"gmail.com", "googlemail.com"})


def verified_addresses(kind: ProviderKind, issuer: str, claims: Mapping[str, Any]) -> tuple[str, ...]:
    """The address in claims if this provider proves that it belongs to the person; `issuer` is the configured one."""
    address = claims.get("email")
    if not isinstance(address, str) or not address:
        return ()
    if kind is ProviderKind.MICROSOFT:
        is_verified = _is_microsofts(issuer, claims)
    else:
        is_verified = _is_true(claims.get("email_verified"))
    if kind is ProviderKind.GOOGLE:
        is_verified = is_verified and _is_googles(address, claims)
    return (address,) if is_verified else ()


def without_address(
    name: str, kind: ProviderKind, issuer: str, claims: Mapping[str, Any]
) -> WithoutAddress | None:
    """Why no address in claims counts as verified, for the person and the administrator; None where one does."""
    if verified_addresses(kind, issuer, claims):
        return None
    if not claims.get("email"):
        return WithoutAddress(f"{name} does not send your e-mail address: {_release(kind, 'email')}", "email")
    if kind is ProviderKind.MICROSOFT:
        if "xms_edov" not in claims:
            return WithoutAddress(
                f"{name} does not confirm that your e-mail address is yours: {_release(kind, 'xms_edov')}",
                "xms_edov",
            )
        return WithoutAddress(
            f"{name} does not confirm that your e-mail address is yours: the claim xms_edov is false, because its "
            "domain is not verified in the directory; its administrator has to verify the domain"
        )
    if "email_verified" not in claims:
        return WithoutAddress(
            f"{name} does not confirm that your e-mail address is yours: {_release(kind, 'email_verified')}",
            "email_verified",
        )
    if kind is ProviderKind.GOOGLE and _is_true(claims["email_verified"]):
        return WithoutAddress(
            f"{name} does not host your e-mail address, and so cannot confirm that it is yours; use an account of "
            "Gmail or Google Workspace, or sign in another way"
        )
    return WithoutAddress(
        f"{name} does not confirm that your e-mail address is yours; verify it there, or sign in another way",
        detail=f"{name} does not confirm the address: the claim email_verified is not true",
    )


def _is_true(claim: Any) -> bool:
    """Whether a claim is true, also as text, which some providers send. 1 equals True in Python, and is none."""
    return claim is True or claim == "true"


def _release(kind: ProviderKind, claim: str) -> str:
    """The missing claim, and the setting with which the administrator of the provider adds it."""
    if kind is ProviderKind.MICROSOFT:
        place = (
            "as an optional claim to the ID token of this service's app registration (Token configuration)"
        )
        more = ", and a mail address to your profile" if claim == "email" else ""
        return f"the claim {claim} is missing; its administrator has to add it {place}{more}"
    return (
        f"the claim {claim} is missing; its administrator has to release it to this service, which asks for the scope "
        "email"
    )


def is_multi_tenant(issuer: str) -> bool:
    """Whether an issuer of Microsoft stands for any tenant."""
    return any(part in f"{issuer}/" for part in MULTI_TENANT)


def _is_microsofts(issuer: str, claims: Mapping[str, Any]) -> bool:
    """Whether the owner of the domain is verified, or the operator chose the tenant and so trusts its administrators.

    Without `xms_edov` an administrator of any tenant could name any address as a user's.
    """
    edov = claims.get("xms_edov")
    if edov is not None:
        return edov in (True, 1, "1", "true")
    return not is_multi_tenant(issuer)


def _is_googles(address: str, claims: Mapping[str, Any]) -> bool:
    """Whether Google hosts the address. A foreign one was verified once, and may have another owner today."""
    domain = address.rpartition("@")[2].lower()
    return domain in GOOGLE_DOMAINS or bool(claims.get("hd"))
