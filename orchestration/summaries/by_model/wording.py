"""Checks of the words that a model wrote around its placeholders. A line for each thing that is wrong.

They refuse what they cannot judge: the rules' own text is there instead. Keep out: placeholders (`answers`), numbers
(`api.presentation.summaries.verification`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from api.presentation.summaries.document import Number, Sentence, Subject, Text
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.outside import one_line
from orchestration.summaries.by_model.prompt import SYSTEM

MAX_SENTENCE_WORDS = 60
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SIGNS = frozenset(" .,;:()'’\"“”–—-%?!&/…")
_LINK = re.compile(r"www\.|[^\W\d_]\.[^\W\d_]{2,}|:/|//|@", re.IGNORECASE)
_NUMBER_WORDS = _words_of(
    """
    two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety
    hundred hundreds thousand thousands million millions dozen dozens half halved double doubled twice triple
    tripled thrice percent percentage
    """
)
_JUDGING = _words_of(
    """
    good great strong weak poor bad excellent impressive remarkable significant significantly substantial
    substantially dramatic dramatically huge massive major minor considerable considerably notable notably sharp
    sharply solid healthy unhealthy alarming worrying concerning disappointing outstanding best worst better worse
    high low large small big slow fast steep modest slight slightly many few several
    """
)
_UP = _words_of(
    """
    rose rise rises grew grow grows increased increase increases climbed up higher more above exceeded
    """
)
_DOWN = _words_of(
    """
    fell fall falls dropped drop drops decreased decrease declined decline down lower fewer less below
    """
)
_UNITS = {
    "etv": {"ETV"}, "commit": {"COUNT"}, "commits": {"COUNT"}, "hour": {"WORKING_HOURS", "HOURS"},
    "hours": {"WORKING_HOURS", "HOURS"}, "day": {"WORKING_DAYS", "DAYS"}, "days": {"WORKING_DAYS", "DAYS"},
    "people": {"COUNT"}, "issues": {"COUNT", "SHARE"}, "checks": {"COUNT"},
    "working": {"WORKING_HOURS", "WORKING_DAYS"},
}  # fmt: skip
_NAMES = frozenset({"AI", "ETV", "CapEx", "I"})
_SHARED_TITLE, _SHARED_RULES = 4, 8
"""Words in a row that a text may not share with a title, and with what the model was told."""


class Wording:
    """What the words of one summary may not repeat: titles and names of its facts.

    `known` is text of the organization, whose names may stand in a sentence.
    """

    def __init__(self, facts: Iterable[Fact], known: str) -> None:
        titles = [one_line(fact.subject_title, 400) for fact in facts if fact.subject_title]
        self._title_runs = {run for title in titles for run in _runs(title, _SHARED_TITLE)}
        self._rule_runs = set(_runs(SYSTEM, _SHARED_RULES))
        self._known = _NAMES | set(_WORD.findall(known))
        people = " ".join(one.subject_title or "" for one in facts if one.subject_type == "DEVELOPER")
        inner = (word for title in titles for word in _WORD.findall(title)[1:])
        self._foreign = {
            word for word in (*inner, *_WORD.findall(people)) if word[:1].isupper()
        } - self._known

    def problems(self, sentence: Sentence, facts: dict[str, Fact]) -> Iterator[str]:
        """What is wrong with a sentence."""
        parts = sentence.parts
        text = " ".join(part.text for part in parts if isinstance(part, Text))
        cited = [part for part in parts if not isinstance(part, Text)]
        words = [word.lower() for word in _WORD.findall(text)]
        if not cited:
            yield "a sentence cites no fact"
        if len(words) > MAX_SENTENCE_WORDS:
            yield f"a sentence has more than {MAX_SENTENCE_WORDS} words"
        yield from self._signs(text)
        yield from self._names(sentence)
        for told in sorted(set(words) & _NUMBER_WORDS):
            yield f"a number word stands for no fact: {told}"
        numbers = [part for part in cited if isinstance(part, Number)]
        if not numbers and (judged := sorted(set(words) & _JUDGING)):
            yield f"a sentence judges without a number: {judged[0]}"
        if self._title_runs & set(_runs(text, _SHARED_TITLE)):
            yield "a sentence repeats a title instead of citing it"
        if self._rule_runs & set(_runs(text, _SHARED_RULES)):
            yield "a sentence repeats the rules"
        yield from _direction(set(words), numbers, facts)
        yield from _units(parts, facts)

    def _signs(self, text: str) -> Iterator[str]:
        for character in text:
            kind = unicodedata.category(character)[0]
            is_latin = kind == "L" and "LATIN" in unicodedata.name(character, "")
            # Digits are the part of `verify`.
            if character in _SIGNS or is_latin or kind == "N":
                continue
            yield f"a sentence has a sign that is not allowed: {unicodedata.name(character, 'a hidden one')}"
            return
        if _LINK.search(text):
            yield "a sentence has a link or an address"

    def _names(self, sentence: Sentence) -> Iterator[str]:
        """Capital letters stand for names, but for the first word of a sentence where no title has that name."""
        whole = "".join(part.text if isinstance(part, Text) else "\0" for part in sentence.parts)
        for found in _WORD.finditer(whole):
            word, before = found[0], whole[: found.start()].rstrip(" \"“('")
            is_first = not before or before[-1] in ".!?"
            if word in self._known or word == word.lower():
                continue
            if not is_first or word[1:] != word[1:].lower() or word in self._foreign:
                yield f"a sentence has a name that is no fact: {one_line(word, 40)}"
                return


def _direction(words: set[str], numbers: Sequence[Number], facts: dict[str, Fact]) -> Iterator[str]:
    """A rise that is a fall. Sentences with words for both are not judged."""
    rises, falls = bool(words & _UP), bool(words & _DOWN)
    if rises == falls:
        return
    fields = {(one.fact_id, one.field) for one in numbers}
    for fact_id in {one.fact_id for one in numbers}:
        fact = facts.get(fact_id)
        if fact is None or fact.value_micro is None or (fact_id, "value") not in fields:
            continue
        others = {"previous": fact.previous_micro, "low": fact.low_micro, "high": fact.high_micro}
        told = [micro for name, micro in others.items() if micro is not None and (fact_id, name) in fields]
        if told and all(fact.value_micro <= micro if rises else fact.value_micro >= micro for micro in told):
            yield f"a sentence says that {fact_id} {'rose' if rises else 'fell'}, and it did not"


def _units(parts: Sequence[Text | Number | Subject], facts: dict[str, Fact]) -> Iterator[str]:
    """A unit behind a number that is another one than the fact has."""
    for part, after in pairwise(parts):
        if not isinstance(part, Number) or not isinstance(after, Text):
            continue
        following = _WORD.match(after.text.lstrip(" \u00a0-"))
        unit, fact = _UNITS.get(following[0].lower()) if following else None, facts.get(part.fact_id)
        if unit is not None and fact is not None and part.field != "basis" and fact.unit not in unit:
            yield f"{part.fact_id} is told in another unit than {fact.unit}"


def _runs(text: str, length: int) -> Iterator[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    for start in range(len(words) - length + 1):
        yield tuple(words[start : start + length])
