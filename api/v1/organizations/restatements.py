"""`/organizations/{organization}/restatements`: totals before and after a change of rules."""

from datetime import date, datetime
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import OperationReader
from api.control.operations import restatements
from api.control.operations.restatements import RestatedPeriod, RestatementRecord, Totals
from api.http.parameters import PagedQuery
from api.query.records import shown
from api.shapes import Shape, page_of
from api.v1.control_lists import answer_list

router = APIRouter(prefix="/organizations/{organization}/restatements", tags=["operations"])

# Names of the inputs of a build: in the run state, and over HTTP.
_CAUSES = {
    "version": "VERSION",
    "code": "RULES",
    "facts": "FACTS",
    "settings": "SETTINGS",
    "local_date": "DATE",
}
_UNIT = 1_000_000


class RestatedCategories(Shape):
    """ETV by category."""

    features: float = Field(description="ETV of file changes of the category features.")
    maintenance: float = Field(description="ETV of file changes of the category maintenance.")
    tests: float = Field(description="ETV of file changes of the category tests.")
    documentation: float = Field(description="ETV of file changes of the category documentation.")
    fixes: float = Field(description="ETV of file changes of the category fixes.")


class UnpaidCommits(Shape):
    """Delivered commits without ETV, for one reason."""

    reason: str = Field(examples=["IMPORT"])
    commits: int = Field(description="Number of these commits, which are not counted.")
    lines_added: int = Field(description="Added lines of these commits.")


class RestatedTotals(Shape):
    """Work of humans in a period, without sandboxes."""

    etv: float = Field(description="ETV of counted work.")
    effort: float = Field(description="Effort in approximate hours.")
    commits: int = Field(description="Counted commits; excluded ones are left out.")
    developers: int = Field(description="Number of developers with counted work.")
    etv_by_category: RestatedCategories | None = Field(
        description="ETV by category. Null in organizations with a minimum group size."
    )
    earned_nothing: list[UnpaidCommits] | None = Field(
        description="Delivered commits without ETV, by reason. Null in organizations with a minimum group "
        "size."
    )


class OrganizationPeriod(Shape):
    """The totals of one period before and after a change of the rules."""

    period: Literal["WHOLE_HISTORY", "LAST_12_MONTHS"] = Field(
        description="WHOLE_HISTORY: all time. LAST_12_MONTHS: the last twelve complete months."
    )
    start_date: date | None
    end_date: date
    before: RestatedTotals | None = Field(
        description="Totals of the older build. Null when that build no longer existed, or fewer people than "
        "the minimum group size did the work."
    )
    after: RestatedTotals | None = Field(
        description="Totals of the newer build. Null when fewer people than the minimum group size did the "
        "work."
    )


class OrganizationRestatement(Shape):
    """A change of an organization's totals because of changed calculation rules."""

    id: str
    at: datetime
    replaced_build_id: str = Field(description="The build with the totals before.")
    build_id: str = Field(description="The build with the totals after.")
    calculation_version_before: str = Field(examples=["0.1.0"])
    calculation_version_after: str = Field(examples=["0.2.0"])
    causes: list[Literal["VERSION", "RULES", "FACTS", "SETTINGS", "DATE"]] = Field(
        description="The differences between the two builds: the version of the calculation (VERSION), models "
        "or constants (RULES), commits (FACTS), settings (SETTINGS), and the date (DATE)."
    )
    periods: list[OrganizationPeriod]


OrganizationRestatementPage = page_of(
    "OrganizationRestatementPage", "A page of restatements.", restatements=OrganizationRestatement
)


@router.get("", summary="Restatements after changed rules", response_model=OrganizationRestatementPage)
async def list_restatements(reader: OperationReader, query: PagedQuery, request: Request) -> Response:
    """Totals of the organization before and after each change of the calculation rules, newest first. A release with
    changed rules recalculates all periods. Sortable by at.

    In an organization that hides individual figures, the answer has only totals, for complete months with enough
    people.
    """
    organization, least = reader.organization_id, reader.visibility.minimum_group_size
    return await answer_list(
        request, organization, query, "restatements", restatements.list_restatements,
        partial(_restatement, least=least),
        bound_to=f"{organization} {least}",
    )  # fmt: skip


def _restatement(one: RestatementRecord, least: int) -> dict[str, Any]:
    return shown(
        OrganizationRestatement,
        one,
        calculation_version_before=one.version_before,
        calculation_version_after=one.version_after,
        causes=[_CAUSES[cause] for cause in one.causes],
        periods=[_period(period, least) for period in one.periods],
    )


def _period(one: RestatedPeriod, least: int) -> dict[str, Any]:
    # The running month belongs to the whole history. Two records of it may be a day apart; their difference can be the
    # work of one person.
    is_closed = least > 1 and (
        one.period != restatements.LAST_12_MONTHS
        or any(
            side and side.developers and side.fewest_developers < least for side in (one.before, one.after)
        )
    )
    return shown(
        OrganizationPeriod,
        one,
        start_date=one.start_on,
        end_date=one.end_on,
        before=_totals(one.before, least) if one.before is not None and not is_closed else None,
        after=_totals(one.after, least) if not is_closed else None,
    )


def _totals(one: Totals, least: int) -> dict[str, Any]:
    categories = {name: micro / _UNIT for name, micro in one.category_etv_micro.items()}
    unpaid = [
        {"reason": reason, "commits": commits, "linesAdded": one.zero_lines_added[reason]}
        for reason, commits in one.zero_commits.items()
    ]
    return shown(
        RestatedTotals,
        one,
        etv=one.etv_micro / _UNIT,
        effort=one.effort_micro / _UNIT,
        etv_by_category=categories if least <= 1 else None,
        earned_nothing=unpaid if least <= 1 else None,
    )
