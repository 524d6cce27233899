"""Signed statements about files: in-toto statements in envelopes of DSSE.

https://github.com/in-toto/attestation/tree/main/spec/v1 and https://github.com/secure-systems-lab/dsse. Cosign and
slsa-verifier read the same envelopes. Keep out: what a statement says (verification.py, building.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import FormatError, VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from orchestration.releases.contents import KeyUnusable, ReleaseBroken, read_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
SLSA = "https://slsa.dev/provenance/v1"
CYCLONEDX = "https://cyclonedx.org/bom"


def private_key(file: Path) -> CryptoSigner:
    """The signer of a private key in PEM without password. Raises KeyUnusable."""
    try:
        return CryptoSigner(load_pem_private_key(file.read_bytes(), None))
    except OSError as error:
        raise KeyUnusable(f"the key {file} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise KeyUnusable(f"{file} is no private key in PEM without password") from error


def public_key(file: Path) -> SSlibKey:
    """The public key in a file of PEM. Raises KeyUnusable."""
    try:
        return SSlibKey.from_crypto(load_pem_public_key(file.read_bytes()))
    except OSError as error:
        raise KeyUnusable(f"the key {file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise KeyUnusable(f"{file} is no public key in PEM") from error


def write(file: Path, signer: CryptoSigner, subjects: Mapping[str, str], kind: str, predicate: Any) -> None:
    """Write a signed statement of this kind about subjects: SHA-256 in hexadecimal digits by name."""
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects.items()],
        "predicateType": kind,
        "predicate": predicate,
    }
    envelope = Envelope(json.dumps(statement, sort_keys=True).encode(), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    file.write_text(json.dumps(envelope.to_dict()))


def subjects_of(folder: Path, name: str, key: SSlibKey, kind: str) -> tuple[dict[str, str], Any]:
    """The subjects and the predicate of a statement that this key signed. Raises ReleaseBroken."""
    try:
        envelope = Envelope.from_dict(read_json(folder, name))
        envelope.verify([key], 1)
    except VerificationError as error:
        raise ReleaseBroken(f"{name} is not signed by the key, or was changed afterwards") from error
    except (FormatError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReleaseBroken(f"{name} is no signed statement") from error
    # What follows was signed, so that its form is as the signer made it.
    statement = json.loads(envelope.payload)
    if envelope.payload_type != PAYLOAD_TYPE or statement.get("predicateType") != kind:
        raise ReleaseBroken(f"{name} states something else than {kind}")
    digests = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    return digests, statement["predicate"]
