"""Comparing the sides of a hunk: formatting earns nothing, tokens count once, the order is the documented one."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.line_features import Features, features
from ingest.git.lexing.token_diff import TOKEN_LIMIT, Comparison, compare, own_tokens, pack_recount
from ingest.git.lexing.tokens import layout_hash, tokens_of

PYTHON, MARKDOWN = LANGUAGES["Python"], LANGUAGES["Markdown"]

# Few words and few signs, so that lines share tokens and whole lines repeat; never more than 31 tokens in all.
LINE = st.lists(
    st.sampled_from(["a", "b", "c", "+", "-", "f(", ")", "= (", "\\", " ", "", "#", '"']), max_size=3
).map(" ".join)
SIDE = st.lists(LINE, max_size=5)


def read(lines: list[str]) -> Features:
    return features(PYTHON, [line.encode() for line in lines], range(len(lines)))


def compared(removed: list[str], added: list[str]) -> Comparison:
    return compare(read(removed), read(added))


def tokens(side: Features, without: set[int], *, bare: bool = False) -> Counter[bytes]:
    texts = side.bare if bare else side.text
    heads = (tokens_of(text) for at, text in enumerate(texts) if side.owner[at] == at and at not in without)
    return Counter(chain.from_iterable(heads))


def layout_heads(side: Features, is_layout: list[bool]) -> set[int]:
    return {at for at, layout in enumerate(is_layout) if layout and side.owner[at] == at and side.text[at]}


@given(SIDE, SIDE)
def test_the_number_of_new_tokens_is_the_difference_of_the_multisets(
    removed: list[str], added: list[str]
) -> None:
    old, new = read(removed), read(added)
    found = compare(old, new)
    if not removed or not added:
        return
    mine, theirs = layout_heads(new, found.is_layout), layout_heads(old, found.claimed_by_layout)
    # Layout characters are neither new nor gone, but they may cancel tokens that are.
    assert sum(found.new_tokens) == sum((tokens(new, mine, bare=True) - tokens(old, theirs)).values())
    lost = tokens(old, theirs, bare=True) - tokens(new, mine)
    assert any(found.has_token_gone) == bool(lost)
    gone = [tokens_of(text) for text, is_gone in zip(old.bare, found.has_token_gone, strict=True) if is_gone]
    assert not lost - Counter(chain.from_iterable(gone))


@given(SIDE, SIDE)
def test_layout_lines_pair_off_with_the_removed_lines_that_they_claim(
    removed: list[str], added: list[str]
) -> None:
    old, new = read(removed), read(added)
    found = compare(old, new)
    offered = Counter(layout_hash(t) for at, t in enumerate(old.bare) if old.owner[at] == at and old.text[at])
    asked = Counter(layout_hash(t) for at, t in enumerate(new.bare) if new.owner[at] == at and new.text[at])
    claimed = Counter(layout_hash(old.bare[at]) for at in layout_heads(old, found.claimed_by_layout))
    claiming = Counter(layout_hash(new.bare[at]) for at in layout_heads(new, found.is_layout))
    if removed and added:
        assert claimed == claiming == offered & asked
    for at, line in enumerate(added):
        assert found.is_layout[at] == found.is_layout[new.owner[at]] or not line.strip()
        assert found.is_layout[at] or line.strip()
        assert not found.new_tokens[at] or not found.is_layout[at]
    for mine, theirs in found.layout_claims.items():
        assert layout_hash(old.bare[theirs]) == layout_hash(new.bare[mine])


@given(SIDE, SIDE, SIDE)
def test_lines_appended_to_a_hunk_do_not_change_those_above(
    removed: list[str], added: list[str], more: list[str]
) -> None:
    old, new = read(removed), read(added)
    # Without an open bracket, which would join the appended lines.
    if "(" in "".join(added):
        return
    alone, together = compare(old, new), compare(old, read([*added, *more]))
    if not layout_heads(read([*added, *more]), together.is_layout) - layout_heads(new, alone.is_layout):
        assert together.new_tokens[: len(added)] == alone.new_tokens


@given(SIDE)
def test_a_pure_insertion_has_all_its_tokens_new_and_a_pure_deletion_all_gone(lines: list[str]) -> None:
    side = read(lines)
    inserted, deleted = compare(read([]), side), compare(side, read([]))
    assert inserted.new_tokens == side.token_count
    assert inserted.is_layout == [not line.strip() for line in lines]
    assert deleted.has_token_gone == [count > 0 for count in side.token_count]
    assert deleted.claimed_by_layout == [False] * len(lines)


def test_tokens_are_capped() -> None:
    long = " ".join(f"w{number}" for number in range(50))
    assert compared([], [long]).new_tokens == compared(["x"], [long]).new_tokens == [TOKEN_LIMIT]


@given(SIDE, SIDE, st.data())
def test_own_tokens_are_counted_as_if_fresh_lines_had_not_existed(
    removed: list[str], added: list[str], data: st.DataObject
) -> None:
    old = read(removed)
    fresh = [data.draw(st.booleans()) for _ in removed]
    # A logical line is as fresh as its head, which carries its tokens.
    fresh = [fresh[owner] for owner in old.owner]
    new = read(added)
    found = compare(old, new)
    own = own_tokens(pack_recount(old, new, found), fresh) if removed and added else []
    stale = layout_heads(old, found.claimed_by_layout) - {at for at, is_fresh in enumerate(fresh) if is_fresh}
    kept = {mine for mine, theirs in found.layout_claims.items() if theirs in stale}
    without = stale | {at for at, is_fresh in enumerate(fresh) if is_fresh}
    bare = any(fresh) and not all(fresh) if added else True
    if any(fresh) and added:
        assert sum(own) == sum((tokens(new, kept, bare=bare) - tokens(old, without)).values())


def test_a_typo_mended_in_a_fresh_line_counts_the_whole_line_for_its_author() -> None:
    old, new = read(["x = compute(lenght)"]), read(["x = compute(length)"])
    found = compare(old, new)
    assert found.new_tokens == [1]
    assert own_tokens(pack_recount(old, new, found), [True]) == [6]


# Formatting: the same statements in many layouts.
NAME = st.sampled_from(["alpha", "beta", "gamma", "total", "value_2"])
LITERAL = st.one_of(st.integers(0, 99).map(str), st.sampled_from(["'one'", "'two words'", "'(['", "'#'"]))
ARGUMENT = st.one_of(NAME, LITERAL, st.tuples(NAME, LITERAL).map("=".join), NAME.map(lambda n: f"[{n}, {n}]"))
STATEMENT = st.tuples(NAME, NAME, st.lists(ARGUMENT, min_size=1, max_size=8))


def laid_out(statements: list[tuple[str, str, list[str]]], width: int, indent: str, quote: str) -> list[str]:
    """Calls filled with as many arguments per line as fit; below 60 columns one per line with a trailing comma."""
    lines = []
    for target, function, written in statements:
        arguments = [argument.replace("'", quote) for argument in written]
        call = f"{indent}{target} = {function}({', '.join(arguments)})"
        if len(call) <= width:
            lines.append(call)
        elif width < 60:
            lines += [
                f"{indent}{target}={function}(",
                *(f"{indent}    {a}," for a in arguments),
                f"{indent})",
            ]
        else:
            half = len(arguments) // 2 + 1
            lines.append(f"{indent}{target} = {function}({', '.join(arguments[:half])},")
            lines.append(f"{indent}    {', '.join(arguments[half:])})")
    return lines


@given(
    st.lists(STATEMENT, min_size=1, max_size=5),
    st.tuples(
        st.sampled_from([20, 40, 80, 120]), st.sampled_from(["", "    ", "\t"]), st.sampled_from("'\"")
    ),
    st.tuples(
        st.sampled_from([20, 40, 80, 120]), st.sampled_from(["", "    ", "\t"]), st.sampled_from("'\"")
    ),
)
def test_a_new_layout_of_code_is_layout_everywhere(
    statements: list[tuple[str, str, list[str]]], before: tuple[int, str, str], after: tuple[int, str, str]
) -> None:
    found = compared(laid_out(statements, *before), laid_out(statements, *after))
    assert all(found.is_layout)
    assert all(found.claimed_by_layout)
    assert not any(found.new_tokens)
    assert not any(found.has_token_gone)


@given(st.lists(STATEMENT, min_size=1, max_size=5), st.sampled_from([20, 40, 80, 120]))
def test_new_code_has_as_many_tokens_at_every_width(
    statements: list[tuple[str, str, list[str]]], width: int
) -> None:
    one = compared([], laid_out(statements, 1_000, "", "'"))
    other = compared([], laid_out(statements, width, "    ", '"'))
    assert sorted(filter(None, one.new_tokens)) == sorted(filter(None, other.new_tokens))


@given(
    st.lists(st.sampled_from(["some", "words", "of", "prose", "(with", "brackets)"]), min_size=1, max_size=40)
)
def test_rewrapping_prose_adds_no_new_tokens(words: list[str]) -> None:
    def flowed(width: int) -> Features:
        lines = [" ".join(words[at : at + width]).encode() for at in range(0, len(words), width)]
        return features(MARKDOWN, lines, range(len(lines)))

    assert not any(compare(flowed(9), flowed(5)).new_tokens)


@pytest.mark.parametrize(
    ("removed", "added", "is_layout"),
    [
        (["x = 1"], ["x = 1", "x = 1"], [True, False]),
        (["x = 1", "x = 1"], ["x=1", "", "x =1"], [True, True, True]),
        (["x = 1  # note"], ["x = 1"], [True]),
        (["# x = 1"], ["x = 1"], [False]),
        (["x = [a, b]"], ["x = [ab]"], [False]),
        (["if a:", "    b()"], ["if a: b()"], [False]),
        (["x = a or b"], ["x = (", "    a or b", ")"], [True] * 3),
        (["x = (", "    a or b", ")"], ["x = a or b"], [True]),
        (["return a, b"], ["return (", "    a,", "    b,", ")"], [True] * 4),
        (["x = a"], ["x = (", "    a,", ")"], [False] * 3),
        (["x = a * b + c"], ["x = a * (", "    b + c", ")"], [False] * 3),
    ],
)
def test_layout_lines_are_distinguished_from_changed_ones(
    removed: list[str], added: list[str], is_layout: list[bool]
) -> None:
    assert compared(removed, added).is_layout == is_layout


def test_wrapping_a_line_beside_a_change_of_it_adds_only_the_change() -> None:
    found = compared(["x = a or b"], ["x = (", "    a or b or c", ")"])
    assert found.new_tokens == [2, 0, 0]
    assert found.has_token_gone == [False]
    back = compared(["x = (", "    a or b or c", ")"], ["x = a or b"])
    assert back.new_tokens == [0]
    assert back.has_token_gone == [True, False, False]


def test_brackets_that_wrap_are_not_gone_when_they_are_taken_away_beside_a_change() -> None:
    found = compared(["x = (", "    a or b", ")"], ["x = a or b or c"])
    assert found.new_tokens == [2]
    assert found.has_token_gone == [False] * 3


def test_a_bracket_that_wraps_may_become_one_that_calls() -> None:
    found = compared(["x = (", "    a or b", ")"], ["x = f(a or b)"])
    assert found.new_tokens == [1]
    assert found.has_token_gone == [False] * 3


def test_brackets_that_mean_something_else_are_new() -> None:
    assert compared(["x = a * b + c"], ["x = a * (b + c)"]).new_tokens == [2]
    assert compared(["x = a * b + c"], ["x = a * (", "    b + c", ")"]).new_tokens == [2, 0, 0]


def test_code_taken_out_of_a_comment_has_no_new_tokens() -> None:
    assert compared(["# x = compute(1)"], ["x = compute(1)"]).new_tokens == [0]
