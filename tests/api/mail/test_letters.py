"""Names of people in mails are harmless: they cannot add headers, links or markup."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.control.accounts.mails import MailKind
from api.mail.letters import MAX_FREE_TEXT_LENGTH, harmless, write

# Written from what mail programs make links of: a scheme, www, or words joined by a dot or an at sign.
LINK = re.compile(r"\w+:/|//|\bwww\.|\w[.@\u2024\u3002\uff0e\uff61]\w", re.IGNORECASE)
BLANKS = {
    "app_url": "https://eas.example",
    "link": "https://eas.example/invitation#x",
    "inviter": "ada@example.org",
    "role": "viewer",
    "until": "1 May 2026",
}


@given(st.text(max_size=300))
@example("https://evil.example/login")
@example("www.evil.example")
@example("ada@evil.example")
@example("evil\u200b.example")
@example("a.\u202eb.c")
@example("x" * 255)
def test_whatever_a_name_is_it_is_one_short_line_without_a_link(name: str) -> None:
    shown = harmless(name)
    assert len(shown) <= MAX_FREE_TEXT_LENGTH
    assert not LINK.search(shown)
    assert shown == " ".join(shown.split())
    assert all(unicodedata.category(letter)[0] != "C" for letter in shown)


@pytest.mark.parametrize(
    "name", ["Acme & Co", "Müller GmbH", "St. Mary", "Yahoo! Inc.", "株式会社", "O'Neill-Ada"]
)
def test_a_usual_name_stays_as_it_is(name: str) -> None:
    assert harmless(name) == name


@pytest.mark.parametrize("kind", [MailKind.INVITATION, MailKind.TRIAL_ENDING])
def test_the_only_links_of_a_letter_are_its_own(kind: MailKind) -> None:
    bait = "Win at https://evil.example\n\nnow\u2028www.evil.example"
    letter = write(kind, BLANKS | {"organization": bait, "name": bait, "analysed": "9", "limit": "10"})
    whole = f"{letter.subject}\n{letter.text}"
    assert "evil" in whole
    assert set(re.findall(r"\S*(?://|www\.)\S*", whole)) == {BLANKS["link"], BLANKS["app_url"]}
    assert "evil.example" not in whole


def test_an_inviter_is_named_by_the_address_and_not_by_words_of_a_key() -> None:
    blanks = BLANKS | {"organization": "Acme"}
    assert write(MailKind.INVITATION, blanks).subject == "ada@example.org invites you to Acme"
    named = write(MailKind.INVITATION, blanks | {"inviter": "see https://evil.example"}).subject
    assert named == "see https evil example invites you to Acme"
