"""The signature of an image, which skopeo, podman and cosign verify.

Its form is "simple signing" of containers/image
(https://github.com/containers/image/blob/main/docs/containers-signature.5.md) in the file that skopeo's transport
`dir` reads. Keep out: attestations (attestations.py).
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.signer import CryptoSigner, SSlibKey

from orchestration.releases.contents import IMAGE_SIGNATURE, NAME, POLICY, ReleaseBroken, image_digest

MEDIA_TYPE = "application/vnd.dev.cosign.simplesigning.v1+json"
SIGNATURE = "dev.cosignproject.cosign/signature"
REPOSITORY_NAME = f"localhost/{NAME}"
"""A reference needs a host. The signature names none that anybody could own."""
MARK = b"\0sigstore-json\n"
"""The first bytes of a signature of this form, by which skopeo tells it from one of GnuPG."""


def write(folder: Path, signer: CryptoSigner) -> None:
    """Sign the image, and write the policy by which skopeo takes images with this signature alone."""
    payload = json.dumps(
        {
            "critical": {
                "identity": {"docker-reference": REPOSITORY_NAME},
                "image": {"docker-manifest-digest": image_digest(folder)},
                "type": "cosign container image signature",
            },
            "optional": None,
        }
    ).encode()
    signature = bytes.fromhex(signer.sign(payload).signature)
    blob = {
        "mimeType": MEDIA_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "annotations": {SIGNATURE: base64.b64encode(signature).decode()},
    }
    (folder / IMAGE_SIGNATURE).write_bytes(MARK + json.dumps(blob).encode())
    requirement = {
        "type": "sigstoreSigned",
        "keyData": base64.b64encode(pem_of(signer.public_key).encode()).decode(),
        "signedIdentity": {"type": "exactRepository", "dockerRepository": REPOSITORY_NAME},
    }
    policy = {"default": [{"type": "reject"}], "transports": {"dir": {"": [requirement]}}}
    (folder / POLICY).write_text(json.dumps(policy, indent=1) + "\n")


def check(folder: Path, key: SSlibKey) -> None:
    """Verify that this key signed the image. Raises ReleaseBroken."""
    try:
        blob = json.loads((folder / IMAGE_SIGNATURE).read_bytes().removeprefix(MARK))
        payload = base64.b64decode(blob["payload"], validate=True)
        signature = base64.b64decode(blob["annotations"][SIGNATURE], validate=True)
    except OSError as error:
        raise ReleaseBroken(f"{IMAGE_SIGNATURE} cannot be read: the image is not signed") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ReleaseBroken(f"{IMAGE_SIGNATURE} is no signature of an image") from error
    found = load_pem_public_key(pem_of(key).encode())
    if not isinstance(found, EllipticCurvePublicKey) or not isinstance(found.curve, SECP256R1):
        raise ReleaseBroken("the key is no key of ECDSA P-256, with which images are signed")
    try:
        found.verify(signature, payload, ECDSA(SHA256()))
    except InvalidSignature as error:
        raise ReleaseBroken(f"{IMAGE_SIGNATURE} is not by the key, or was changed afterwards") from error
    stated: Any = json.loads(payload)["critical"]
    if stated["image"]["docker-manifest-digest"] != image_digest(folder):
        raise ReleaseBroken(f"{IMAGE_SIGNATURE} is of another image")


def pem_of(key: SSlibKey) -> str:
    """The public key as PEM."""
    return str(key.keyval["public"])
