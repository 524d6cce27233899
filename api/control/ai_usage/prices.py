"""Prices that an organization agreed with vendors of models: contract rates, discounts, and names of models.

A price is created and withdrawn, never changed. Without one, the price table counts. Keep out: which price a row of
usage has (orchestration/prices).
"""

from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import AiPrice
from api.control.names import checked_name, checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.store import ControlStore

KEYS = {
    "model": Key(AiPrice.model),
    "validFrom": Key(AiPrice.valid_from),
    "createdAt": Key(AiPrice.created_at),
    "id": Key(AiPrice.id),
}
ANY_REST = "*"
PICO = 10**6
"""10⁻¹² US dollars a token for a dollar a million tokens."""
MAX_IN_FORCE = 500
MAX_MODEL_LENGTH = 200
MAX_REASON_LENGTH = 1000
MAX_USD = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """US dollars for a million tokens of each kind. A kind without a price costs what the builds say of it."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write_5m: Decimal | None = None
    cache_write_1h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class AiPriceRecord:
    """An agreed price."""

    id: str
    model: str
    valid_from: date
    valid_until: date | None
    priced_as: str | None
    discount_percent: Decimal | None
    prices: TokenPrices | None
    reason: str
    created_by: str
    created_at: datetime
    withdrawn_at: datetime | None


def create_price(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    model: str,
    valid_from: date,
    reason: str,
    *,
    valid_until: date | None = None,
    priced_as: str | None = None,
    discount_percent: Decimal | None = None,
    prices: TokenPrices | None = None,
) -> AiPriceRecord:
    """Agree on the price of a model, or of all whose names begin with what stands before a `*`.

    It has either prices, or the name of another model or a discount or both, and applies to usage of these days.
    Raises InvalidSetting, NotPossible for too many.
    """
    model = _checked_model(model, "model")
    if ANY_REST in model[:-1]:
        raise InvalidSetting("model", f"use {ANY_REST!r} at the end only")
    if priced_as is not None:
        priced_as = _checked_model(priced_as, "pricedAs")
    if (prices is None) == (priced_as is None and discount_percent is None):
        raise InvalidSetting("prices", "give either prices, or pricedAs or discountPercent (or both)")
    if valid_until is not None and valid_until < valid_from:
        raise InvalidSetting("validUntil", f"use {valid_from} or later: it is the last day")
    reason = checked_text(reason, "reason", max_length=MAX_REASON_LENGTH)
    row = AiPrice(
        id=new_id(),
        organization_id=organization_id,
        model=model,
        valid_from=valid_from,
        valid_until=valid_until,
        priced_as=priced_as,
        discount_hundredths=_hundredths(discount_percent),
        **_pico(prices),
        reason=reason,
        created_by=actor.actor[2],
        created_at=store.now(),
        withdrawn_at=None,
    )
    with store.allowed_write(actor, organization_id, Permission.MANAGE_AI_USAGE) as session:
        _refuse_too_many(session, organization_id)
        session.add(row)
        record(session, "aiPrices.create", _target(row), None, _state(row), restates=True)
        return _record(row)


def withdraw_price(
    store: ControlStore, actor: Principal, organization_id: str, price_id: str
) -> AiPriceRecord:
    """Withdraw a price: its days get the price that applies without it. A second call changes nothing.

    Raises NotFound.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_AI_USAGE) as session:
        row = existing(session, AiPrice, organization_id, price_id, "price", "aiPrices")
        if row.withdrawn_at is None:
            row.withdrawn_at = store.now()
            record(session, "aiPrices.withdraw", _target(row), _state(row), restates=True)
        return _record(row)


def list_prices(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[AiPriceRecord]:
    """A page of every price, also withdrawn ones, newest first."""
    with store.session() as session:
        return list_page(
            session, owned(AiPrice, organization_id), KEYS, asked, _record, default="createdAt desc", unique="id"
        )  # fmt: skip


def _checked_model(value: str, field: str) -> str:
    return checked_name(value, field, max_length=MAX_MODEL_LENGTH).lower()


def _refuse_too_many(session: Session, organization_id: str) -> None:
    held = session.scalar(
        select(func.count())
        .select_from(AiPrice)
        .where(AiPrice.organization_id == organization_id, AiPrice.withdrawn_at.is_(None))
    )
    if held is not None and held >= MAX_IN_FORCE:
        raise NotPossible(
            f"this organization has {held} prices in force, the most that is possible; withdraw one first"
        )


def _hundredths(percent: Decimal | None) -> int | None:
    """Hundredths of a percent. Raises InvalidSetting."""
    if percent is None:
        return None
    found = percent * 100
    if not 0 < found <= 10_000 or found != found.to_integral_value():
        raise InvalidSetting(
            "discountPercent", "use a number above 0 and up to 100 with up to two decimals, such as 12.5"
        )
    return int(found)


def _percent(row: AiPrice) -> Decimal | None:
    return None if row.discount_hundredths is None else Decimal(row.discount_hundredths) / 100


def _pico(prices: TokenPrices | None) -> dict[str, int | None]:
    """The columns of the prices. Raises InvalidSetting for a price that is negative, too high or too precise."""
    found: dict[str, int | None] = {}
    for one in fields(TokenPrices):
        dollars = None if prices is None else getattr(prices, one.name)
        if dollars is None:
            found[f"{one.name}_pico"] = None
            continue
        pico = dollars * PICO
        if not 0 <= dollars <= MAX_USD or pico != pico.to_integral_value():
            raise InvalidSetting(
                "prices",
                f"{dollars} is no price of a million tokens; use 0 to {MAX_USD} US dollars with up to six decimals",
            )
        found[f"{one.name}_pico"] = int(pico)
    return found


def _dollars(row: AiPrice) -> dict[str, Decimal | None]:
    held = {one.name: getattr(row, f"{one.name}_pico") for one in fields(TokenPrices)}
    return {name: None if pico is None else Decimal(pico) / PICO for name, pico in held.items()}


def _target(row: AiPrice) -> Target:
    return Target("aiPrice", row.id, row.model)


def _state(row: AiPrice) -> dict[str, Any]:
    held = {name: None if one is None else float(one) for name, one in _dollars(row).items()}
    return {
        "model": row.model,
        "validFrom": row.valid_from.isoformat(),
        "validUntil": row.valid_until and row.valid_until.isoformat(),
        "pricedAs": row.priced_as,
        "discountPercent": row.discount_hundredths and row.discount_hundredths / 100,
        "usdPerMillionTokens": None if row.input_pico is None else held,
        "reason": row.reason,
    }


def _record(row: AiPrice) -> AiPriceRecord:
    dollars: dict[str, Any] = _dollars(row)
    prices = None if row.input_pico is None else TokenPrices(**dollars)
    return copied(AiPriceRecord, row, prices=prices, discount_percent=_percent(row))
