"""The terms of a commit that the linear model of categories weighs, as `int_categories__terms` computes them in SQL.

Keep out: what the terms weigh (the seed category_terms) and where labelled commits come from (labelled.py).
A test holds both spellings equal; change neither alone.
"""

from __future__ import annotations

import re
from itertools import pairwise

# The dbt variable `message_body_characters`.
BODY_CHARACTERS = 400

_NOT_LETTERS = re.compile(r"[^A-Za-z]+")
_ENDINGS = re.compile(r"([a-z]{3,}?)(?:ing|ed|es|s|e)( |$)")
_TRAILERS = re.compile(r"(?:git-svn-id|[A-Za-z]+(?:-[A-Za-z]+)*-[Bb]y):[^\n]*")
_BEFORE_THE_VERB = re.compile(
    r"^[^A-Za-z]*(?:[A-Z][A-Z0-9]+-[0-9]+[^A-Za-z]*)*(?:[A-Za-z0-9_./,*()\[\]-]{1,40}: +)?"
)


def words(text: str) -> list[str]:
    """Words in lower case without their commonest endings; one empty word when there is none."""
    letters = _NOT_LETTERS.sub(" ", text).lower()
    return _ENDINGS.sub(r"\1\2", letters).strip(" ").split(" ")


def shape(added: int, deleted: int) -> str:
    """How a commit's added and deleted lines relate."""
    if added + deleted == 0:
        return "fact:no lines"
    if deleted == 0:
        return "fact:only adds"
    if added == 0:
        return "fact:only deletes"
    if added > 4 * deleted:
        return "fact:mostly adds"
    return "fact:mostly deletes" if deleted > 2 * added else "fact:edits"


def terms(subject: str, body: str, fact: str) -> list[str]:
    """Distinct terms of one commit in ascending order. `fact` comes from `shape`."""
    first = words(_BEFORE_THE_VERB.sub("", subject))[0]
    in_subject = words(subject)
    in_body = words(_TRAILERS.sub(" ", body[:BODY_CHARACTERS]))
    found = {"bias", f"first:{first}", fact}
    found.update(f"subject:{word}" for word in in_subject)
    # A subject without Latin letters says nothing that was learned; that there is no body does.
    found -= {"first:", "subject:"}
    found.update(f"subject:{one} {two}" for one, two in pairwise(in_subject))
    found.update(f"body:{word}" for word in in_body)
    return sorted(found)
