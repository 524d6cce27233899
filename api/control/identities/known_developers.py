"""Developers and their addresses in the newest build: the subjects of identity decisions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """An address of a developer as the figures show it. `is_split`: a split brought it where it is."""

    id: str
    name: str
    email: str
    is_split: bool


@dataclass(frozen=True, slots=True)
class KnownDeveloper:
    """A developer in the figures. `known_ids` has its current and all former ids."""

    id: str
    name: str
    primary_email: str | None
    is_bot: bool
    known_ids: tuple[str, ...]
    addresses: tuple[Address, ...]
