"""What can be said of a connection before there is one: all of extraction that the API may import.

Add: checks that the API makes when somebody adds a connection. Keep out: fetching anything.
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
    """An address as Git gets it, and what the repository there is known by."""

    url: str
    origin: str
    name: str
    repository_id: str


def probe_address(address: str, organization_id: str, reach: Reach) -> ProbedAddress:
    """The parts of an address that somebody gave over the API: https or ssh, without credentials, within reach.

    A host that cannot be resolved now is taken; it is checked again before each connection. Raises AddressRefused,
    whose message never repeats a secret.
    """
    if len(address) > MAX_ADDRESS_LENGTH:
        raise AddressRefused(f"The address is longer than {MAX_ADDRESS_LENGTH} characters.")
    if not address.isprintable():
        raise AddressRefused("The address holds a character that is none of an address: remove it.")
    parts = url.parse_encrypted(address)
    if parts.secret is not None or (parts.user is not None and parts.scheme == "https"):
        raise AddressRefused(
            f"The address on {parts.host} holds a user or secret before the @: give it without, credentials are"
            " the operator's (EAS_GIT_TOKEN)."
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
    """The same reach for a moment, such as one request: each host is resolved once."""
    return replace(reach, resolve=once(reach.resolve))
