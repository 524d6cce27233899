"""A complete release of an image with one small layer, signed by a key of the test."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from orchestration.releases import contents
from orchestration.releases.signing import sign

BILL = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"name": "duckdb", "type": "library"}]}
PROVENANCE = {
    "buildDefinition": {
        "buildType": "urn:test",
        "externalParameters": {"version": "0.6.0", "commit": "c0ffee" * 6 + "abcd"},
        "internalParameters": {},
        "resolvedDependencies": [{"uri": "pkg:pypi/duckdb@1.5.6", "digest": {"sha256": "0" * 64}}],
    },
    "runDetails": {"builder": {"id": "urn:test"}, "metadata": {}},
}


def make_keys(folder: Path, name: str = "release") -> tuple[Path, Path]:
    """A new private and public key in files."""
    key = generate_private_key(SECP256R1())
    private, public = folder / f"{name}.key", folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


def make_release(folder: Path, private: Path) -> Path:
    """A signed release in `folder`."""
    (folder / contents.IMAGE).mkdir(parents=True)
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        entry = tarfile.TarInfo("app/eas")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"eas\n"))
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [_digest(layer.getvalue())]},
        "history": [],
    }
    parts = [
        _part(folder, json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json"),
        _part(
            folder, gzip.compress(layer.getvalue(), mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip"
        ),
    ]
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": parts[0],
        "layers": parts[1:],
    }
    (folder / contents.MANIFEST).write_text(json.dumps(manifest))
    (folder / contents.IMAGE / "version").write_text("Directory Transport Version: 1.1\n")
    (folder / contents.BILL).write_text(json.dumps(BILL))
    sign(folder, private, PROVENANCE)
    return folder


def _part(folder: Path, data: bytes, media_type: str) -> dict[str, object]:
    digest = _digest(data)
    (folder / contents.IMAGE / digest.removeprefix("sha256:")).write_bytes(data)
    return {"mediaType": media_type, "size": len(data), "digest": digest}


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
