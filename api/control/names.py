"""Validation and comparison of names and other texts that people enter.

Keep out: rules for the name of one kind of thing (its module), names from Git.
"""

import re
import unicodedata
from zoneinfo import available_timezones

import pygit2

from api.control.errors import InvalidSetting

# Persian and Indic scripts spell with these, and emoji are joined by one.
JOINERS = "\u200c\u200d"
# Control and format characters (of no width, or turning the direction of writing), halves of surrogate pairs, and
# separators of lines: a reader of the name does not see them.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Letters and symbols by category that show nothing: fillers of Hangul, the empty pattern of Braille.
BLANK = "\u115f\u1160\u3164\uffa0\u2800"
# Of no width, or turning the direction of writing: pasted with texts out of documents and pages, and of no use there.
# Joiners, marks of direction and the tags of which emoji of flags are made are none of them.
PASTED = re.compile("[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")


def checked_name(value: str, field: str, *, max_length: int) -> str:
    """`value` in NFC and without surrounding white space. Raises InvalidSetting for an empty or too long text, and
    for one without visible or with invisible characters.
    """
    value = unicodedata.normalize("NFC", value).strip()
    if not 1 <= len(value) <= max_length:
        raise InvalidSetting(field, f"use 1 to {max_length} characters (this has {len(value)})")
    for character in value:
        if unicodedata.category(character) in UNSEEN and character not in JOINERS:
            raise InvalidSetting(
                field,
                "control characters and invisible characters are not allowed; remove the one with the code "
                f"U+{ord(character):04X}",
            )
    if not any(_is_seen(character) for character in value):
        raise InvalidSetting(field, "use at least one visible character")
    return value


def checked_text(value: str, field: str, *, max_length: int) -> str:
    """A text of any number of lines: in NFC, without artefacts of pasting.

    Raises InvalidSetting for an empty or too long text, one without visible characters, and control characters other
    than tabs and line ends.
    """
    value = unicodedata.normalize("NFC", PASTED.sub("", LINE_ENDS.sub("\n", value))).strip()
    if not 1 <= len(value) <= max_length:
        raise InvalidSetting(field, f"use 1 to {max_length} characters (this has {len(value)})")
    for character in value:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            raise InvalidSetting(
                field,
                f"control characters are not allowed; remove the one with the code U+{ord(character):04X}",
            )
    if not any(_is_seen(character) for character in value):
        raise InvalidSetting(field, "use at least one visible character")
    return value


def name_key(name: str) -> str:
    """The comparison key of a name. It ignores case, composition and joiners."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", "".join(one for one in folded if one not in JOINERS))


def checked_literal(value: str, field: str, *, max_length: int) -> str:
    """A text that must stay exact, such as an address. Raises InvalidSetting like `checked_name` for control
    characters.
    """
    if not 1 <= len(value) <= max_length:
        raise InvalidSetting(field, f"use 1 to {max_length} characters (this has {len(value)})")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        raise InvalidSetting(field, "control characters are not allowed")
    return value


def checked_branch(value: str, field: str, *, max_length: int) -> str:
    """The short name of a branch, without outer white space. Raises InvalidSetting where Git would not take it."""
    value = checked_literal(value.strip(), field, max_length=max_length)
    # Rules of Git for branch names only.
    is_branch = not value.startswith("-") and value != "HEAD"
    if not (is_branch and pygit2.reference_is_valid_name(f"refs/heads/{value}")):
        raise InvalidSetting(
            field,
            "Git does not allow this branch name; give a short name such as main or release/2.0",
        )
    return value


def _is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in BLANK


def check_time_zone(name: str) -> None:
    """Raises InvalidSetting for a name that is no time zone."""
    # `localtime` is readable as a zone, but the warehouse does not know it, and every build would fail.
    if name not in available_timezones() - {"localtime"}:
        raise InvalidSetting("time_zone", f"{name!r} is not an IANA time zone; use one such as Europe/Berlin")
