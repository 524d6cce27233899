"""`/organizations/{organization}/aiSpend/adoption`: who uses AI tools, and the work before and after the first use."""

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.query.parameters import Format
from api.read.ai_usage.adoption import POINT_COLUMNS, AiAdoptionQuery, adoption_batches, get_adoption
from api.shapes import Days, IntervalOfAnswer, Shape
from api.v1.answers import answer_item
from api.v1.files import answer_file, file_responses
from api.v1.metrics.shapes import BucketPoint

router = APIRouter(prefix="/organizations/{organization}/aiSpend/adoption", tags=["aiUsage"])


class AdoptionPhase(Shape):
    """People in a phase of adoption."""

    phase: str = Field(description="The phase, as the vendor names it.", examples=["engaged"])
    people: int = Field(description="Developers whose last phase in the bucket it is.", examples=[4])


class AdoptionPoint(BucketPoint):
    """The adoption in one bucket."""

    active_developers: int | None = Field(
        description="Developers with delivered work or usage of an AI tool.", examples=[12]
    )
    ai_developers: int | None = Field(
        description="Those whose usage of an AI tool a vendor or telemetry recorded. Signs of AI in commits "
        "(`aiCommits` of …/developers) are another measure, and need no record of usage.",
        examples=[9],
    )
    adoption: float | None = Field(
        description="`aiDevelopers` ÷ `activeDevelopers`; null without any.", examples=[0.75]
    )
    first_uses: int | None = Field(
        description="Developers whose first recorded use is in the bucket; null with a minimum group size.",
        examples=[2],
    )
    phases: list[AdoptionPhase] = Field(
        description="Phases of adoption that vendors see; empty where none tells, and with a minimum group size."
    )
    is_suppressed: bool = Field(
        description="true: all figures are null, because fewer people than the minimum group size worked or used a "
        "tool."
    )


class BeforeAfter(Shape):
    """ETV per week of people before and after their first recorded use of an AI tool. It describes, and proves no
    effect: other things change in half a year too.

    Each person has the median of up to 12 employed weeks before the week of the first use, and of 12 after it. People
    with fewer than 8 such weeks on a side are left out, and those whose first use is in the first 28 days of the
    records. All fields are null for fewer than 6 people, or fewer than the minimum group size.
    """

    people: int | None = Field(description="People who are compared.", examples=[14])
    median_before: float | None = Field(
        description="Median of the people's ETV per week before.", examples=[11.2]
    )
    median_after: float | None = Field(
        description="Median of the people's ETV per week after.", examples=[12.4]
    )
    median_difference: float | None = Field(
        description="Median of the people's differences, in ETV per week.", examples=[0.8]
    )
    low: float | None = Field(
        description="Lower end of the 95 % interval of that median, by ranks.", examples=[-1.1]
    )
    high: float | None = Field(description="Upper end.", examples=[2.3])


class AiAdoption(Days):
    """The adoption of AI tools over time."""

    interval: IntervalOfAnswer = Field(description="Length of the buckets.")
    points: list[AdoptionPoint]
    before_after: BeforeAfter = Field(description="People compared with themselves before their first use.")


@router.get(
    "", summary="AI spend: adoption", response_model=AiAdoption, responses=file_responses("The adoption.")
)
async def get_ai_adoption(viewer: Viewer, query: Queried[AiAdoptionQuery], request: Request) -> Response:
    """The share of active developers with usage of AI tools by week, month or quarter, phases of adoption that vendors
    see, and the ETV per week of people before and after their first recorded use.

    A file has the points, without the comparison of people. Days of usage are those of the vendors (UTC). With a
    minimum group size, months are shown in which enough people used a tool.
    """
    kind = Format(query.format)
    if kind is Format.JSON:
        return await answer_item(request, viewer, lambda build: get_adoption(build, viewer, query))
    return await answer_file(
        request,
        viewer,
        kind,
        POINT_COLUMNS,
        lambda build: adoption_batches(build, viewer, query),
        "ai-adoption",
    )
