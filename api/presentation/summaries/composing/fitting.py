"""Keeps a summary within its words."""

from dataclasses import replace

from api.presentation.summaries.document import Document, Item, Section, Sentence, Table, opening, words_of


def fitted(document: Document, words: int) -> Document:
    """The document without the last items of its longest sections, until it has at most so many words.

    The first section stays, and one item of every other.
    """
    found = list(document.sections)
    room = words - sum(map(count, opening(document)))
    while sum(map(_words, found)) > room:
        long = [place for place, one in enumerate(found) if place and len(one.items) > 1]
        if not long:
            break
        place = max(long, key=lambda one: (_words(found[one]), one))
        found[place] = replace(found[place], items=found[place].items[:-1])
    return replace(document, sections=tuple(found))


def count(text: str) -> int:
    """The words of a text between spaces; signs alone are none."""
    return sum(any(character.isalnum() for character in word) for word in text.split())


def _words(section: Section) -> int:
    return count(section.heading or "") + sum(map(_item_words, section.items))


def _item_words(item: Item) -> int:
    if isinstance(item, Sentence):
        return count(words_of(item.parts))
    if isinstance(item, Table):
        cells = sum(count(words_of(cell)) for row in item.rows for cell in row)
        return sum(map(count, item.columns)) + cells
    bars = sum(count(words_of(bar.name)) + count(bar.number.rendered) for bar in item.bars)
    return count(f"{item.title} {item.unit}") + bars
