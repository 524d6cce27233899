"""Encryption of the secrets of connections and identity providers: AES-256-GCM, with the id of the key beside each.

A ciphertext belongs to one organization and one row: copied to another row it cannot be decrypted. The keys are
`EAS_SECRET_KEY`, else the file `secret.key` of the data directory, which is made at the first use. Both may have
several keys (separated by commas or lines): the first encrypts, all decrypt. Keep out: the rows (connections/,
identity_providers/).
"""

import base64
import hashlib
import os
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.control.errors import BadSecretKey, SecretUnreadable
from api.operator.readers import ENCRYPTION_KEY_BYTES, encryption_key
from api.operator.variables import SECRET_KEY

FILE = "secret.key"
# The name of the secret of each noun, in messages.
NAMES = {"connection": "token", "identity provider": "client secret"}
# The size that NIST SP 800-38D recommends; random ones may repeat only after billions of secrets.
NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Sealed:
    """An encrypted secret and the id of its key."""

    key_id: str
    ciphertext: bytes


@dataclass(frozen=True, slots=True)
class _Key:
    value: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """A name that does not tell the key."""
        return hashlib.sha256(b"key id\0" + self.value).hexdigest()[:16]


class Keyring:
    """The keys of a deployment. `data_dir` is None where only the variable can have one."""

    def __init__(self, data_dir: Path | None) -> None:
        self._file = None if data_dir is None else data_dir / FILE

    def encrypt(self, secret: str, organization_id: str, row_id: str, *, noun: str = "connection") -> Sealed:
        """Encrypt a secret with the first key, which is made if there is none. Raises BadSecretKey."""
        key = (self._keys() or self._make())[0]
        nonce = secrets.token_bytes(NONCE_BYTES)
        bound_to = _bound_to(noun, organization_id, row_id)
        return Sealed(key.id, nonce + AESGCM(key.value).encrypt(nonce, secret.encode(), bound_to))

    def decrypt(self, sealed: Sealed, organization_id: str, row_id: str, *, noun: str = "connection") -> str:
        """The secret. Raises SecretUnreadable, BadSecretKey."""
        key = next((one for one in self._keys() if one.id == sealed.key_id), None)
        if key is None:
            raise SecretUnreadable(
                f"the {NAMES[noun]} was encrypted with the key {sealed.key_id}, which is not here: restore it in"
                f" {SECRET_KEY} or in the file {FILE} of the data directory, or replace the {NAMES[noun]} of the {noun}"
            )
        nonce, ciphertext = sealed.ciphertext[:NONCE_BYTES], sealed.ciphertext[NONCE_BYTES:]
        try:
            plain = AESGCM(key.value).decrypt(nonce, ciphertext, _bound_to(noun, organization_id, row_id))
        except (InvalidTag, ValueError):
            raise SecretUnreadable(
                f"the stored {NAMES[noun]} was changed or belongs to another {noun}: replace the {NAMES[noun]} of the"
                f" {noun}"
            ) from None
        return plain.decode()

    def is_current(self, key_id: str) -> bool:
        """Whether new secrets are encrypted with this key."""
        return any(one.id == key_id for one in self._keys()[:1])

    def _keys(self) -> Sequence[_Key]:
        if given := os.environ.get(SECRET_KEY, "").strip():
            return _read(given.split(","), SECRET_KEY)
        if self._file is None:
            return []
        # Reading a named pipe would wait for ever.
        if self._file.exists() and not self._file.is_file():
            raise BadSecretKey(
                f"{self._file} is no file, and the key of secrets should be there: move it away"
            )
        try:
            return _read(self._file.read_text().split(), str(self._file))
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise BadSecretKey(
                f"the key of secrets {self._file} cannot be read ({error}): correct its rights, or restore it"
            ) from error

    def _make(self) -> Sequence[_Key]:
        if self._file is None:
            raise BadSecretKey(f"there is no key that encrypts secrets: set {SECRET_KEY}")
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # Made with mode 0600, and linked when it is complete: another process may make one now.
        number, draft = tempfile.mkstemp(dir=self._file.parent, prefix=f".{FILE}-")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(base64.b64encode(secrets.token_bytes(ENCRYPTION_KEY_BYTES)) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(draft, self._file)
        finally:
            Path(draft).unlink()
        found = self._keys()
        if not found:
            raise BadSecretKey(f"the key of secrets {self._file} is empty: restore it, or delete the file")
        return found


def _read(texts: Sequence[str], place: str) -> list[_Key]:
    try:
        return [_Key(encryption_key(one)) for one in texts]
    except ValueError as problem:
        raise BadSecretKey(f"{place} {problem}") from None


def _bound_to(noun: str, organization_id: str, row_id: str) -> bytes:
    return f"{noun}\0{organization_id}\0{row_id}".encode()
