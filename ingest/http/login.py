"""The login of a connection."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Login:
    """The base address of an API and the headers of every request. Headers of a login never leave its host."""

    address: str
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def bearer(cls, address: str, token: str) -> Login:
        """The login with a token alone."""
        return cls(address, {"Authorization": f"Bearer {token}"}, (token,))

    @classmethod
    def basic(cls, address: str, user: str, secret: str) -> Login:
        """The login of a user with a token or a password."""
        pair = base64.b64encode(f"{user}:{secret}".encode()).decode()
        return cls(address, {"Authorization": f"Basic {pair}"}, (secret, pair))
