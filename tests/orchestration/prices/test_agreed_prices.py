"""Agreed prices: which one applies, and what it makes of the price table."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import date, timedelta
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orchestration.prices.agreed_prices import AgreedPrice, PriceList
from orchestration.prices.model_prices import priced

DAY = date(2026, 11, 2)
OPUS = "us.anthropic.claude-opus-5-v1:0"
PLAIN = AgreedPrice("", "", DAY, *[None] * 8)


def agreed(key: str, model: str, **values: Any) -> AgreedPrice:
    return replace(PLAIN, price_id=key, model=model, **values)


def test_a_discount_lowers_every_price_of_every_tier_and_mode() -> None:
    prices = PriceList([agreed("p", "gpt-*", discount_hundredths=2500)])
    for mode in ({}, {"speed": "fast"}, {"service_tier": "priority"}):
        for model in ("gpt-6-astra", "gpt-5.3-codex"):
            listed, found = priced(model, DAY, **mode), prices.price(model, DAY, **mode)
            assert [astuple(tier)[0] for tier in found.tiers] == [tier.above for tier in listed.tiers]
            for before, after in zip(listed.tiers, found.tiers, strict=True):
                assert [4 * one for one in astuple(after)[1:]] == [3 * one for one in astuple(before)[1:]]
    assert "agreed price p" in prices.price("gpt-6-astra", DAY).source
    assert prices.price("claude-opus-5", DAY) == priced("claude-opus-5", DAY)


def test_agreed_prices_of_tokens_apply_to_the_standard_mode_alone() -> None:
    prices = PriceList([agreed("p", "claude-opus-5", input_pico=4_000_000, output_pico=9, cache_read_pico=0)])
    [tier] = prices.price(OPUS, DAY).tiers
    assert astuple(tier) == (0, 4_000_000, 0, 4_000_000, 4_000_000, 9)
    assert prices.price(OPUS, DAY, "standard", "default").tiers == (tier,)
    assert prices.price(OPUS, DAY, "fast") == priced(OPUS, DAY, "fast")
    assert prices.price(OPUS, DAY, "ludicrous").reason == "unknown speed ludicrous"


def test_an_unknown_name_stands_for_a_model_of_the_table() -> None:
    named = PriceList([agreed("p", "house-model", priced_as="claude-opus-5", discount_hundredths=10_000)])
    assert named.price("house-model", DAY).model == priced("claude-opus-5", DAY).model
    assert set(astuple(named.price("house-model", DAY).tiers[0])) == {0}
    wrong = PriceList([agreed("p", "house-model", priced_as="claude-opsu-5")]).price("house-model", DAY)
    assert (wrong.tiers, wrong.reason) == ((), "unknown model claude-opsu-5 (agreed price p)")


def test_a_price_applies_to_its_days() -> None:
    prices = PriceList(
        [agreed("p", "claude-opus-5", valid_until=DAY + timedelta(2), input_pico=1, output_pico=1)]
    )
    days = [DAY + timedelta(n) for n in range(-1, 4)]
    assert [prices.price(OPUS, day).source.startswith("agreed") for day in days] == [
        False, True, True, True, False,
    ]  # fmt: skip


PATTERNS = ("claude-opus-5", "claude-opus-*", "claude-*", "us.anthropic.*", "*", "gpt-*", OPUS)


DRAWN = st.lists(
    st.tuples(st.sampled_from(PATTERNS), st.integers(-3, 3), st.integers(-3, 5)), max_size=6, unique=True
)


@given(DRAWN, st.randoms(use_true_random=False))
def test_a_whole_name_then_the_longest_then_the_latest_price_applies(
    drawn: list[tuple[str, int, int]], dice: Random
) -> None:
    rows = [
        agreed(
            f"p{n}", pattern, valid_from=DAY + timedelta(start), valid_until=DAY + timedelta(end),
            input_pico=n, output_pico=n,
        )
        for n, (pattern, start, end) in enumerate(drawn)
    ]  # fmt: skip
    dice.shuffle(rows)
    best = None
    for n, (pattern, start, end) in enumerate(drawn):
        if pattern == "gpt-*" or not start <= 0 <= end:
            continue
        rank = (not pattern.endswith("*"), len(pattern.rstrip("*")), start, n)
        best = max(best or rank, rank)
    found = PriceList(rows).price(OPUS, DAY)
    assert (found.tiers[0].output == best[3]) if best else found == priced(OPUS, DAY)
