"""`/organizations/{organization}/settings`: the settings of an organization."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import OrganizationManager, SettingsReader
from api.control.organizations import organizations
from api.control.organizations.organizations import (
    MAX_CONTEXT_LENGTH,
    MAX_HOLIDAYS,
    MAX_MINIMUM_GROUP_SIZE,
    OrganizationSettings,
)
from api.errors import InvalidArgument
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.http.values import Flag, Number, Whole
from api.query.columns import camel
from api.query.parameters import Day, OneOf
from api.query.records import shown
from api.shapes import Shape, page_of
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list

router = APIRouter(prefix="/organizations/{organization}/settings", tags=["organizations"])

# Name over HTTP → in the control database, where they differ.
STORED = {"default_analysis_start_date": "analysis_start_on", "hours_per_day": "hours_per_day_hundredths"}
Weekday = Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
WEEKDAY_NAMES: tuple[Weekday, ...] = get_args(Weekday)


class Holiday(Shape):
    """A day on which the organization does not work."""

    date: Day = Field(examples=["2026-12-25"])
    name: str = Field(min_length=1, max_length=255, examples=["Christmas Day"])


class Settings(Shape):
    """Settings of an organization."""

    time_zone: str = Field(description="IANA time zone of all periods.", examples=["Europe/Berlin"])
    work_category_grouping: Literal["FIVE", "THREE", "TWO"] = Field(
        description="Default grouping of the five categories in series: FIVE, THREE (GROWTH, MAINTENANCE, "
        "FIXES) or TWO (GROWTH, KEEP_THE_LIGHTS_ON)."
    )
    default_analysis_start_date: date | None = Field(
        description="Start of the analysis for repositories without a start of their own; null: their first "
        "commit."
    )
    has_ai_developer_columns: bool = Field(
        description="false: the list of developers has no columns about AI."
    )
    has_ai_repository_columns: bool = Field(
        description="false: the list of repositories has no columns about AI."
    )
    has_ai_team_columns: bool = Field(description="false: the list of teams has no columns about AI.")
    working_weekdays: list[Weekday] = Field(
        description="Working days of the week. The hours of a month in the CapEx report follow from them."
    )
    hours_per_day: float = Field(description="Hours of a full working day.", examples=[8.0])
    holidays: list[Holiday] = Field(description="Days without work, by date.")
    analysis_mode: Literal["AUTOMATIC", "ON_REQUEST"] = Field(
        description="AUTOMATIC: every night the service reads each repository that changed. ON_REQUEST: it reads one "
        "when somebody adds it, changes its branch, enables it, or asks with `…/repositories/{repository}:analyze`. "
        "Connections are read every night in both."
    )
    has_individual_figures: bool = Field(
        description="false: nobody sees figures of other single developers; everybody still sees their own at "
        "`…/me`."
    )
    minimum_group_size: int = Field(
        description="Minimum number of people behind a figure; a figure of fewer people is null. 0 and 1: no "
        "minimum. From 2 on, individual figures are hidden too, and figures cover complete "
        "months. The minimum also applies to categories: the split of a group by category is null "
        "for a month in which at least one person, but fewer than the minimum, worked in one of "
        "the five."
    )
    has_categories_by_model: bool = Field(
        description="true: the connected model endpoint is asked for the category of commits that the rules are unsure "
        "of; its answers hold until somebody sets the category."
    )
    company_context: str = Field(
        description="A description of the organization. Summaries use it as background."
    )
    context_version: int = Field(
        description="The number of the newest version of the company context; 0 without one."
    )


class CompanyContext(Shape):
    """A version of the company context."""

    version: int = Field(description="Number of the version, from 1.")
    text: str
    created_at: datetime


CompanyContextPage = page_of("CompanyContextPage", "A page of versions.", company_contexts=CompanyContext)


class SettingsChange(Shape):
    """Settings to change. A missing field keeps its value; the defaults in this schema do not apply."""

    time_zone: str = Field("", max_length=64, examples=["Europe/Berlin"])
    work_category_grouping: Annotated[str, OneOf("FIVE", "THREE", "TWO")] = Field(
        "FIVE", description="Default grouping of the five categories in series."
    )
    default_analysis_start_date: Day | None = None
    has_ai_developer_columns: Flag = Field(
        True, description="false removes the columns about AI from the list of developers."
    )
    has_ai_repository_columns: Flag = Field(
        True, description="false removes the columns about AI from the list of repositories."
    )
    has_ai_team_columns: Flag = Field(
        True, description="false removes the columns about AI from the list of teams."
    )
    has_individual_figures: Flag = Field(
        True, description="false hides figures of single developers from everybody but the developer."
    )
    minimum_group_size: Whole = Field(
        0,
        description="Minimum number of people behind a figure; 0: no minimum.",
        ge=0,
        le=MAX_MINIMUM_GROUP_SIZE,
        examples=[0],
    )
    working_weekdays: list[Weekday] = Field(list(WEEKDAY_NAMES[:5]), max_length=7)
    hours_per_day: Number = Field(
        8, description="Hours of a full working day, with at most two decimals.", gt=0, le=24, examples=[7.5]
    )
    holidays: list[Holiday] = Field(
        [], max_length=MAX_HOLIDAYS, description="The complete new list of holidays."
    )
    analysis_mode: Annotated[str, OneOf("AUTOMATIC", "ON_REQUEST")] = Field(
        "AUTOMATIC",
        description="As in the settings: AUTOMATIC reads repositories every night, ON_REQUEST when somebody asks.",
    )
    has_categories_by_model: Flag = Field(
        False,
        description="true asks the connected model endpoint for the category of commits that the rules are unsure of: "
        "their subjects and the paths of their files are sent to it.",
    )
    company_context: str = Field("", max_length=MAX_CONTEXT_LENGTH)


@router.get("", summary="Settings", response_model=Settings)
async def get_settings(reader: SettingsReader, _: NoQuery, request: Request) -> Response:
    """The settings of the organization."""
    return await answer_record(request, reader, _shown, organizations.settings)


@router.get("/companyContexts", summary="Versions of the company context", response_model=CompanyContextPage)
async def list_company_contexts(reader: SettingsReader, query: PagedQuery, request: Request) -> Response:
    """All versions of the company context, newest first. Every summary names the version that it used. Sortable by
    version.
    """
    return await answer_list(
        request, reader.organization_id, query, "companyContexts", organizations.list_contexts, CompanyContext
    )


@router.patch("", summary="Change settings", response_model=Settings)
async def update_settings(
    manager: OrganizationManager, body: SettingsChange, query: Queried[Mask[SettingsChange]], request: Request
) -> Response:
    """Change the given settings and keep the others. The next build applies a change that affects figures. It starts
    within minutes.
    """
    changes: dict[str, Any] = {}
    for name in query.chosen(body):
        value = getattr(body, name)
        # Only what can be null is cleared by naming it without sending it.
        if name not in body.model_fields_set and value is not None:
            raise InvalidArgument(
                "updateMask",
                f"contains {camel(name)}, but the body does not; send it or remove it from the mask",
            )
        changes[STORED.get(name, name)] = _stored(name, value)
    return await answer_change(request, manager, _shown, organizations.change_settings, changes)


def _stored(name: str, value: Any) -> Any:
    match name:
        case "work_category_grouping" | "analysis_mode":
            return value.lower()
        case "working_weekdays":
            return "".join(sorted(str(WEEKDAY_NAMES.index(day) + 1) for day in value))
        case "hours_per_day":
            hundredths = Decimal(str(value)) * 100
            if hundredths != int(hundredths):
                raise InvalidArgument("hoursPerDay", "use at most two decimals")
            return int(hundredths)
        case "holidays":
            days = [{"date": day.date.isoformat(), "name": day.name.strip()} for day in value]
            return sorted(days, key=lambda day: day["date"])
    return value


def _shown(settings: OrganizationSettings) -> dict[str, Any]:
    return shown(
        Settings,
        settings,
        default_analysis_start_date=settings.analysis_start_on,
        working_weekdays=[WEEKDAY_NAMES[int(number) - 1] for number in settings.working_weekdays],
        hours_per_day=settings.hours_per_day_hundredths / 100,
        holidays=settings.holidays,
    )
