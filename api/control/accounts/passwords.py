"""Passwords: the checklist for a new password, and argon2 hashes.

Keep out: the account of a password (accounts.py).
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH, MAX_LENGTH = 8, 200
# Cores of the slot that hashing takes, and passes over its memory: RFC 9106's second recommendation on one lane.
LANES, PASSES = 1, 3
# Each hash takes that much memory, in KiB.
MEMORY_KIB = 65_536
# Common passwords, after digits and signs that stand for letters are replaced.
COMMON = (
    "password", "passwort", "motdepasse", "qwerty", "qwertz", "azerty", "letmein", "welcome", "iloveyou", "admin",
    "abcdef", "monkey", "dragon", "football", "baseball", "superman", "sunshine", "princess", "changeme", "trustno",
    "secret", "summer", "winter", "spring", "autumn", "login", "master", "default", "service",
)  # fmt: skip
LOOKALIKES = str.maketrans("013457@$!", "oieastasi")
# A password with a common word needs at least so many further letters.
ENOUGH_BESIDE = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the checklist."""

    name: str
    description: str
    is_met: Callable[[str, str], bool]


def _is_uncommon(password: str, _: str) -> bool:
    letters = "".join(c for c in password.lower().translate(LOOKALIKES) if c.isalpha())
    return all(len(letters.replace(word, "")) >= ENOUGH_BESIDE for word in COMMON if word in letters)


def _is_varied(password: str, _: str) -> bool:
    return len(set(password)) >= MIN_LENGTH - 2


def _is_impersonal(password: str, email: str) -> bool:
    parts = [part for part in email.lower().replace("@", ".").split(".") if len(part) > 3]
    return not any(part in password.lower() for part in parts)


RULES = (
    Rule("LENGTH", f"at least {MIN_LENGTH} characters", lambda p, _: len(p) >= MIN_LENGTH),
    Rule("LOWER_CASE", "a lower-case letter", lambda p, _: any(c.islower() for c in p)),
    Rule("UPPER_CASE", "an upper-case letter", lambda p, _: any(c.isupper() for c in p)),
    Rule("DIGIT", "a digit", lambda p, _: any(c.isdecimal() for c in p)),
    Rule(
        "SIGN", "a character that is neither letter nor digit", lambda p, _: any(not c.isalnum() for c in p)
    ),
    Rule("VARIED", f"at least {MIN_LENGTH - 2} different characters", _is_varied),
    Rule("UNCOMMON", "not only a commonly used password or word", _is_uncommon),
    Rule("IMPERSONAL", "no part of the e-mail address", _is_impersonal),
)


def check(password: str, email: str) -> list[tuple[Rule, bool]]:
    """Every rule, and whether the password of this address meets it."""
    normal = _normal(password)
    return [(rule, rule.is_met(normal, email)) for rule in RULES]


def checklist() -> str:
    """The rules as the end of a sentence."""
    return ", ".join(rule.description for rule in RULES)


class Passwords:
    """Hashes passwords with argon2id, with this much memory (KiB)."""

    def __init__(self, memory_kib: int) -> None:
        self._hasher = PasswordHasher(time_cost=PASSES, memory_cost=memory_kib, parallelism=LANES)
        # Checked where there is no account, so that the answer takes as long.
        self._nobody = self._hasher.hash("nobody's password")

    def hash(self, password: str) -> str:
        """The hash of a password, with its salt and parameters."""
        return self._hasher.hash(_normal(password))

    def matches(self, stored: str | None, password: str) -> bool:
        """Whether the password has this hash. Without a hash the answer is False, after the same amount of work."""
        try:
            self._hasher.verify(stored or self._nobody, _normal(password))
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether a hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(stored)


def _normal(password: str) -> str:
    # The same keys give differently composed characters on different systems.
    return unicodedata.normalize("NFKC", password)
