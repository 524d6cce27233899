"""Rows of the control database with an encrypted secret: reading it, and moving all of them to the newest key.

Keep out: encryption itself (secrets.py), what a secret is for.
"""

from typing import TypeVar

from sqlalchemy import select

from api.control.errors import BadSecretKey, SecretUnreadable
from api.control.models import Connection, IdentityProvider
from api.control.secrets import Sealed
from api.control.store import ControlStore

SealedRow = Connection | IdentityProvider
Sealing = TypeVar("Sealing", Connection, IdentityProvider)
# The noun to which the ciphertexts of a table are bound.
NOUNS: dict[type[SealedRow], str] = {Connection: "connection", IdentityProvider: "identity provider"}


def secret_of(store: ControlStore, row: SealedRow) -> str:
    """The secret of a row. Raises SecretUnreadable, BadSecretKey."""
    sealed = Sealed(row.secret_key_id, row.secret)
    return store.keyring.decrypt(sealed, row.organization_id, row.id, noun=NOUNS[type(row)])


def readable_secret(store: ControlStore, row: SealedRow) -> tuple[str, str | None]:
    """The secret of a row; otherwise nothing, and why it cannot be decrypted."""
    try:
        return secret_of(store, row), None
    except (SecretUnreadable, BadSecretKey) as error:
        return "", str(error)


def encrypt_anew(store: ControlStore, table: type[Sealing]) -> int:
    """Encrypt secrets of earlier keys with the first key, after which the others may go. Returns the number of
    secrets whose key is missing: they stay as they are.
    """
    # A removed row has no secret.
    found = select(table.id, table.organization_id, table.secret_key_id).where(table.secret != b"")
    with store.session() as session:
        known = session.execute(found).all()
    unreadable = 0
    for row_id, organization_id, key_id in known:
        if store.keyring.is_current(key_id):
            continue
        with store.write_transaction(organization_id) as session:
            row = session.get(table, row_id)
            if row is None or not row.secret:
                continue
            try:
                plain = secret_of(store, row)
            except SecretUnreadable:
                unreadable += 1
                continue
            sealed = store.keyring.encrypt(plain, organization_id, row_id, noun=NOUNS[table])
            row.secret, row.secret_key_id = sealed.ciphertext, sealed.key_id
    return unreadable
