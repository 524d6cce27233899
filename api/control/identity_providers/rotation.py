"""Client secrets under the newest key of the deployment.

Keep out: encryption itself (control/secrets.py), tokens of connections (connections/usable.py).
"""

from sqlalchemy import select

from api.control.errors import SecretUnreadable
from api.control.identity_providers.providers import NOUN
from api.control.models import IdentityProvider
from api.control.secrets import Sealed
from api.control.store import ControlStore


def encrypt_secrets_anew(store: ControlStore) -> int:
    """Encrypt client secrets of earlier keys with the first key. Returns the number of those whose key is missing."""
    with store.session() as session:
        known = session.execute(
            select(IdentityProvider.id, IdentityProvider.organization_id, IdentityProvider.secret_key_id)
        ).all()
    unreadable = 0
    for provider_id, organization_id, key_id in known:
        if store.keyring.is_current(key_id):
            continue
        with store.write_transaction(organization_id) as session:
            row = session.get(IdentityProvider, provider_id)
            if row is None:
                continue
            sealed = Sealed(row.secret_key_id, row.secret)
            try:
                plain = store.keyring.decrypt(sealed, organization_id, row.id, noun=NOUN)
            except SecretUnreadable:
                unreadable += 1
                continue
            renewed = store.keyring.encrypt(plain, organization_id, row.id, noun=NOUN)
            row.secret, row.secret_key_id = renewed.ciphertext, renewed.key_id
    return unreadable
