"""`/organizations/{organization}/aiPrices`: contract rates and discounts for models, and names of models."""

from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import AiUsageManager, AiUsageSettingsReader
from api.control.ai_usage import prices as ai_prices
from api.control.ai_usage.prices import (
    MAX_MODEL_LENGTH,
    MAX_REASON_LENGTH,
    MAX_USD,
    AiPriceRecord,
    TokenPrices,
)
from api.http.parameters import NoQuery, PagedQuery
from api.http.values import Number
from api.query.parameters import Day
from api.query.records import shown
from api.shapes import Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import AiPricePath

router = APIRouter(prefix="/organizations/{organization}/aiPrices", tags=["aiUsage"])

Usd = Annotated[Number, Field(ge=0, le=MAX_USD)]


class AgreedPrices(Shape):
    """US dollars for a million tokens of each kind."""

    input: Usd = Field(description="Tokens that are read, none of them from a cache.", examples=[4.5])
    output: Usd = Field(description="Tokens that the model writes, thoughts among them.", examples=[22.5])
    cache_read: Usd | None = Field(
        None, description="Tokens from a cache. Null: as `input`.", examples=[0.45]
    )
    cache_write_five_minutes: Usd | None = Field(
        None, description="Tokens written to a cache for five minutes. Null: as `input`.", examples=[5.5]
    )
    cache_write_one_hour: Usd | None = Field(
        None,
        description="Tokens written to a cache for an hour. Null: as `cacheWriteFiveMinutes`.",
        examples=[None],
    )


class NewAiPrice(Shape):
    """What tokens of some models cost: either `prices`, or `pricedAs` or `discountPercent` or both."""

    model: str = Field(
        max_length=MAX_MODEL_LENGTH,
        description="Name of the model, in any case, as usage or the price table has it. A `*` at the end stands for "
        "any rest.",
        examples=["claude-opus-*"],
    )
    valid_from: Day = Field(description="First day of usage (UTC).", examples=["2026-01-01"])
    valid_until: Day | None = Field(
        None, description="Last day of usage. Null: no end.", examples=["2026-12-31"]
    )
    priced_as: str | None = Field(
        None,
        max_length=MAX_MODEL_LENGTH,
        description="Name of a model in the price table whose prices apply. Null: the model's own.",
        examples=[None],
    )
    discount_percent: Number | None = Field(
        None,
        gt=0,
        le=100,
        description="Discount on every price of the price table, up to two decimals.",
        examples=[12.5],
    )
    prices: AgreedPrices | None = Field(
        None,
        description="The agreed prices. They apply to the standard speed and service tier.",
        examples=[None],
    )
    reason: str = Field(max_length=MAX_REASON_LENGTH, examples=["Contract of January 2026."])


class AiPrice(Shape):
    """An agreed price. It never changes; a withdrawal ends its use."""

    id: str
    model: str = Field(
        description="Name of the model in lower case. A `*` at the end stands for any rest.",
        examples=["claude-opus-*"],
    )
    valid_from: date = Field(description="First day of usage (UTC).")
    valid_until: date | None = Field(description="Last day of usage. Null: no end.")
    priced_as: str | None = Field(
        description="Name of a model in the price table whose prices apply. Null: the model's own.",
        examples=[None],
    )
    discount_percent: float | None = Field(
        description="Discount on every price of the price table.", examples=[12.5]
    )
    prices: AgreedPrices | None = Field(description="Null: those of the price table.", examples=[None])
    reason: str = Field(examples=["Contract of January 2026."])
    state: Literal["ACTIVE", "WITHDRAWN"] = Field(description="WITHDRAWN prices apply to no day.")
    created_by: str = Field(examples=["ada@example.org"])
    created_at: datetime
    withdrawn_at: datetime | None


AiPricePage = page_of("AiPricePage", "A page of agreed prices.", ai_prices=AiPrice)


@router.get("", summary="Agreed prices of models", response_model=AiPricePage)
async def list_ai_prices(reader: AiUsageSettingsReader, query: PagedQuery, request: Request) -> Response:
    """The prices that the organization agreed with vendors of models, also withdrawn ones, newest first. Sortable by
    model, validFrom, createdAt.

    Where several apply to a row of usage, a whole name comes before one that ends with `*`, then the longest name,
    the latest first day and the newest price. Without any, the price table counts.
    """
    return await answer_list(
        request, reader.organization_id, query, "aiPrices", ai_prices.list_prices, _shown
    )


@router.post("", summary="Agree on a price of models", response_model=AiPrice)
async def create_ai_price(
    manager: AiUsageManager, body: NewAiPrice, _: NoQuery, request: Request
) -> Response:
    """Set a contract rate or a discount for models, or name the model of the price table that an unknown name stands
    for. The next build computes all costs of these days with it. Billed amounts stay.
    """
    create = partial(
        ai_prices.create_price,
        valid_until=body.valid_until,
        priced_as=body.priced_as,
        discount_percent=_decimal(body.discount_percent),
        prices=_prices(body.prices),
    )
    return await answer_change(request, manager, _shown, create, body.model, body.valid_from, body.reason)


@router.post("/{aiPrice}:withdraw", summary="Withdraw an agreed price", response_model=AiPrice)
async def withdraw_ai_price(
    manager: AiUsageManager, ai_price: AiPricePath, _: NoQuery, request: Request
) -> Response:
    """Withdraw a price. From the next build on, its days have the price that applies without it. A second call
    changes nothing.
    """
    return await answer_change(request, manager, _shown, ai_prices.withdraw_price, ai_price)


def _prices(given: AgreedPrices | None) -> TokenPrices | None:
    if given is None:
        return None
    return TokenPrices(
        Decimal(str(given.input)),
        Decimal(str(given.output)),
        _decimal(given.cache_read),
        _decimal(given.cache_write_five_minutes),
        _decimal(given.cache_write_one_hour),
    )


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _shown(row: AiPriceRecord) -> dict[str, Any]:
    held = row.prices
    return shown(
        AiPrice,
        row,
        discount_percent=_float(row.discount_percent),
        prices=None
        if held is None
        else AgreedPrices(
            input=float(held.input),
            output=float(held.output),
            cache_read=_float(held.cache_read),
            cache_write_five_minutes=_float(held.cache_write_5m),
            cache_write_one_hour=_float(held.cache_write_1h),
        ).model_dump(by_alias=True),
        state="ACTIVE" if row.withdrawn_at is None else "WITHDRAWN",
    )


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
