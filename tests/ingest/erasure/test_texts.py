"""Pseudonyms in texts: every way in which a message or document names an erased person, and nobody else."""

import json
from typing import Any

import pytest

from ingest.erasure import texts
from ingest.erasure.marks import Marks, PersonMarks, Pseudonym, names_to_find

ADA = PersonMarks(
    addresses=frozenset({"ada@example.org", "1815+lovelace-a@users.noreply.github.com"}),
    logins=frozenset({"lovelace-a"}),
    names=names_to_find(["Ada Lovelace", "Ada", "Ada King-Noël"]),
    pairs=frozenset({("Ada Lovelace", "dev@machine")}),
)
MARKS, PSEUDONYM = Marks().with_person(ADA)
NAME, ADDRESS, LOGIN = PSEUDONYM.name, PSEUDONYM.address, PSEUDONYM.login


@pytest.mark.parametrize(
    ("column", "before", "after"),
    [
        ("author_email", "Ada@Example.org", "{ADDRESS}"),
        ("author_email", "canada@example.org", "canada@example.org"),
        ("author_email", "ada@example.org.uk", "ada@example.org.uk"),
        ("author_name", "Ada Lovelace", "{NAME}"),
        ("author_name", "Ada", "Ada"),
        ("body", "Signed-off-by: Ada <ada@example.org>\n", "Signed-off-by: {NAME} <{ADDRESS}>\n"),
        ("body", "Co-authored-by: A. <ADA@example.org>, B <b@x.io>", "Co-authored-by: {NAME} <{ADDRESS}>, B <b@x.io>"),
        ("body", "Reviewed-by: Ada Lovelace <dev@machine>", "Reviewed-by: {NAME} <{ADDRESS}>"),
        ("body", "Reviewed-by: Grace Hopper <dev@machine>", "Reviewed-by: Grace Hopper <dev@machine>"),
        ("body", "Write to ada@example.org.", "Write to {ADDRESS}."),
        ("body", "mailto=ada@example.org!", "mailto={ADDRESS}!"),
        ("subject", "Thanks @lovelace-a, @lovelace and @lovelace-ab", "Thanks @{LOGIN}, @lovelace and @lovelace-ab"),
        ("subject", "Merge ADA LOVELACE's fix", "Merge {NAME}'s fix"),
        ("subject", "Merge the fix of Lovelace, Ada", "Merge the fix of {NAME}"),
        ("subject", "For Ada King-Noel", "For {NAME}"),
        ("subject", "Adapt Lovelace", "Adapt Lovelace"),
        ("subject", "Merge pull request #3 from lovelace-a/engine", "Merge pull request #3 from {LOGIN}/engine"),
        ("subject", "See https://github.com/lovelace-a", "See https://github.com/{LOGIN}"),
        ("subject", "See https://github.com/lovelace-a/engine", "See https://github.com/lovelace-a/engine"),
        ("name", "refs/heads/lovelace-a/fix", "refs/heads/{LOGIN}/fix"),
        ("source_branch", "lovelace-a/fix", "{LOGIN}/fix"),
        ("author", "Lovelace-A", "{LOGIN}"),
        ("labels", "lovelace-a", "lovelace-a"),
        ("holder", "ada lovelace", "{LOWER}"),
        ("path", "people/ada@example.org.md", "people/ada@example.org.md"),
        ("provider_id", "day/2026-01-05/ada@example.org", "day/2026-01-05/{LOGIN}-2"),
    ],
)  # fmt: skip
def test_an_erased_person_has_a_pseudonym_in_a_text(column: str, before: str, after: str) -> None:
    # The pseudonym is random, and ids of tests are the same in every process.
    after = after.format(NAME=NAME, ADDRESS=ADDRESS, LOGIN=LOGIN, LOWER=NAME.lower())
    assert texts.cell(MARKS, column, before) == after
    # A second erasure changes nothing.
    assert texts.cell(MARKS, column, after) == after


def test_an_account_in_a_document_loses_its_other_fields() -> None:
    before: dict[str, Any] = {
        "user": {"login": "lovelace-a", "name": "Countess", "avatar_url": "https://a.io/u/7", "id": 7},
        "assignee": {"emailAddress": "ada@example.org", "displayName": "A."},
        "reporter": {"login": "hopper", "name": "Grace"},
        "ref": "lovelace-a",
        "text": "by Ada Lovelace",
    }
    assert json.loads(texts.cell(MARKS, "payload", json.dumps(before))) == {
        "user": {"login": LOGIN, "name": NAME, "avatar_url": None, "id": 7},
        "assignee": {"emailAddress": ADDRESS, "displayName": NAME},
        "reporter": {"login": "hopper", "name": "Grace"},
        "ref": "lovelace-a",
        "text": f"by {NAME}",
    }
    other = '{"user": {"login":"hopper"}}'
    assert texts.cell(MARKS, "payload", other) is other


def test_the_stored_marks_tell_no_address_login_or_name() -> None:
    stored = MARKS.to_bytes()
    for one in ("lovelace", "example", "machine", "king"):
        assert one not in stored.decode().lower()
    read = Marks.from_bytes(stored)
    assert texts.cell(read, "subject", "Ada Lovelace <ada@example.org>") == f"{NAME} <{ADDRESS}>"
    # Another organization has another key, so that nobody can compare the two.
    assert not Marks().with_person(ADA)[0].hashes.keys() & MARKS.hashes.keys()


def test_a_second_erasure_of_a_person_keeps_the_pseudonym() -> None:
    more, pseudonym = MARKS.with_person(PersonMarks(addresses=frozenset({"ada@example.org", "ada@new.org"})))
    assert pseudonym == Pseudonym(PSEUDONYM.token)
    assert texts.cell(more, "author_email", "ada@new.org") == ADDRESS
    others, other = more.with_person(PersonMarks(addresses=frozenset({"grace@example.org"})))
    assert other.token != PSEUDONYM.token
    assert texts.cell(others, "author_email", "ada@example.org") == ADDRESS
