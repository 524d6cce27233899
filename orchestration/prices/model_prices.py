"""The dated price of a model, as the package genai-prices has it. The only module that imports it.

Its table is in the package, so nothing is asked over the network. Keep out: names (`names`), the table of a build.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

import genai_prices
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

from orchestration.prices.names import spellings

SOURCE = f"genai-prices {genai_prices.__version__}"
PICO_OF_MTOK = Decimal(10) ** 6
"""10⁻¹² US dollars a token for a dollar a million tokens."""
# Other values would be priced as standard without a word.
SPEEDS: Mapping[str, Mapping[str, str]] = {"": {}, "standard": {}, "normal": {}, "fast": {"speed": "fast"}}
TIERS: Mapping[str, Mapping[str, str]] = {
    "": {}, "standard": {}, "default": {}, "auto": {}, "standard_only": {},
    "priority": {"service_tier": "priority"},
    "flex": {"service_tier": "flex"},
    "batch": {"processing": "batch"},
}  # fmt: skip
# The package has no price of writes that last twelve hours, which cost twice as much as others.
LONG_WRITES: Mapping[str, int] = {"openai": 2}


@dataclass(frozen=True)
class TokenPrices:
    """Prices of a token in 10⁻¹² US dollars, for requests that read more than `above` tokens."""

    above: int
    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    output: int


@dataclass(frozen=True)
class Priced:
    """The price of a model: one entry for each tier, the lowest first. Without any, `reason` says why."""

    model: str | None = None
    tiers: tuple[TokenPrices, ...] = ()
    reason: str | None = None
    source: str = SOURCE


def priced(model: str, day: date, speed: str = "", service_tier: str = "") -> Priced:
    """The price of a model on a day (UTC), by the name that a tool or vendor gives it."""
    vendor, found = _find(model)
    if found is None:
        return Priced(reason=f"unknown model {model}")
    if speed not in SPEEDS:
        return Priced(reason=f"unknown speed {speed}")
    if service_tier not in TIERS:
        return Priced(reason=f"unknown service tier {service_tier}")
    at = datetime.combine(day, time(12), UTC)
    context = {**SPEEDS[speed], **TIERS[service_tier]}
    if missing := _without_price(found, context, at):
        return Priced(reason=f"no price of {found.id} for {missing}")
    return Priced(found.id, _tiers(found.get_prices(at, context), LONG_WRITES.get(vendor, 1)))


def _find(model: str) -> tuple[str, ModelInfo | None]:
    """The vendor and the model; None for an unknown one."""
    for name in spellings(model):
        try:
            vendor, found = get_snapshot().find_provider_model(name, None, None, None)
        except LookupError:
            continue
        return vendor.id, found
    return "", None


def _without_price(model: ModelInfo, context: Mapping[str, str], at: datetime) -> str | None:
    """The part of the context for which the model has no price of its own."""
    active = [
        one.when for one in model.price_variants or () if one.constraint is None or one.constraint.active(at)
    ]
    for key, value in context.items():
        if not any(when.get(key) == value for when in active):
            return f"{key.replace('_', ' ')} {value}"
    return None


def _tiers(price: ModelPrice, long_writes: int) -> tuple[TokenPrices, ...]:
    """The prices of each tier. A kind of token without a price of its own costs what its parent costs, and a long write
    so many times a short one.
    """
    keys = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok")
    prices = [getattr(price, key) for key in keys]
    starts = {0} | {tier.start for one in prices if isinstance(one, TieredPrices) for tier in one.tiers}
    found = []
    for above in sorted(starts):
        read, cached, written, written_1h, output = (_pico(one, above) for one in prices)
        read = read or 0
        written = read if written is None else written
        found.append(
            TokenPrices(
                above,
                read,
                read if cached is None else cached,
                written,
                written * long_writes if written_1h is None else written_1h,
                output or 0,
            )
        )
    return tuple(found)


def _pico(price: Decimal | TieredPrices | None, above: int) -> int | None:
    """The price of a token in a request that reads more than `above` tokens, and no more than the next tier."""
    if isinstance(price, TieredPrices):
        reached = [tier.price for tier in price.tiers if tier.start <= above]
        price = reached[-1] if reached and above > 0 else price.base
    return None if price is None else int((price * PICO_OF_MTOK).to_integral_value())
