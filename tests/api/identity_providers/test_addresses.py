"""Which addresses of each kind count as verified, by the providers' own documents."""

from typing import Any

import pytest

from api.control.identity_providers.kinds import ProviderKind
from api.identity_providers import github
from api.identity_providers.addresses import verified_addresses

TENANT = "https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0"
COMMON = "https://login.microsoftonline.com/common/v2.0"
ORGANIZATIONS = "https://login.microsoftonline.com/organizations/v2.0"
OTHER = "https://login.example"
MICROSOFT, GOOGLE = ProviderKind.MICROSOFT, ProviderKind.GOOGLE
GITLAB, OPENID = ProviderKind.GITLAB, ProviderKind.OPENID_CONNECT


@pytest.mark.parametrize(
    ("kind", "issuer", "claims", "counts"),
    [
        (OPENID, OTHER, {"email_verified": True}, True),
        (OPENID, OTHER, {"email_verified": "true"}, True),
        (OPENID, OTHER, {"email_verified": False}, False),
        (OPENID, OTHER, {"email_verified": "false"}, False),
        (OPENID, OTHER, {"email_verified": 1.5}, False),
        (OPENID, OTHER, {"email_verified": 1}, False),
        (GOOGLE, OTHER, {"email_verified": 1, "hd": "example.org"}, False),
        (OPENID, OTHER, {"email_verified": ["true"]}, False),
        (OPENID, OTHER, {}, False),
        (OPENID, OTHER, {"xms_edov": True}, False),
        (GITLAB, OTHER, {"email_verified": True}, True),
        (GITLAB, OTHER, {}, False),
        # The take-over that is known as nOAuth: an administrator of any tenant writes any address.
        (MICROSOFT, COMMON, {}, False),
        (MICROSOFT, ORGANIZATIONS, {}, False),
        (MICROSOFT, ORGANIZATIONS, {"email_verified": True}, False),
        (MICROSOFT, COMMON, {"xms_edov": False}, False),
        (MICROSOFT, COMMON, {"xms_edov": "0"}, False),
        (MICROSOFT, COMMON, {"xms_edov": True}, True),
        (MICROSOFT, COMMON, {"xms_edov": 1}, True),
        (MICROSOFT, COMMON, {"xms_edov": "1"}, True),
        # A tenant that the operator chose.
        (MICROSOFT, TENANT, {}, True),
        (MICROSOFT, TENANT, {"xms_edov": False}, False),
        (GOOGLE, OTHER, {"email_verified": True}, False),
        (GOOGLE, OTHER, {"email_verified": True, "hd": "example.org"}, True),
        (GOOGLE, OTHER, {"email_verified": False, "hd": "example.org"}, False),
    ],
    ids=str,
)
def test_an_address_counts_where_the_provider_proves_it(
    kind: ProviderKind, issuer: str, claims: dict[str, Any], counts: bool
) -> None:
    address = "ada@example.org"
    assert verified_addresses(kind, issuer, claims | {"email": address}) == ((address,) if counts else ())
    assert verified_addresses(kind, issuer, claims) == ()
    assert verified_addresses(kind, issuer, claims | {"email": [address]}) == ()


def test_google_hosts_its_own_addresses() -> None:
    claims = {"email": "ada@gmail.com", "email_verified": True}
    assert verified_addresses(GOOGLE, OTHER, claims) == ("ada@gmail.com",)
    assert verified_addresses(GOOGLE, OTHER, claims | {"email": "ada@gmail.com.evil.example"}) == ()


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([{"email": "a@x.org", "verified": True, "primary": False}], ("a@x.org",)),
        (
            [
                {"email": "b@x.org", "verified": True, "primary": False},
                {"email": "a@x.org", "verified": True, "primary": True},
                {"email": "c@x.org", "verified": False, "primary": False},
                {"email": "1+a@users.noreply.github.com", "verified": True, "primary": False},
            ],
            ("a@x.org", "b@x.org"),
        ),
        (
            [{"email": "a@x.org", "primary": True}, {"email": "b@x.org", "verified": "yes"}, "c@x.org", None],
            (),
        ),
        ({"email": "a@x.org", "verified": True}, ()),
        (None, ()),
    ],
    ids=str,
)
def test_github_lists_verified_addresses_the_primary_one_first(listed: Any, found: tuple[str, ...]) -> None:
    assert github.verified_addresses(listed) == found
