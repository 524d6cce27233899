"""Verification of a release before it is installed: every file, by one public key.

Keep out: how statements are signed (attestations.py), how a release is made (building.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from securesystemslib.signer import SSlibKey

from orchestration.releases import attestations, contents, image_signature
from orchestration.releases.contents import ReleaseBroken


def verify(folder: Path, key_file: Path) -> Iterator[str]:
    """Verify a release step by step, with a sentence for each step that holds.

    Raises ReleaseBroken at the first that does not, KeyUnusable for a key that cannot verify.
    """
    key = attestations.public_key(key_file)
    digest = contents.image_digest(folder)
    image_signature.check(folder, key)
    parts = contents.check_image(folder)
    yield f"The image is signed by the key and whole ({parts} parts): {digest}"
    _, provenance = _statement(folder, key, contents.PROVENANCE, attestations.SLSA)
    yield f"The provenance is signed: {_told(provenance)}"
    _, bill = _statement(folder, key, contents.BILL_ATTESTATION, attestations.CYCLONEDX)
    if bill != contents.read_json(folder, contents.BILL):
        raise ReleaseBroken(f"{contents.BILL} is another one than {contents.BILL_ATTESTATION} states")
    yield f"The software bill of materials is signed: {len(bill.get('components', ())):,} components"
    yield f"All {contents.check_digests(folder)} files have the digests of {contents.DIGESTS}"


def _statement(folder: Path, key: SSlibKey, name: str, kind: str) -> tuple[dict[str, str], Any]:
    """A signed statement about this release. Raises ReleaseBroken.

    The provenance is about every file that has no signature of its own, so that no file is without one.
    """
    subjects, predicate = attestations.subjects_of(folder, name, key, kind)
    found = contents.files_of(folder)
    for subject, digest in subjects.items():
        if subject not in found:
            raise ReleaseBroken(f"{subject} is missing; {name} names it")
        if contents.sha256(found[subject]) != digest:
            raise ReleaseBroken(f"{subject} is not the file that {name} is about")
    needed = {contents.MANIFEST}
    if kind == attestations.SLSA:
        parts = {one for one in found if one.startswith(f"{contents.IMAGE}/")}
        needed |= found.keys() - parts - set(contents.SIGNED_APART)
    for missing in sorted(needed - subjects.keys()):
        raise ReleaseBroken(f"{name} does not speak of {missing}")
    return subjects, predicate


def _told(provenance: Any) -> str:
    """What the provenance says, in one sentence."""
    definition = provenance["buildDefinition"]
    source = definition["externalParameters"]
    inputs = len(definition["resolvedDependencies"])
    return f"release {source['version']} of commit {source['commit'][:12]}, from {inputs:,} inputs"
