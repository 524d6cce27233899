"""The packages in an image: those of Python that the program needs, and those of Debian in the base.

Keep out: the document that lists them (bill_of_materials.py).
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

PINNED = re.compile(
    r"^(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>[^\\\n]+))?"
)
IMAGE = {
    "python_version": "3.11",
    "python_full_version": "3.11.2",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "os_name": "posix",
    "sys_platform": "linux",
    "platform_system": "Linux",
}
"""What the markers of packages ask, as the image answers: Python of Debian 12."""
MARKER = re.compile(r"\s*;[^\\\n]*")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
STATUS = "./var/lib/dpkg/status"
"""The list of installed packages in an archive of a Debian system."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package with the SHA-256 of the files that may be installed. Debian's have none here."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()


def image_lock(lock: str) -> str:
    """The part of a lock file that the image needs: without packages of other platforms and of other Pythons.

    It has no markers: the Python that downloads would answer them for itself, which may be newer than the image's.
    """
    return "".join(MARKER.sub(" ", block, count=1) for block in _blocks(lock) if _is_for_image(block))


def python_packages(lock: str) -> list[Package]:
    """The packages of a lock file."""
    found = []
    for block in _blocks(lock):
        pinned = _pinned(block)
        found.append(Package(pinned["name"], pinned["version"], tuple(HASH.findall(block))))
    return found


def debian_packages(base: Path) -> list[Package]:
    """The installed packages of a Debian system in a tar archive."""
    with tarfile.open(base) as archive:
        status = archive.extractfile(STATUS)
        if status is None:
            raise ValueError(f"{base} has no {STATUS}: it is no Debian system")
        stanzas = status.read().decode().split("\n\n")
    fields = [dict(line.split(": ", 1) for line in one.splitlines() if ": " in line) for one in stanzas]
    return [
        Package(one["Package"], one["Version"])
        for one in fields
        if one.get("Status", "").endswith(" installed")
    ]


def _blocks(lock: str) -> Iterator[str]:
    """Each package of a lock file with its hashes."""
    for block in re.split(r"\n(?=[A-Za-z0-9])", lock):
        if block.strip():
            yield block.rstrip() + "\n"


def _pinned(block: str) -> dict[str, str]:
    """The name, the version and the marker of a package of a lock file; the marker may be empty."""
    pinned = PINNED.match(block)
    if pinned is None:
        raise ValueError(f"the lock file has a line that pins nothing: {block.splitlines()[0]}")
    return pinned.groupdict("") | {"name": str(canonicalize_name(pinned["name"]))}


def _is_for_image(block: str) -> bool:
    marker = _pinned(block)["marker"].strip()
    return not marker or Marker(marker).evaluate(IMAGE)
