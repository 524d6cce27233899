"""Starts the provider over TLS on loopback, with a certificate authority of its own."""

import json
import socket
import ssl
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from joserfc.jwk import RSAKey

from tests.node_packages import installed

HERE = Path(__file__).parent
CLIENT, SECRET = "eas", "cl1ent+secret%that/nobody:may~see"


@dataclass
class RealProvider:
    """A running provider. `authority` is the file of the authority that signed its certificate."""

    issuer: str
    authority: Path
    redirects: list[str] = field(default_factory=list)
    process: "subprocess.Popen[str] | None" = None

    def stop(self) -> None:
        """End the provider: from now on nobody answers."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def signs_in(self, subject: str, **claims: Any) -> None:
        """Who signs in next, with these claims; `refuses` makes the provider refuse with this text."""
        self._post("/people", {"sub": subject, **claims})

    def allow(self, redirect: str) -> None:
        """Register a callback address."""
        if redirect not in self.redirects:
            self.redirects.append(redirect)
            self._post("/settings", {"clients": [client(self.redirects)]})

    def rotate_keys(self) -> None:
        """Replace the signing key."""
        self._post("/settings", {"keys": [signing_key()]})

    def set(self, **settings: Any) -> None:
        """Replace settings of provider.mjs."""
        self._post("/settings", settings)

    def _post(self, path: str, body: Any) -> None:
        trusted = ssl.create_default_context(cafile=str(self.authority))
        answer = httpx.post(f"{self.issuer}{path}", json=body, verify=trusted, trust_env=False)
        assert answer.text == "{}", answer.text


def client(redirects: list[str]) -> dict[str, Any]:
    return {
        "client_id": CLIENT,
        "client_secret": SECRET,
        "redirect_uris": redirects,
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
    }


def signing_key() -> dict[str, Any]:
    """A new private key for ID tokens."""
    key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": uuid.uuid4().hex})
    return dict(key.as_dict(private=True))


@contextmanager
def running(folder: Path, redirects: list[str]) -> Iterator[RealProvider]:
    """A provider to the end of the block. Skips the test where it cannot run."""
    node = installed(HERE)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    authority, certificate, key = _certificates(folder)
    provider = RealProvider(f"https://localhost:{port}", authority, list(redirects))
    settings = {
        "port": port,
        "issuer": provider.issuer,
        "certificate": certificate,
        "key": key,
        "clients": [client(provider.redirects)],
        "keys": [signing_key()],
        # Addresses in the ID token, as most providers have them.
        "conform": False,
    }
    process = subprocess.Popen(
        [node, HERE / "provider.mjs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=HERE,
    )
    provider.process = process
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(settings) + "\n")
        process.stdin.flush()
        while (line := process.stdout.readline().strip()) != "ready":
            assert process.poll() is None, f"the provider ended: {line}"
        yield provider
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def _certificates(folder: Path) -> tuple[Path, str, str]:
    """A file with an authority, and a certificate of it for this machine with its key."""
    now = datetime.now(UTC)
    issuer_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of the tests")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]

    def signed(name: x509.Name, public: ec.EllipticCurvePublicKey, *, is_authority: bool) -> x509.Certificate:
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(issuer)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=2))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if not is_authority:
            made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return made.sign(issuer_key, hashes.SHA256())

    authority = signed(issuer, issuer_key.public_key(), is_authority=True)
    host = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    certificate = signed(host, key.public_key(), is_authority=False)
    file = folder / "authority.pem"
    file.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    return (
        file,
        certificate.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
    )
