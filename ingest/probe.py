"""What can be said of a connection before there is one: all of extraction that the API may import.

Add: checks that the API makes when somebody adds a connection. Keep out: fetching anything.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace

from ingest.errors import Transient
from ingest.errors import UnsupportedTarget as AddressRefused
from ingest.git import origin
from ingest.reach import Reach, once

__all__ = ["AddressRefused", "ProbedAddress", "Reach", "checked_remote", "probe_address", "remembering"]

SCHEMES = ("https", "ssh")
LONGEST_ADDRESS = 2048
# Without a user `word:rest` could be anything.
SCP = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*@[^/:@]+:|[A-Za-z0-9_][A-Za-z0-9._-]*@\[")


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
    if len(address) > LONGEST_ADDRESS:
        raise AddressRefused(f"The address is longer than {LONGEST_ADDRESS} characters.")
    if not address.isprintable():
        raise AddressRefused("The address holds a character that is none of an address: remove it.")
    parts = checked_remote(address)
    if parts.secret is not None or (parts.user is not None and parts.scheme == "https"):
        raise AddressRefused(
            f"The address on {parts.host} holds a user or secret before the @: give it without, credentials are"
            " the operator's (EAS_GIT_TOKEN)."
        )
    with suppress(Transient):
        reach.addresses(parts.host)
    spelled = origin.normalize(address)
    return ProbedAddress(
        url=parts.url,
        origin=spelled,
        name=origin.display_name(spelled),
        repository_id=origin.repository_id(organization_id, spelled),
    )


def checked_remote(address: str) -> origin.Address:
    """An https or ssh address. Raises AddressRefused for paths, helpers and everything that is not encrypted."""
    scheme, has_scheme, _ = address.strip().partition("://")
    if has_scheme and scheme.lower() not in SCHEMES:
        raise AddressRefused("Only https and ssh addresses are taken over the API.")
    if not has_scheme and not SCP.match(address.strip()):
        raise AddressRefused(
            "This is no https or ssh address (https://host/owner/repo, git@host:owner/repo); paths are analysed from"
            " the command line only."
        )
    return origin.parse(address)


def remembering(reach: Reach) -> Reach:
    """The same reach for a moment, such as one request: each host is resolved once."""
    return replace(reach, resolve=once(reach.resolve))
