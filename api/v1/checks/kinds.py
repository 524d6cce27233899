"""`/organizations/{organization}/checkKinds`: the kinds of checks, and what the organization sets for them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Path, Request
from pydantic import Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CheckKindReader, CheckSettingManager
from api.control.checks import settings
from api.control.models import CheckSetting
from api.errors import NotFound
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.http.values import Flag, Number
from api.presentation.checks import CheckKind as Kind
from api.presentation.checks import check_kinds, in_micro, in_parts
from api.query.parameters import Day
from api.read.checks.backtests import Proposal, backtest
from api.read.checks.shapes import Backtest
from api.services import services
from api.shapes import Shape

router = APIRouter(prefix="/organizations/{organization}/checkKinds", tags=["checks"])

KindPath = Annotated[
    str, Path(alias="checkKind", min_length=1, max_length=64, description="Name of the kind, in any case.")
]


class CheckKind(Shape):
    """A kind of check, with the settings of the organization."""

    name: str = Field(description="Name in paths and parameters.", examples=["OPEN_TOO_LONG"])
    label: str = Field(description="Name for people.", examples=["Open too long"])
    source: str = Field(description="The kind of thing that it looks at.", examples=["PULL_REQUEST"])
    reason: str = Field(description="Why it is worth a look.")
    actor: str = Field(description="The role of the person who acts next.", examples=["AUTHOR"])
    unit: str = Field(
        description="Unit of values and thresholds. WORKING_HOURS and WORKING_DAYS count the working time of the "
        "organization.",
        examples=["WORKING_DAYS"],
    )
    is_on: bool = Field(description="true: the builds look for it.")
    threshold: float | None = Field(
        description="The value from which it is an occurrence; null: the kind measures nothing.",
        examples=[5.0],
    )
    critical: float | None = Field(
        description="The value from which an occurrence is critical; null: none is."
    )
    threshold_multiple: float | None = Field(
        description="Threshold as a multiple of the median of what the kind measured in the 12 weeks before the one in "
        "which a thing began; null: `threshold` applies. It applies to weeks with fewer than ten values, too."
    )
    critical_multiple: float | None = Field(
        description="Critical threshold as a multiple of the same median; null: none is critical where "
        "`thresholdMultiple` applies."
    )
    is_below: bool = Field(description="true: values at or below the threshold are occurrences.")
    lasting_days: int | None = Field(
        description="Days after which an occurrence ends by itself, because it is an event of the past; null: "
        "something else ends it."
    )
    default_is_on: bool = Field(description="`isOn` before the organization changes it.")
    default_threshold: float | None = Field(
        description="`threshold` before the organization changes it; null: none."
    )
    default_critical: float | None = Field(
        description="`critical` before the organization changes it; null: none."
    )
    changed_by: str | None = Field(
        description="The account or API key that changed the settings; null: the defaults apply."
    )
    changed_at: datetime | None = Field(description="When; null: the defaults apply.")


class CheckKinds(Shape):
    """Every kind of check."""

    check_kinds: list[CheckKind] = Field(description="The kinds, those of pull requests first.")


class KindChange(Shape):
    """Settings to change. A missing field keeps its value; the defaults in this schema do not apply."""

    is_on: Flag = Field(True, description="false: the builds no longer look for it, and keep the decisions.")
    threshold: Number | None = Field(None, description="In the unit of the kind.", examples=[8.0])
    critical: Number | None = Field(None, description="In the unit of the kind; null: none is critical.")
    threshold_multiple: Number | None = Field(
        None,
        description="From 1 to 100, such as 1.5, of the organization's own median; null: `threshold` applies.",
        examples=[1.5],
    )
    critical_multiple: Number | None = Field(
        None,
        description="At least `thresholdMultiple`, of the same median; null: none is critical.",
        examples=[2.0],
    )


class Proposed(Shape):
    """Thresholds to try. A missing one is that of the organization; the defaults in this schema do not apply."""

    threshold: Number | None = Field(None, description="In the unit of the kind.", examples=[8.0])
    critical: Number | None = Field(None, description="In the unit of the kind; null: none is critical.")
    threshold_multiple: Number | None = Field(
        None,
        description="From 1 to 100, such as 1.5, of the organization's own median; null: `threshold` applies.",
        examples=[1.5],
    )
    critical_multiple: Number | None = Field(
        None,
        description="At least `thresholdMultiple`, of the same median; null: none is critical.",
        examples=[2.0],
    )
    start_date: Day | None = Field(
        None, description="First day, in the organization's time zone. Default: 13 weeks to the last day."
    )
    end_date: Day | None = Field(
        None, description="Last day, included. Default: the day of the newest build."
    )


@router.get("", summary="Kinds of checks", response_model=CheckKinds)
async def list_check_kinds(reader: CheckKindReader, _: NoQuery, request: Request) -> Response:
    """All kinds of checks, with what each measures, its threshold and who acts next. They are few, so the list has no
    pages.
    """
    found = await run_sync(settings.settings, services(request).store, reader.organization_id)
    return private({"checkKinds": [_shown(kind, found.get(kind.name)) for kind in check_kinds().values()]})


@router.patch("/{checkKind}", summary="Change a kind of check", response_model=CheckKind)
async def update_check_kind(
    manager: CheckSettingManager,
    check_kind: KindPath,
    body: KindChange,
    query: Queried[Mask[KindChange]],
    request: Request,
) -> Response:
    """Switch a kind on or off, or change its thresholds, for the organization. The next build judges all history by
    them. Decisions about occurrences stay.
    """
    kind, chosen = _kind(check_kind), query.chosen(body)
    changes: dict[str, Any] = {"is_on": body.is_on} if "is_on" in chosen else {}
    changes |= _thresholds(body, chosen)
    store, organization = services(request).store, manager.organization_id
    changed = await run_sync(settings.change_setting, store, manager.principal, organization, kind, changes)
    return private(_shown(kind, changed))


@router.post("/{checkKind}:backtest", summary="Try settings of a kind of check", response_model=Backtest)
async def backtest_check_kind(
    manager: CheckSettingManager,
    check_kind: KindPath,
    body: Annotated[Proposed, Body(default_factory=Proposed)],
    _: NoQuery,
    request: Request,
) -> Response:
    """What the kind would have found with these thresholds, as if it were on. The newest build has the history, and
    nothing is stored.
    """
    kind, app = _kind(check_kind), services(request)
    limits = await run_sync(
        settings.proposed, app.store, manager.organization_id, kind, _thresholds(body, body.model_fields_set)
    )
    access = RowAccess.of(manager.organization_id, manager.visibility)
    proposal = Proposal(kind, **limits)
    found = await app.reads.value(
        access, lambda build: backtest(build, access, proposal, body.start_date, body.end_date)
    )
    shown = _limits(limits)
    return private(found | {"criticalThreshold": shown.pop("critical"), **shown})


def _kind(name: str) -> Kind:
    """Raises NotFound."""
    kind = check_kinds().get(name.lower())
    if kind is None:
        raise NotFound(f"no kind of check {name!r}; …/checkKinds lists them")
    return kind


def _thresholds(body: KindChange | Proposed, chosen: set[str]) -> dict[str, int | None]:
    changes: dict[str, int | None] = {
        f"{name}_micro": in_micro(getattr(body, name)) for name in ("threshold", "critical") if name in chosen
    }
    for name in ("threshold_multiple", "critical_multiple"):
        if name in chosen:
            changes[f"{name}_hundredths"] = in_parts(getattr(body, name), 100)
    return changes


def _shown(kind: Kind, row: CheckSetting | None) -> dict[str, Any]:
    return {
        "name": kind.name.upper(),
        "label": kind.label,
        "source": kind.source.upper(),
        "reason": kind.reason,
        "actor": kind.actor.upper(),
        "unit": kind.unit.upper(),
        "isOn": row.is_on if row else kind.is_on,
        **_limits(settings.limits(kind, row)),
        "isBelow": kind.is_below,
        "lastingDays": kind.lasting_days,
        "defaultIsOn": kind.is_on,
        "defaultThreshold": kind.threshold,
        "defaultCritical": kind.critical,
        "changedBy": row and row.changed_by,
        "changedAt": row and row.changed_at,
    }


def _limits(limits: Mapping[str, int | None]) -> dict[str, float | None]:
    return {to_camel(name): value for name, value in settings.numbers(limits).items()}
