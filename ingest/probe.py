"""Checks of a connection before it exists: the only module of extraction that the API may import.

Add: checks that the API makes when a user adds a connection. Keep out: fetching anything.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from ingest.errors import Transient
from ingest.errors import UnsupportedTarget as AddressRefused
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.reach import Reach, once

__all__ = ["AddressRefused", "ProbedAddress", "Reach", "probe_address", "remembering"]

MAX_ADDRESS_LENGTH = 2048


@dataclass(frozen=True)
class ProbedAddress:
    """An address as passed to Git, and the identity of its repository."""

    url: str
    origin: str
    name: str
    repository_id: str


def probe_address(address: str, organization_id: str, reach: Reach) -> ProbedAddress:
    """Check an address that a user gave over the API: https or ssh, without credentials, on a host within reach.

    A host that cannot be resolved now is accepted; it is checked again before each connection. Raises
    AddressRefused; its message never repeats a secret.
    """
    if len(address) > MAX_ADDRESS_LENGTH:
        raise AddressRefused(f"The address is longer than {MAX_ADDRESS_LENGTH} characters: shorten it.")
    if not address.isprintable():
        raise AddressRefused("The address contains an invalid character: remove it.")
    parts = url.parse_encrypted(address)
    if parts.secret is not None or (parts.user is not None and parts.scheme == "https"):
        raise AddressRefused(
            f"The address on {parts.host} contains a user or secret before the @: remove it. The operator sets"
            " credentials (EAS_GIT_TOKEN)."
        )
    with suppress(Transient):
        reach.addresses(parts.host)
    spelled = url.normalize(address)
    return ProbedAddress(
        url=parts.url,
        origin=spelled,
        name=url.display_name(spelled),
        repository_id=repository_id(organization_id, spelled),
    )


def remembering(reach: Reach) -> Reach:
    """The same reach for a short time, such as one request: it resolves each host once."""
    return replace(reach, resolve=once(reach.resolve))
