"""Words are found by both engines wherever they stand, as by a search for each of them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.machine_text.words import MOST_WORDS, RememberedFinder, finder
from tests.ingest.git.engines import ENGINES, reading_with

WORDS = (
    b"enerat",
    b"generated",
    b"-- ",
    b"ij_",
    b"[[[end]]]",
    b"!_tag_file_",
    b"aaab",
    b"\xc3\xa9tat",
    b"sphinx",
)
PIECES = [*WORDS, *(word[:-1] for word in WORDS), *(word[1:] for word in WORDS), b"a", b"\n", b"\0", b"\xff"]


@given(
    st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=12).map(b"".join),
    st.sampled_from([bytes.upper, bytes.lower, bytes.title]),
    st.lists(st.integers(0, 30), max_size=MOST_WORDS - len(WORDS)),
)
def test_words_are_found_as_by_a_search_for_each(
    text: bytes, case: Callable[[bytes], bytes], others: list[int]
) -> None:
    words = [*(b"word%d." % number for number in others), *WORDS]
    text = case(text) + b"".join(b"Word%d. " % number for number in others[::2])
    expected = sum(1 << number for number, word in enumerate(words) if text.lower().find(word) >= 0)
    for engine in ENGINES:
        with reading_with(engine):
            assert finder(words)(text) == expected


@pytest.mark.parametrize("words", [[b"ab"], [b"End"], [b"word"] * (MOST_WORDS + 1)])
def test_words_that_cannot_be_found_are_refused(words: list[bytes]) -> None:
    with pytest.raises(ValueError, match="words must be"):
        finder(words)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map(b"".join), max_size=12))
def test_versions_of_a_file_have_the_words_of_each_text(texts: list[bytes]) -> None:
    asked: list[bytes] = []

    def find(text: bytes) -> int:
        asked.append(text)
        return finder(WORDS)(text)

    remembered = RememberedFinder(find)
    assert [remembered(text) for text in [*texts, *texts[-1:]]] == [
        finder(WORDS)(text) for text in [*texts, *texts[-1:]]
    ]
    assert len(asked) <= len(texts)
