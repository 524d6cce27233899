"""The words of a message that the category model weighs, as `int_categories__terms` computes them in SQL.

Keep out: weights (the seed category_terms), labelled commits (labelled.py), terms of the change
(`int_categories__changes`, which training reads from a warehouse). A test compares both spellings; change both at once.
"""

from __future__ import annotations

import re
from itertools import pairwise

# The dbt variable `message_body_characters`.
BODY_CHARACTERS = 400

_NOT_LETTERS = re.compile(r"[^A-Za-z]+")
_ENDINGS = re.compile(r"([a-z]{3,}?)(?:ing|ed|es|s|e)( |$)")
# Comments, unchecked boxes and questions of a template, quoted text, titles of other commits, trailers.
_TEMPLATES = re.compile(
    "|".join(
        (
            r"<!--[\s\S]*?(?:-->|$)",
            r"(?:^|\n)[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+\\?\[ ?\\?\][^\n]*",
            r"(?:^|\n)[ \t]*(?:[-*+][ \t]+)?[☐⬜][^\n]*",
            r"(?:^|\n)\|[^|\n]*\?[ \t]*\|[ \t]*(?:[Nn]o|[Yy]es/[Nn]o)[ \t]*\|[^\n]*",
            r"(?:(?:^|\n)[ \t*-]*/kind [a-z-]+[ \t\r]*){3,}",
            r"(?:^|\n)[^\n]*\b[Ww]hat (?:kind|type|sort) of (?:change|PR|pull request)[^\n]*",
            r"(?:^|\n)[ \t]*>[^\n]*",
            r"\b[Rr]evert(?:s|ed|ing)? \"[^\"\n]*\"",
            r"\b[Rr]everts commit [0-9a-f]{7,40}[^\n]*",
            r"\b[0-9a-f]{7,40},? \(\"[^\"\n]*\"\)",
            r"(?:git-svn-id|[A-Za-z]+(?:-[A-Za-z]+)*-[Bb]y|Change-Id|Message-Id|PiperOrigin-RevId):[^\n]*",
        )
    ),
    re.ASCII,
)
_BEFORE_THE_VERB = re.compile(
    r"^[^A-Za-z]*(?:[A-Z][A-Z0-9]+-[0-9]+[^A-Za-z]*)*(?:[A-Za-z0-9_./,*()\[\]-]{1,40}: +)?"
)

_TYPE = re.compile(r"^[A-Za-z]{2,9}(?:\([^()]*\))?!?: ")
_TYPES_OF_LINES = re.compile(
    r"^([ \t]*[*-]?[ \t]*)"
    r"(?:feat|feature|fix|bugfix|docs?|tests?|refactor|perf|style|chore|build|ci)(?:\([^()\n]*\))?!?: ",
    re.IGNORECASE | re.MULTILINE,
)


def words(text: str) -> list[str]:
    """Words in lower case without their commonest endings; one empty word when there is none."""
    letters = _NOT_LETTERS.sub(" ", text).lower()
    return _ENDINGS.sub(r"\1\2", letters).strip(" ").split(" ")


def without_type(subject: str) -> str:
    """The subject without the type that it declares ("feat(parser)!: …")."""
    return _TYPE.sub("", subject, count=1)


def without_types(body: str) -> str:
    """The body without the types of its lines: a squash lists the subjects of its commits."""
    return _TYPES_OF_LINES.sub(r"\1", body)


def without_templates(body: str) -> str:
    """The body without words that say nothing of this change, as `message_without_templates` in SQL."""
    return _TEMPLATES.sub(" ", body)


def terms(subject: str, body: str) -> list[str]:
    """Distinct terms of one message in ascending order; none where the subject has no Latin letters."""
    in_subject = words(subject)
    if not in_subject[0]:
        return []
    first = words(_BEFORE_THE_VERB.sub("", subject))[0]
    in_body = words(without_templates(body)[:BODY_CHARACTERS])
    found = {f"first:{first}"} if first else set()
    found.update(f"subject:{word}" for word in in_subject)
    found.update(f"subject:{one} {two}" for one, two in pairwise(in_subject))
    found.update(f"body:{word}" for word in in_body)
    return sorted(found)
