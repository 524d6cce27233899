"""The checklist for passwords, and their hashes."""

import string
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.control.accounts.passwords import MIN_LENGTH, RULES, Passwords, check

GOOD = "Correct-horse 9 staple"
passwords = Passwords(memory_kib=8)


def unmet(password: str, email: str = "ada@example.org") -> set[str]:
    return {rule.name for rule, is_met in check(password, email) if not is_met}


@pytest.mark.parametrize(
    ("password", "missed"),
    [
        (GOOD, set()),
        ("Sh0rt!a", {"LENGTH"}),
        ("UPPER-CASE 9 ONLY", {"LOWER_CASE"}),
        ("lower-case 9 only", {"UPPER_CASE"}),
        ("No-digit-at all", {"DIGIT"}),
        ("NoSigns9AtAllHere", {"SIGN"}),
        ("Aa1!Aa1!Aa1!", {"VARIED"}),
        ("P@ssw0rd!1", {"UNCOMMON"}),
        ("Welcome-2026!", {"UNCOMMON"}),
        ("Horse-ada.example 9", {"IMPERSONAL"}),
        ("", {"LENGTH", "LOWER_CASE", "UPPER_CASE", "DIGIT", "SIGN", "VARIED"}),
        ("Größe-9-Ähre", set()),
    ],
)
def test_each_password_misses_exactly_these_rules(password: str, missed: set[str]) -> None:
    assert unmet(password) == missed


@given(st.text(max_size=40))
def test_the_character_rules_agree_with_the_plain_ones_on_ascii(password: str) -> None:
    ascii_only = "".join(c for c in password if c in string.printable)
    found = unmet(ascii_only, "x@y.z")
    assert ("LENGTH" in found) == (len(ascii_only) < MIN_LENGTH)
    assert ("DIGIT" in found) == (not set(ascii_only) & set(string.digits))
    assert ("UPPER_CASE" in found) == (not set(ascii_only) & set(string.ascii_uppercase))
    assert ("LOWER_CASE" in found) == (not set(ascii_only) & set(string.ascii_lowercase))
    assert ("SIGN" in found) == (not set(ascii_only) - set(string.ascii_letters + string.digits))


def test_every_rule_has_a_line_of_its_own() -> None:
    assert len({rule.description for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_a_hash_is_matched_by_its_password_alone(one: str, other: str) -> None:

    stored = passwords.hash(one)
    assert stored.startswith("$argon2id$")
    assert passwords.matches(stored, one)
    same = unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)
    assert passwords.matches(stored, other) == same


def test_composed_and_decomposed_characters_are_the_same_password() -> None:
    assert passwords.matches(passwords.hash("Gr\u00f6\u00dfe-9"), "Gro\u0308\u00dfe-9")


def test_without_an_account_nothing_matches() -> None:
    assert not passwords.matches(None, "nobody's password")
    assert not passwords.matches("no hash", "x")


def test_a_hash_of_other_parameters_is_outdated_and_still_matches() -> None:
    stored = Passwords(memory_kib=16).hash(GOOD)
    assert passwords.matches(stored, GOOD)
    assert passwords.is_outdated(stored)
    assert not passwords.is_outdated(passwords.hash(GOOD))
