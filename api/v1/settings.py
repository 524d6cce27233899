"""`/organizations/{organization}/settings`: what an organization has decided about itself."""

from datetime import date
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.control import organizations
from api.control.organizations import LONGEST_CONTEXT, OrganizationSettings
from api.deps import OrganizationManager, SettingsReader
from api.errors import InvalidArgument
from api.read.columns import camel
from api.responses import private
from api.services import services
from api.v1.parameters import Day, NoQuery, chosen_fields, enum_name, update_mask
from api.v1.shapes import Shape

router = APIRouter(prefix="/organizations/{organization}/settings", tags=["organizations"])

GROUPINGS = ("FIVE", "THREE", "TWO")
# Name over HTTP → in the control database, where they differ.
STORED = {"default_analysis_start_date": "analysis_start_on"}


class Settings(Shape):
    """Settings of an organization."""

    time_zone: str = Field(description="IANA zone in which periods are cut.", examples=["Europe/Berlin"])
    work_category_grouping: Literal["FIVE", "THREE", "TWO"]
    default_analysis_start_date: date | None = Field(
        description="For repositories that have none of their own; null: from their beginning."
    )
    has_ai_developer_columns: bool = Field(description="AI columns in the table of developers.")
    has_ai_repository_columns: bool = Field(description="AI columns in the table of repositories.")
    has_ai_team_columns: bool = Field(description="AI columns in the table of teams.")
    company_context: str = Field(description="What the organization says about itself, for summaries.")
    context_version: int = Field(description="Counts the changes of the company context.")


class SettingsChange(Shape):
    """Settings to replace. The defaults stand for what is not sent, which stays."""

    time_zone: str = Field("", max_length=64, examples=["Europe/Berlin"])
    work_category_grouping: Annotated[
        str, AfterValidator(enum_name(GROUPINGS)), Field(json_schema_extra={"enum": list(GROUPINGS)})
    ] = "FIVE"
    default_analysis_start_date: Day | None = None
    has_ai_developer_columns: bool = True
    has_ai_repository_columns: bool = True
    has_ai_team_columns: bool = True
    company_context: str = Field("", max_length=LONGEST_CONTEXT)


FIELDS = tuple(field.alias or name for name, field in SettingsChange.model_fields.items())


@router.get("", summary="Settings", operation_id="getSettings", response_model=Settings)
async def get_settings(reader: SettingsReader, _: Annotated[NoQuery, Query()], request: Request) -> Response:
    """Settings of the organization."""
    store = services(request).store
    return private(_shown(await run_sync(organizations.settings, store, reader.organization_id)))


@router.patch("", summary="Change settings", operation_id="updateSettings", response_model=Settings)
async def update_settings(
    manager: OrganizationManager,
    body: SettingsChange,
    query: Annotated[update_mask(*FIELDS), Query()],  # type: ignore[valid-type] # made of the fields
    request: Request,
) -> Response:
    """Replaces what is sent. What changes numbers is in the next build, which starts within a minute."""
    changes: dict[str, Any] = {}
    for name in chosen_fields(query, body):
        value = getattr(body, name)
        # Only what can be null is cleared by naming it without sending it.
        if name not in body.model_fields_set and value is not None:
            raise InvalidArgument("updateMask", f"names {camel(name)}, which is not sent")
        changes[STORED.get(name, name)] = value.lower() if name == "work_category_grouping" else value
    changed = await run_sync(
        organizations.change_settings,
        services(request).store,
        manager.principal,
        manager.organization_id,
        changes,
    )
    return private(_shown(changed))


def _shown(settings: OrganizationSettings) -> dict[str, Any]:
    return {
        "timeZone": settings.time_zone,
        "workCategoryGrouping": settings.work_category_grouping.upper(),
        "defaultAnalysisStartDate": settings.analysis_start_on,
        "hasAiDeveloperColumns": settings.has_ai_developer_columns,
        "hasAiRepositoryColumns": settings.has_ai_repository_columns,
        "hasAiTeamColumns": settings.has_ai_team_columns,
        "companyContext": settings.company_context,
        "contextVersion": settings.context_version,
    }
