"""Our prices beside those of a second table: each difference has a reason (docs/connectors/ai-tools.md)."""

from __future__ import annotations

from datetime import date

from orchestration.prices.model_prices import priced
from tests.orchestration.prices.second_table import MODELS, table

DAY = date(2026, 11, 20)
"""The day of the figures of the second table."""
TIERS_OF_ONE_TABLE = {"claude-sonnet-4-5": ([0, 200_000], [0])}
"""The package has the price of the long context window, which the second table leaves out."""
WRITES_OF_GEMINI = {("gemini-3.1-pro-preview", 200_000), ("gemini-2.5-pro", 200_000)}
"""Google charges a write as the tokens that are read; the second table has the price of reading a cache there."""


def test_fifty_models_cost_the_same_in_both_tables() -> None:
    second = table()
    assert len(second) == len(set(MODELS)) == 50
    tiers, prices = {}, set()
    for model, theirs in second.items():
        ours = {one.above: one for one in priced(model, DAY).tiers}
        if [*ours] != [*map(int, theirs)]:
            tiers[model] = ([*ours], [*map(int, theirs)])
        prices |= {
            (model, above, kind, getattr(ours[above], kind), value)
            for above in ours.keys() & map(int, theirs)
            for kind, value in theirs[str(above)].items()
            if getattr(ours[above], kind) != value
        }
    assert tiers == TIERS_OF_ONE_TABLE
    assert {(model, above) for model, above, *_ in prices} == WRITES_OF_GEMINI
    assert {kind for _, _, kind, *_ in prices} == {"cache_write_5m"}


def test_each_kind_of_token_is_compared() -> None:
    """A table without figures would agree with any other."""
    kinds = [kind for tiers in table().values() for prices in tiers.values() for kind in prices]
    assert {kind: kinds.count(kind) > 20 for kind in set(kinds)} == dict.fromkeys(
        ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"), True
    )
