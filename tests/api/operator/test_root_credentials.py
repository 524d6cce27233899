"""Credentials of root logins: signatures, claims, and each boundary of their times."""

import base64
import hmac
import json
import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from joserfc.jwk import OKPKey

from api.operator.license import PUBLIC_KEYS as LICENSE_KEYS
from api.operator.root_credentials import (
    PRIVATE_PREFIX,
    BadCredential,
    RootCredential,
    new_private_key,
    private_key,
    public_part,
    read_credential,
    sign_credential,
)
from api.operator.root_keys import FIELD, SMALL_ORDER, SUPPORT_KEYS, problem_of_key
from api.operator.settings import RootSigner
from tests.api.operator.signing import (
    ADDRESS,
    KEY,
    PRIVATE,
    PUBLIC,
    START,
    license_of,
    root_claims,
    root_credential,
    signed,
)

OTHER = OKPKey.generate_key("Ed25519")
OTHER_PUBLIC = str(OTHER.as_dict(private=False)["x"])
KEYS = {PUBLIC: RootSigner.ADMINISTRATOR}
BOTH = KEYS | {OTHER_PUBLIC: RootSigner.SERVICE}
SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)


def read(text: str, **given: Any) -> RootCredential:
    expected: dict[str, Any] = {"keys": KEYS, "audience": ADDRESS, "now": START}
    return read_credential(text, **(expected | given))


def is_refused(text: str, **given: Any) -> bool:
    try:
        read(text, **given)
    except BadCredential:
        return True
    return False


def encoded(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def by_hand(header: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """A token with any header."""
    text = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(root_claims()).encode())}"
    return f"{text}.{encoded(sign(text.encode()))}"


def forged() -> dict[str, str]:
    """Texts that are no credential, by what is wrong with them."""
    whole = root_credential()
    header, payload, signature = whole.split(".")
    public = base64.urlsafe_b64decode(f"{PUBLIC}=")
    own, signing = Ed25519PrivateKey.generate(), KEY.private_key
    assert isinstance(signing, Ed25519PrivateKey)
    named = {"kty": "OKP", "crv": "Ed25519", "x": encoded(own.public_key().public_bytes_raw())}
    return {
        "empty": "",
        "not a token": "impersonate me",
        "another key": root_credential(key=OTHER),
        "without signature": f"{header}.{payload}.",
        "without algorithm": by_hand({"alg": "none"}, lambda _: b""),
        "public key as a secret": by_hand({"alg": "HS256"}, lambda text: hmac.digest(public, text, "sha256")),
        "signature of another": f"{header}.{payload}.{root_credential().split('.')[2]}",
        "header with a key of its own": by_hand({"alg": "EdDSA", "jwk": named}, own.sign),
        "unknown critical header": by_hand({"alg": "EdDSA", "crit": ["x"], "x": 1}, signing.sign),
        "another algorithm": by_hand({"alg": "RS256"}, signing.sign),
        "part missing": f"{header}.{payload}",
        "part too many": f"{whole}.{signature}",
        "claims that are no object": signed("[1]"),
        "claims that are no JSON": signed("{"),
        "very long": "a" * 1_000_000,
        "deeply nested": signed("[" * 3000 + "]" * 3000),
        # Older scripts signed who and until when, and nothing else.
        "older script": signed({"email": "ada@example.org", "exp": START.timestamp() + 600}),
        "license": license_of(),
        "license with the other claims": license_of(iss="a", id="b", aud=ADDRESS, iat=START.timestamp()),
    }


def wrong_claims() -> dict[str, dict[str, Any]]:
    at = START.timestamp()
    return {
        **{f"without {name}": {name: None} for name in ("iss", "type", "id", "aud", "iat", "nbf", "exp")},
        **{
            f"{name} is {value!r:.12}": {name: value}
            for name in ("iss", "id")
            for value in ("", " ", 1, True, ["a"], "a\nb", "a\0", "\u202e", "\ud800", "a" * 101)
        },
        **{f"type is {value!r}": {"type": value} for value in ("license", "ROOT_LOGIN", ["root_login"], "")},
        **{
            f"aud is {value!r}": {"aud": value}
            for value in (
                "https://other.example",
                "http://eas.example",
                "https://eas.example:443",
                "https://eas.example/impersonate",
                "https://eas.example.evil",
                "https://EAS.example",
                [ADDRESS],
                "*",
                "",
            )
        },
        **{
            f"{name} is {value!r}": {name: value}
            for name in ("iat", "nbf", "exp")
            for value in (str(int(at)), True, 1e300, -1e300, [at])
        },
        "no end": {"exp": math.inf},
        "no number": {"iat": math.nan},
        "ends before it was made": {"exp": at - 1},
        "made just now and valid for ever": {"exp": at + 10**9},
        "lives ten minutes and a second": {"exp": at + 601},
    }


@pytest.mark.parametrize("reason", forged())
def test_a_text_without_a_right_signature_signs_nobody_in(reason: str) -> None:
    assert is_refused(forged()[reason])


@pytest.mark.parametrize("reason", wrong_claims())
def test_every_claim_is_required_and_checked(reason: str) -> None:
    assert is_refused(root_credential(**wrong_claims()[reason]))


def test_a_reason_repeats_nothing_of_the_text() -> None:
    texts = [
        *forged().values(),
        *(
            root_credential(iss="N0mad-7", **claims)
            for claims in wrong_claims().values()
            if "iss" not in claims
        ),
    ]
    for text in filter(None, texts):
        with pytest.raises(BadCredential) as refused:
            read(text)
        assert text not in str(refused.value)
        assert "N0mad-7" not in str(refused.value)


