"""Edits between two lines, token by token."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingest.git.lexing.token_edits import token_edits
from ingest.git.lexing.tokens import tokens_of, words_substituted

WORDS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"1", b"+", b"."]), max_size=12)


@given(WORDS, WORDS)
def test_lines_have_edits_where_they_differ_and_only_there(old: list[bytes], new: list[bytes]) -> None:
    if old == new:
        assert token_edits(old, new) == ()
    elif new and token_edits(old, new):
        assert set(old) & set(new)


@given(WORDS, WORDS, WORDS, WORDS)
def test_what_stands_around_a_rewritten_call_does_not_change_its_edits(
    before: list[bytes], inside: list[bytes], other: list[bytes], more: list[bytes]
) -> None:
    def edits(start: list[bytes], arguments: list[bytes]) -> set[int]:
        old = [*start, b"array", b"(", *arguments, b")", b";"]
        new = [*start, b"[", *arguments, b"]", b";"]
        return set(token_edits(old, new))

    assume(inside and more and len(inside) > 2 and len(more) > 2)
    assert edits(before, inside) == edits(other, more)


@given(WORDS)
def test_a_single_word_for_another_is_the_same_edit_as_a_substitution(words: list[bytes]) -> None:
    old, new = [*words, b"old", *words, b"x"], [*words, b"new", *words, b"x"]
    assert token_edits(old, new) == words_substituted(b" ".join(old), b" ".join(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = foo(bar)", "y.baz[1] = -quux"),
        ("}", "return nothing"),
        ("", "x = 1"),
    ],
)
def test_an_exchanged_line_is_no_rewritten_one(old: str, new: str) -> None:
    assert token_edits(tokens_of(old.encode()), tokens_of(new.encode())) == ()
