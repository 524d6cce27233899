"""Puts pseudonyms in the place of erased people in one text: a cell, a message, a document of a provider.

The result depends on the text and its column alone, so equal texts stay equal wherever they are stored. Single names,
nicknames, misspellings and logins that stand alone in a sentence cannot be told from other words, and stay.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from ingest.erasure.marks import WORD, Marks, Pseudonym, unaccented

# A column with one of these in its name has a login or an address. Elsewhere a login may be any word: a branch, a
# category.
COLUMNS_OF_PEOPLE = ("author", "login", "actor", "review", "assign", "creator", "user", "person", "_by")
# A provider's names for the login in its answers.
KEYS = "login|user_?name|nickname|actor|author|mention_?name"
# They have no people, or are compared with what Git and hosts name in the same way.
FROZEN = frozenset(
    {
        "path", "previous_path", "copied_from", "reference", "target", "key", "previous_keys", "parent_ids",
        "linked_issues", "pull_requests", "url", "origin", "owner", "kind", "language", "role", "status", "state",
        "default_branch", "target_branch", "model", "metric",
    }
)  # fmt: skip
FROZEN_ENDS = (
    "_sha",
    "_shas",
    "_blob",
    "_kind",
    "commit_id",
    "repository_id",
    "organization_id",
    "connection_id",
)
# Fields of an account in a provider's answer beside its login or address.
OF_ACCOUNTS = re.compile(
    r"(?:display_?|full_?|public_?|given_?|family_?)?name|avatar\w*|gravatar\w*|picture", re.IGNORECASE
)
IDENTIFYING = re.compile(rf"(?:{KEYS}|e_?mail(?:_?address)?|account_?id|user_?id)", re.IGNORECASE)

_ADDRESS = re.compile(r"[^\s<>()\[\]{}\"',;:|\\]+@[\w.-]+")
_MENTION = re.compile(r"(?<![\w.@/])@([\w.-]*\w)")
_PREFIX = re.compile(r"(?<![\w./@-])([\w.-]*\w)(?=/\w)")
_PROFILE = re.compile(r"(https?://[^/\s\"]+/(?:users/|u/|~|@)?)([\w.-]*\w)(?=/?(?:[\s\"'?#)>\],;]|$))")
_BRANCH = re.compile(r"^((?:refs/(?:heads|remotes/[^/]+|tags)/)?)([^/]+)(?=/)")
_NAME_BEFORE = re.compile(r"(?:^|(?<=[\n:]))([^\n<>:\"]{0,200}?)[ \t]*<$")
_PIECE = re.compile(r"[^\s/|,\"\[\]]+")


def is_of_people(column: str) -> bool:
    """Whether a column has logins or addresses."""
    return any(one in column for one in COLUMNS_OF_PEOPLE) or column in (
        "before",
        "after",
        "account_id",
        "detail",
    )


def cell(marks: Marks, column: str, value: str) -> str:
    """The text of a column with pseudonyms."""
    if column in FROZEN or column.endswith(FROZEN_ENDS):
        return value
    if column == "provider_id":
        return identifier(marks, value)
    if (found := marks.find("address", value) if "@" in value else None) is not None:
        return found.address
    if is_of_people(column) and (found := marks.find("login", value)) is not None:
        return found.login
    if value[:1] in ("{", "["):
        return document(marks, value)
    if "branch" in column or value.startswith("refs/"):
        return text(marks, _BRANCH.sub(lambda one: one[1] + _login(marks, one[2]), value))
    return text(marks, value)


def identifier(marks: Marks, value: str) -> str:
    """An id of a provider. Ids that name two marks of a person stay apart."""

    def replaced(piece: re.Match[str]) -> str:
        found = marks.find("address", piece[0]) if "@" in piece[0] else marks.find("login", piece[0])
        return piece[0] if found is None else found.id

    return _PIECE.sub(replaced, value)


def text(marks: Marks, value: str) -> str:
    """A text with pseudonyms for addresses, `Name <address>`, `@login`, `login/branch`, profiles and full names."""
    if "@" in value:
        value = _MENTION.sub(lambda one: f"@{_login(marks, one[1])}", _without_addresses(marks, value))
    if "/" in value:
        value = _PROFILE.sub(lambda one: one[1] + _login(marks, one[2]), value)
        value = _PREFIX.sub(lambda one: _login(marks, one[1]), value)
    return _without_names(marks, value) if marks.name_lengths else value


def document(marks: Marks, value: str) -> str:
    """JSON with pseudonyms, also for the other fields of an account; a text that is no JSON as `text`."""
    if text(marks, value) == value and not _names_login(marks, value):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return text(marks, value)
    return json.dumps(_walked(marks, "", parsed), sort_keys=True)


def structure(marks: Marks, value: Any) -> Any:
    """A parsed document with pseudonyms."""
    return _walked(marks, "", value)


def _names_login(marks: Marks, value: str) -> bool:
    """Whether a text of the document, as a whole, is a login."""
    return any(marks.find("login", one) is not None for one in re.findall(r'": ?"([^"\\]{1,200})"', value))


def _walked(marks: Marks, key: str, value: Any) -> Any:
    if isinstance(value, str):
        is_login = IDENTIFYING.fullmatch(key) is not None
        found = marks.find("login", value) if is_login else None
        return found.login if found else cell(marks, "", value)
    if isinstance(value, list):
        return [_walked(marks, key, one) for one in value]
    if not isinstance(value, dict):
        return value
    owner = _owner(marks, value)
    if owner is None:
        return {text(marks, name): _walked(marks, name, one) for name, one in value.items()}
    return {
        name: (owner.name if "name" in name.lower() else None)
        if isinstance(one, str | dict) and OF_ACCOUNTS.fullmatch(name)
        else _walked(marks, name, one)
        for name, one in value.items()
    }


def _owner(marks: Marks, fields: dict[str, Any]) -> Pseudonym | None:
    """The erased person about whom an object is: it has their login or address in a field of its own."""
    for name, value in fields.items():
        if isinstance(value, str) and IDENTIFYING.fullmatch(name):
            kind_found = marks.find("address", value) if "@" in value else marks.find("login", value)
            if kind_found is not None:
                return kind_found
    return None


def _login(marks: Marks, value: str) -> str:
    found = marks.find("login", value)
    return value if found is None else found.login


def _without_addresses(marks: Marks, value: str) -> str:
    parts, end = [], 0
    for match in _ADDRESS.finditer(value):
        found, start, stop = _address_in(marks, match)
        before = value[end:start]
        name = _NAME_BEFORE.search(before)
        if found is None and name is not None:
            found = marks.find_pair(name[1], match[0].rstrip(".-"))
        if found is None:
            continue
        if name is not None and name[1].strip():
            indent = " " * (len(name[1]) - len(name[1].lstrip()))
            before = f"{before[: name.start(1)]}{indent}{found.name} <"
        parts += [before, found.address]
        end = stop
    return "".join([*parts, value[end:]]) if parts else value


def _address_in(marks: Marks, match: re.Match[str]) -> tuple[Pseudonym | None, int, int]:
    """An address of an erased person in a match, which may begin and end with punctuation."""
    written = match[0].rstrip(".-")
    stop = match.start() + len(written)
    for start in [0, *(one.end() for one in re.finditer(r"[^\w.%+-]", written[: written.rindex("@")]))]:
        if (found := marks.find("address", written[start:])) is not None:
            return found, match.start() + start, stop
    return None, match.start(), stop


def _without_names(marks: Marks, value: str) -> str:
    words = list(WORD.finditer(value))
    parts, end, place = [], 0, 0
    while place < len(words):
        step = 1
        if marks.find("word", words[place][0]) is not None:
            for length in marks.name_lengths:
                found = _name_at(marks, value, words[place : place + length], length)
                if found is not None:
                    parts += [value[end : words[place].start()], found]
                    end, step = words[place + length - 1].end(), length
                    break
        place += step
    return "".join([*parts, value[end:]]) if parts else value


def _name_at(marks: Marks, value: str, words: list[re.Match[str]], length: int) -> str | None:
    """The pseudonym for words that are a name: between them is nothing but white space, a comma or a point."""
    if len(words) < length or any(
        value[one.end() : other.start()].strip(" \t.,'’-") or other.start() - one.end() > 3
        for one, other in pairwise(words)
    ):
        return None
    written = " ".join(unaccented(one[0]) for one in words)
    found = marks.find("name", written)
    if found is None:
        return None
    # Holders of copyrights are stored in lower case.
    return found.name.lower() if value[words[0].start() : words[-1].end()].islower() else found.name
