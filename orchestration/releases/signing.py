"""Signs a release: its image, its provenance and its bill of materials.

Keep out: how the parts are made (building.py), and the check (verification.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestration.releases import attestations, contents, image_signature


def sign(folder: Path, key_file: Path, provenance: Any) -> None:
    """Sign the release in `folder`, whose image and bill of materials are there. Raises KeyUnusable.

    `provenance` is a predicate of https://slsa.dev/provenance/v1.
    """
    signer = attestations.private_key(key_file)
    image_signature.write(folder, signer)
    digest = contents.sha256(folder / contents.MANIFEST)
    attestations.write(
        folder / contents.BILL_ATTESTATION,
        signer,
        {contents.MANIFEST: digest},
        attestations.CYCLONEDX,
        contents.read_json(folder, contents.BILL),
    )
    subjects = {
        name: contents.sha256(path)
        for name, path in contents.files_of(folder).items()
        if name not in contents.SIGNED_APART and not name.startswith(f"{contents.IMAGE}/")
    }
    attestations.write(
        folder / contents.PROVENANCE,
        signer,
        {contents.MANIFEST: digest, **subjects},
        attestations.SLSA,
        provenance,
    )
    contents.write_digests(folder)