def test_a_credential_with_all_claims_signs_in() -> None:
    found = read(root_credential(iss="ada@laptop", id="7"))
    assert (found.issuer, found.id, found.key, found.signer) == (
        "ada@laptop",
        "7",
        PUBLIC,
        RootSigner.ADMINISTRATOR,
    )
    assert found.expires_at == START + timedelta(minutes=10)


@pytest.mark.parametrize("aimed", [ADDRESS, f"{ADDRESS}/"])
@pytest.mark.parametrize("own", [ADDRESS, f"{ADDRESS}/"])
def test_a_slash_at_the_end_of_the_address_does_not_matter(aimed: str, own: str) -> None:
    assert not is_refused(root_credential(aud=aimed), audience=own)


@pytest.mark.parametrize(
    ("moved", "is_valid"),
    [
        (timedelta(minutes=-10), False),
        (timedelta(seconds=-31), False),
        (timedelta(seconds=-30) - MICROSECOND, False),
        (timedelta(seconds=-30), True),
        (timedelta(0), True),
        (timedelta(minutes=10) - MICROSECOND, True),
        (timedelta(minutes=10), False),
        (timedelta(minutes=10) + MICROSECOND, False),
        (timedelta(days=365), False),
    ],
)
def test_it_is_valid_for_ten_minutes_and_may_be_ahead_by_half_a_minute(
    moved: timedelta, is_valid: bool
) -> None:
    assert is_refused(root_credential(), now=START + moved) is not is_valid


@pytest.mark.parametrize("name", ["iat", "nbf"])
@pytest.mark.parametrize(("seconds", "is_valid"), [(30, True), (30.5, False), (31, False)])
def test_neither_time_may_be_far_ahead(name: str, seconds: float, is_valid: bool) -> None:
    assert is_refused(signed(root_claims() | {name: START.timestamp() + seconds})) is not is_valid


@pytest.mark.parametrize(
    ("life", "is_valid"), [(0, False), (0.5, True), (599, True), (600, True), (600.5, False)]
)
def test_the_life_is_at_most_ten_minutes(life: float, is_valid: bool) -> None:
    assert is_refused(root_credential(exp=START.timestamp() + life)) is not is_valid


def test_the_key_that_signed_is_named() -> None:
    assert read(root_credential(), keys=BOTH).signer is RootSigner.ADMINISTRATOR
    assert read(root_credential(key=OTHER), keys=BOTH).signer is RootSigner.SERVICE
    assert is_refused(root_credential(), keys={})


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_character_signs_in_somebody_else(place: int, by: int) -> None:
    text = root_credential(id="fixed")
    place %= len(text)
    changed = text[:place] + chr((ord(text[place]) + by) % 256) + text[place + 1 :]
    try:
        found = read(changed)
    except BadCredential:
        return
    # The last character of a part has bits that belong to no byte.
    assert found == read(text)


def test_a_signed_credential_is_read_and_has_an_id_of_its_own() -> None:
    key = private_key(f"{new_private_key()}\n")
    keys = {public_part(key): RootSigner.ADMINISTRATOR}
    ids = set()
    for _ in range(20):
        text = sign_credential(key, issuer="ada@laptop", audience=f"{ADDRESS}/", now=START + SECOND / 2)
        found = read(text, keys=keys)
        assert (found.issuer, found.expires_at) == ("ada@laptop", START + timedelta(minutes=10))
        ids.add(found.id)
    assert len(ids) == 20


def test_a_private_key_can_be_in_pem_too() -> None:
    assert public_part(private_key(KEY.as_pem(private=True).decode())) == PUBLIC


@pytest.mark.parametrize(
    "text", ["", "x", PUBLIC, "private_root_key_", f"private_root_key_{PUBLIC}A", "-----BEGIN"]
)
def test_another_text_is_no_private_key_and_is_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="no private key") as refused:
        private_key(text)
    assert not text or text not in str(refused.value)


def test_a_public_key_in_pem_does_not_sign() -> None:
    with pytest.raises(ValueError, match="no private key"):
        private_key(KEY.as_pem(private=False).decode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        PUBLIC[:-1],
        f"{PUBLIC}=",
        f"{PUBLIC}A",
        f" {PUBLIC}",
        PUBLIC[:-1] + "é",
        "+" * 43,
        f"{PRIVATE_PREFIX}{PRIVATE}",
    ],
)
def test_another_text_is_no_public_key(text: str) -> None:
    assert "no public key" in (problem_of_key(text) or "")


def test_a_public_key_is_one() -> None:
    assert problem_of_key(PUBLIC) is None


@pytest.mark.parametrize("ordinate", [*sorted(SMALL_ORDER), FIELD, FIELD + 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_a_key_for_which_anybody_can_sign_is_refused(ordinate: int, sign: int) -> None:
    raw = (ordinate | sign << 255).to_bytes(32, "little")
    assert "weak" in (problem_of_key(base64.urlsafe_b64encode(raw).decode().rstrip("=")) or "")
    # What it is refused for: a signature that no private key made is right for one of a few texts.
    nothing = (1).to_bytes(32, "little") + bytes(32)
    if ordinate in (0, 1, FIELD - 1) and not sign:
        assert any(_is_signed(raw, nothing, bytes([text])) for text in range(64))


def _is_signed(key: bytes, signature: bytes, text: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def test_no_made_key_is_weak() -> None:
    for _ in range(100):
        raw = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
        assert problem_of_key(base64.urlsafe_b64encode(raw).decode().rstrip("=")) is None


def test_the_keys_of_the_provider_are_none_of_an_administrator_and_none_of_licenses() -> None:
    assert SUPPORT_KEYS
    assert set(SUPPORT_KEYS).isdisjoint(LICENSE_KEYS)
    for key in SUPPORT_KEYS:
        assert "one of your own" in (problem_of_key(key) or "")
