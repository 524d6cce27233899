"""The marks of erased people, of which nothing but keyed hashes is stored, and the pseudonyms of these people.

A mark is an address, a login, or a name of two words or more that nobody else in the organization has. An address that
several people use is a mark together with a name. Keep out: texts (texts.py), rows (rows.py).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["address", "login", "name", "pair", "word"]
"""`word` is the first word of a name: it tells quickly where no name begins."""
WORD = re.compile(r"\w+")
KEY_BYTES = 32
TOKEN_BYTES = 3
"""Digits of a pseudonym: 16 million in an organization."""
DIGEST_BYTES = 16
MAX_REMEMBERED = 500_000
"""Answers that are remembered: authors and words repeat in nearly every row."""


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """The name, address and login that stand for an erased person. `token` is random and says nothing of them.

    All addresses of a person become one. Where ids must stay apart, such as those of rows about two addresses, the
    number of the mark is added.
    """

    token: str
    number: int = 0

    @property
    def name(self) -> str:
        """No word of it is one by which messages are sorted into categories."""
        return f"Former colleague {self.token}"

    @property
    def address(self) -> str:
        """RFC 2606 reserves its domain, so no mail can reach it."""
        return f"{self.login}@erased.invalid"

    @property
    def login(self) -> str:
        return f"former-{self.token}"

    @property
    def id(self) -> str:
        """Differs for each mark of the person."""
        return f"{self.login}-{self.number}"


@dataclass(frozen=True)
class PersonMarks:
    """The marks of one person. `pairs` are names with addresses that other people use too."""

    addresses: frozenset[str] = frozenset()
    logins: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()


@dataclass
class Marks:
    """The marks of all erased people of an organization. It is false where nobody is erased."""

    key: bytes = field(default=b"", repr=False)
    hashes: dict[str, Pseudonym] = field(default_factory=dict, repr=False)
    name_lengths: tuple[int, ...] = ()
    """Numbers of words of the names, the longest first."""
    has_pairs: bool = False
    _answers: dict[tuple[Kind, str], Pseudonym | None] = field(default_factory=dict, repr=False)

    def __bool__(self) -> bool:
        return bool(self.hashes)

    def find(self, kind: Kind, value: str) -> Pseudonym | None:
        """The pseudonym of the person with a mark; None for a mark of nobody."""
        asked = kind, value
        try:
            return self._answers[asked]
        except KeyError:
            if len(self._answers) >= MAX_REMEMBERED:
                self._answers.clear()
            found = self._answers[asked] = self.hashes.get(self._hash(kind, compared(kind, value)))
            return found

    def find_pair(self, name: str, address: str) -> Pseudonym | None:
        """The pseudonym of the person with this name at an address that several people use."""
        return self.find("pair", pair(name, address)) if self.has_pairs else None

    def tokens(self) -> set[str]:
        """The tokens of all pseudonyms."""
        return {one.token for one in self.hashes.values()}

    def with_person(self, person: PersonMarks) -> tuple[Marks, Pseudonym]:
        """The marks with those of one more person, and their pseudonym: the one of a mark that is known already."""
        key = self.key or secrets.token_bytes(KEY_BYTES)
        widened = Marks(key, dict(self.hashes))
        given: list[tuple[Kind, str]] = [("address", one) for one in sorted(person.addresses)]
        given += [("login", one) for one in sorted(person.logins)]
        given += [("pair", pair(*one)) for one in sorted(person.pairs)]
        given += [("name", one) for one in sorted(person.names)]
        known = [found for kind, value in given if (found := self.find(kind, value) if self else None)]
        token = known[0].token if known else self._new_token()
        taken = max((one.number for one in self.hashes.values() if one.token == token), default=0)
        lengths = set(self.name_lengths)
        for number, (kind, value) in enumerate(given, taken + 1):
            widened._add(kind, value, Pseudonym(token, number))
        for name in person.names:
            words = compared("name", name).split(" ")
            lengths.add(len(words))
            widened._add("word", words[0], Pseudonym(token))
        widened.name_lengths = tuple(sorted(lengths, reverse=True))
        widened.has_pairs = self.has_pairs or bool(person.pairs)
        return widened, Pseudonym(token)

    def _add(self, kind: Kind, value: str, pseudonym: Pseudonym) -> None:
        self.hashes.setdefault(self._hash(kind, compared(kind, value)), pseudonym)

    def _new_token(self) -> str:
        while (token := secrets.token_hex(TOKEN_BYTES)) in self.tokens():
            pass
        return token

    def _hash(self, kind: Kind, value: str) -> str:
        content = f"{kind}\0{value}".encode(errors="surrogatepass")
        return hmac.new(self.key, content, hashlib.sha256).hexdigest()[: 2 * DIGEST_BYTES]

    def to_bytes(self) -> bytes:
        """The marks as a file: the key of the organization and the keyed hashes."""
        content = {
            "key": self.key.hex(),
            "hashes": {digest: [one.token, one.number] for digest, one in sorted(self.hashes.items())},
            "name_lengths": list(self.name_lengths),
            "has_pairs": self.has_pairs,
        }
        return json.dumps(content, indent=1).encode()

    @classmethod
    def from_bytes(cls, stored: bytes) -> Marks:
        """The inverse of `to_bytes`. Raises ValueError, KeyError or TypeError for a damaged file."""
        content: Mapping[str, Any] = json.loads(stored)
        return cls(
            bytes.fromhex(content["key"]),
            {
                digest: Pseudonym(str(token), int(number))
                for digest, (token, number) in content["hashes"].items()
            },
            tuple(map(int, content["name_lengths"])),
            bool(content["has_pairs"]),
        )


def compared(kind: Kind, value: str) -> str:
    """The form in which two marks are compared: without case, and names without accents and punctuation too."""
    if kind in ("name", "word"):
        return " ".join(WORD.findall(unaccented(value)))
    return value.strip().lower()


def pair(name: str, address: str) -> str:
    """A name and an address as one mark."""
    return f"{compared('name', name)}\n{compared('address', address)}"


def unaccented(text: str) -> str:
    """A text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in decomposed if not unicodedata.combining(one))


def names_to_find(written: Iterable[str]) -> frozenset[str]:
    """Names that can be found in a text: those of two words or more, also as "Last, First"."""
    found = set()
    for name in written:
        words = compared("name", name).split(" ")
        if len(name.split()) > 1:
            found |= {" ".join(words), " ".join([words[-1], *words[:-1]])}
    return frozenset(found)
