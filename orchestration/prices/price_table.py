"""The models that the usage of an organization names: their prices and common names, as the tables
`prices.model_prices` and `prices.model_names` of a build.

Add: sources of prices. Keep out: what a price is (`model_prices`), what a row of usage costs (dbt).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from orchestration.prices.names import common_name

if TYPE_CHECKING:
    from orchestration.prices.model_prices import Priced

MOST_TOKENS = 2**62
"""End of the highest tier."""
SCHEMA = pa.schema(
    [
        ("model", pa.string()),
        ("speed", pa.string()),
        ("service_tier", pa.string()),
        ("from_on", pa.date32()),
        ("to_on", pa.date32()),
        ("tier_start", pa.int64()),
        ("tier_end", pa.int64()),
        ("has_tiers", pa.bool_()),
        ("priced_model", pa.string()),
        ("price_source", pa.string()),
        ("input_pico", pa.int64()),
        ("cache_read_pico", pa.int64()),
        ("cache_write_5m_pico", pa.int64()),
        ("cache_write_1h_pico", pa.int64()),
        ("output_pico", pa.int64()),
        ("reason", pa.string()),
    ]
)
"""Speed and tier are empty where a source names none. `reason` is null for a row with prices."""
NAMES = pa.schema([("model", pa.string()), ("common_model", pa.string())])
TABLES = {("ai_tools", "usage"), ("telemetry", "requests"), ("control", "ai_prices")}
"""The raw tables that name models, and the one with agreed prices."""
NAMED = """
    select distinct model, coalesce(speed, ''), coalesce(service_tier, ''), used_on
    from ai_tools.usage
    where model is not null and (input_tokens is not null or output_tokens is not null)
    union
    select model, coalesce(speed, ''), coalesce(service_tier, ''), cast(happened_at at time zone 'UTC' as date)
    from telemetry.requests
    where model is not null
    order by all
"""
EVERY_MODEL = """
    select model from ai_tools.usage where model is not null
    union
    select model from telemetry.requests where model is not null
    order by model
"""
AGREED = """
    select price_id, model, valid_from, valid_until, priced_as, discount_hundredths, input_pico, cache_read_pico,
        cache_write_5m_pico, cache_write_1h_pico, output_pico
    from control.ai_prices
"""
Named = tuple[str, str, str, date]
"""A model with speed, service tier and day."""


def declare(connection: duckdb.DuckDBPyConnection) -> None:
    """Replace the tables. They are empty where no raw row names a model."""
    named: list[Named] = connection.execute(NAMED).fetchall()
    agreed = connection.execute(AGREED).fetchall() if named else []
    models = [model for (model,) in connection.execute(EVERY_MODEL).fetchall()]
    tables = {
        "model_prices": pa.Table.from_pylist(list(rows(named, agreed)) if named else [], SCHEMA),
        "model_names": pa.Table.from_pylist(
            [{"model": model, "common_model": common_name(model)} for model in models], NAMES
        ),
    }
    connection.execute("create schema if not exists prices")
    for name, table in tables.items():
        connection.register("made", table)
        connection.execute(f"create or replace table prices.{name} as from made")
        connection.unregister("made")


def rows(named: Iterable[Named], agreed: Iterable[tuple[Any, ...]] = ()) -> Iterator[dict[str, Any]]:
    """The rows of the table, sorted as `named` is. Consecutive days of one price share a row.

    `agreed` has the columns of `control.ai_prices`, except for the organization.
    """
    # Half a second, for few organizations.
    from orchestration.prices.agreed_prices import AgreedPrice, PriceList

    prices = PriceList(AgreedPrice(*row) for row in agreed)
    stretch: list[date] = []
    current: tuple[tuple[str, str, str], Priced] | None = None
    for model, speed, tier, day in named:
        found = (model, speed, tier), prices.price(model, day, speed, tier)
        if current is not None and found != current:
            yield from _rows_of(*current, stretch)
            stretch = []
        current = found
        stretch.append(day)
    if current is not None:
        yield from _rows_of(*current, stretch)


def _rows_of(key: tuple[str, str, str], price: Priced, days: list[date]) -> Iterator[dict[str, Any]]:
    model, speed, service_tier = key
    shared = {
        "model": model, "speed": speed, "service_tier": service_tier, "from_on": days[0], "to_on": days[-1],
        "priced_model": price.model, "reason": price.reason, "has_tiers": len(price.tiers) > 1,
    }  # fmt: skip
    if not price.tiers:
        yield shared | {"tier_start": -1, "tier_end": MOST_TOKENS}
        return
    ends = [*(tier.above for tier in price.tiers[1:]), MOST_TOKENS]
    for tier, end in zip(price.tiers, ends, strict=True):
        yield shared | {
            "tier_start": tier.above or -1,
            "tier_end": end,
            "price_source": price.source,
            "input_pico": tier.input,
            "cache_read_pico": tier.cache_read,
            "cache_write_5m_pico": tier.cache_write_5m,
            "cache_write_1h_pico": tier.cache_write_1h,
            "output_pico": tier.output,
        }
