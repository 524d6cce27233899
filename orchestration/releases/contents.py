"""The files of a release, and the digests by which people pin them.

A release is a folder: the container image in skopeo's transport `dir`, the bill of materials, two attestations, the
policy for skopeo and the file of digests. Keep out: signatures (attestations.py, image_signature.py).
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

IMAGE = "image"
MANIFEST = f"{IMAGE}/manifest.json"
IMAGE_SIGNATURE = f"{IMAGE}/signature-1"
BILL = "sbom.cdx.json"
PROVENANCE, BILL_ATTESTATION = "provenance.dsse.json", "sbom.dsse.json"
POLICY = "policy.json"
DIGESTS = "digests.txt"
SIGNED_APART = (PROVENANCE, BILL_ATTESTATION, DIGESTS, IMAGE_SIGNATURE)
"""Files that have a signature of their own, or that are checked against all others."""
NAME = "engineering-analytics-service"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
PIECE = 1 << 20


class ReleaseBroken(Exception):
    """A release that must not be used. The message says which part, and why."""


class KeyUnusable(Exception):
    """A key that cannot sign or verify. The message says which one, and why."""


def sha256(file: Path) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits."""
    summed = hashlib.sha256()
    with file.open("rb") as source:
        while piece := source.read(PIECE):
            summed.update(piece)
    return summed.hexdigest()


def read_json(folder: Path, name: str) -> Any:
    """The JSON of a file of the release. Raises ReleaseBroken."""
    try:
        return json.loads((folder / name).read_bytes())
    except OSError as error:
        raise ReleaseBroken(f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReleaseBroken(f"{name} is no JSON: it is damaged or no file of a release") from error


def image_digest(folder: Path) -> str:
    """The digest of the image, which is that of its manifest, as `sha256:…`. Raises ReleaseBroken."""
    file = folder / MANIFEST
    if not file.is_file():
        raise ReleaseBroken(f"{MANIFEST} is missing: {folder} is no release")
    return f"sha256:{sha256(file)}"


def check_image(folder: Path) -> int:
    """Hold the configuration and each layer against the digest that the manifest states. Returns their number.

    Raises ReleaseBroken.
    """
    manifest = read_json(folder, MANIFEST)
    try:
        digests = [str(manifest["config"]["digest"]), *(str(layer["digest"]) for layer in manifest["layers"])]
    except (KeyError, TypeError) as error:
        raise ReleaseBroken(f"{MANIFEST} is no manifest of an image") from error
    for digest in digests:
        if not DIGEST.fullmatch(digest):
            raise ReleaseBroken(f"{MANIFEST} names a part by {digest[:80]!r}, which is no SHA-256")
        file = folder / IMAGE / digest.removeprefix("sha256:")
        if not file.is_file():
            raise ReleaseBroken(f"a part of the image is missing: {file.name}")
        if sha256(file) != file.name:
            raise ReleaseBroken(f"a part of the image differs from its digest: {file.name}")
    return len(digests)


def files_of(folder: Path) -> dict[str, Path]:
    """Every file of the release but the file of digests, by its path within the release.

    Raises ReleaseBroken for what is no plain file: a link may lead out of the release.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ReleaseBroken(f"{name} is no plain file")
        if path.is_file() and name != DIGESTS:
            found[name] = path
    return found


def write_digests(folder: Path) -> None:
    """Write the digest of each file in the form that `sha256sum --check digests.txt` reads."""
    lines = [f"{sha256(path)}  {name}\n" for name, path in files_of(folder).items()]
    (folder / DIGESTS).write_text("".join(lines))


def check_digests(folder: Path) -> int:
    """Hold every file against the file of digests, which names each one. Returns their number.

    Raises ReleaseBroken for a difference, a missing file and one that is not named.
    """
    try:
        lines = (folder / DIGESTS).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ReleaseBroken(f"{DIGESTS} cannot be read") from error
    stated = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = files_of(folder)
    for name in sorted(stated.keys() | found.keys()):
        if name not in found:
            raise ReleaseBroken(f"{name} is missing; {DIGESTS} names it")
        if name not in stated:
            raise ReleaseBroken(f"{DIGESTS} does not name {name}: the file is no part of the release")
        if sha256(found[name]) != stated[name]:
            raise ReleaseBroken(f"{name} differs from its digest in {DIGESTS}")
    return len(found)
