"""Prices that an organization agreed with vendors of models: which one applies to a row of usage, and what it makes.

Keep out: the price table (`model_prices`), setting a price (api/control/ai_usage).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from orchestration.prices.model_prices import SOURCE, SPEEDS, TIERS, Priced, TokenPrices, priced
from orchestration.prices.names import spellings

ANY_REST = "*"


@dataclass(frozen=True)
class AgreedPrice:
    """A row of `control.ai_prices`. Prices in 10⁻¹² US dollars a token; days are UTC."""

    price_id: str
    model: str
    valid_from: date
    valid_until: date | None
    priced_as: str | None
    discount_hundredths: int | None
    input_pico: int | None
    cache_read_pico: int | None
    cache_write_5m_pico: int | None
    cache_write_1h_pico: int | None
    output_pico: int | None

    @property
    def own(self) -> TokenPrices | None:
        """The agreed prices. A kind of token without one costs what its parent costs."""
        if self.input_pico is None:
            return None
        read = self.input_pico
        written = read if self.cache_write_5m_pico is None else self.cache_write_5m_pico
        return TokenPrices(
            0,
            read,
            read if self.cache_read_pico is None else self.cache_read_pico,
            written,
            written if self.cache_write_1h_pico is None else self.cache_write_1h_pico,
            self.output_pico or 0,
        )

    def place(self, names: list[str], day: date) -> tuple[bool, int, date, str] | None:
        """The rank among the prices of a model with these spellings on a day, or None where it does not apply."""
        if day < self.valid_from or (self.valid_until is not None and day > self.valid_until):
            return None
        start = self.model.removesuffix(ANY_REST)
        is_whole = start == self.model
        if not any(name == start if is_whole else name.startswith(start) for name in names):
            return None
        return is_whole, len(start), self.valid_from, self.price_id


class PriceList:
    """The price table, with what an organization agreed."""

    def __init__(self, agreed: Iterable[AgreedPrice] = ()) -> None:
        self._agreed = tuple(agreed)

    def price(self, model: str, day: date, speed: str = "", service_tier: str = "") -> Priced:
        """The price of a model on a day (UTC), by the name that a tool or vendor gives it.

        Agreed prices of tokens apply to the standard speed and tier; other modes have those of the price table.
        """
        names = list(spellings(model))
        is_standard = not SPEEDS.get(speed, True) and not TIERS.get(service_tier, True)
        found = [
            (place, one)
            for one in self._agreed
            if (place := one.place(names, day)) is not None and (is_standard or one.own is None)
        ]
        if not found:
            return priced(model, day, speed, service_tier)
        _, agreed = max(found, key=lambda one: one[0])
        if agreed.own is not None:
            return Priced(model, (agreed.own,), source=f"agreed price {agreed.price_id}")
        listed = priced(agreed.priced_as or model, day, speed, service_tier)
        if not listed.tiers:
            return replace(listed, reason=f"{listed.reason} (agreed price {agreed.price_id})")
        left = 10_000 - (agreed.discount_hundredths or 0)
        return replace(
            listed,
            tiers=tuple(_scaled(tier, left) for tier in listed.tiers),
            source=f"{SOURCE}, agreed price {agreed.price_id}",
        )


def _scaled(tier: TokenPrices, left: int) -> TokenPrices:
    """The prices times `left` ten thousandths, rounded to 10⁻¹² US dollars."""
    kinds = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    return replace(tier, **{kind: (getattr(tier, kind) * left + 5_000) // 10_000 for kind in kinds})
