"""`/organizations/{organization}/plan`, `/renewals` and `/billableDevelopers`: limits and billing."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import BillingReader, PlanManager, PlanReader
from api.control import models
from api.control.changes import UNCHANGED
from api.control.permissions import Permission
from api.control.plans import plans, renewals
from api.control.plans.plans import MAX_COMMITS, PlanRecord
from api.errors import FailedPrecondition, InvalidArgument
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.http.responses import private
from api.http.values import Instant, Whole
from api.query.fields import Stored
from api.query.parameters import Day, OneOf
from api.query.records import shown
from api.read.organizations import analysed
from api.services import Services, services
from api.shapes import Shape, page_of
from api.snapshot.build import Build
from api.v1.control_lists import answer_list

plan = APIRouter(prefix="/organizations/{organization}/plan", tags=["plan"])
renewal = APIRouter(prefix="/organizations/{organization}/renewals", tags=["plan"])
developers = APIRouter(prefix="/organizations/{organization}/billableDevelopers", tags=["plan"])


class PlanPayment(Shape):
    """The payment of a plan."""

    state: Literal["NONE", "CURRENT", "IN_GRACE", "PAST_DUE", "ENDED"] = Field(
        description="NONE: no subscription pays. IN_GRACE: a payment failed, and analysis goes on until "
        "`graceEndsAt`. PAST_DUE (after that) and ENDED (the subscription is over) pause new analysis."
    )
    message: str = Field(description="The state in a sentence, with the remedy.")
    grace_ends_at: datetime | None = Field(description="When a failed payment pauses new analysis.")


class PlanPause(Shape):
    """Why the service analyses no new commits."""

    reason: Literal["LICENSE", "TRIAL", "PAYMENT", "SUBSCRIPTION", "LIMIT"] = Field(
        description="LICENSE: the deployment lacks a valid license. TRIAL: the trial is over. PAYMENT: a payment is "
        "past due. SUBSCRIPTION: the subscription ended. LIMIT: the limit is reached."
    )
    message: str = Field(description="The reason in a sentence, with the next step.")


class PlanUpgrade(Shape):
    """An open request for an upgrade."""

    requested_at: datetime
    commit_limit: int | None = Field(description="The wanted limit; null: none is named.", examples=[50000])


class Plan(Shape):
    """The plan of an organization with its limits."""

    plan: Literal["TRIAL", "PAID", "UNLIMITED"] = Field(
        description="TRIAL ends at `trialEndTime`. UNLIMITED has no limit."
    )
    commit_limit: int | None = Field(
        description="The maximum number of commits to analyse; null: unlimited.", examples=[1000]
    )
    analyzed_commits: int | None = Field(
        description="The number of analysed commits, which use up the limit, excluded ones included. A commit of "
        "several repositories counts once. Null without a limit.",
        examples=[640],
    )
    waiting_commits: int = Field(
        description="Delivered commits over the limit in the newest build; they are not counted yet. The "
        "service analyses them after a "
        "rise of the limit.",
        examples=[0],
    )
    is_paused: bool = Field(
        description="true: the service does not analyse new commits, because the limit is reached, the trial is "
        "over, the payment is past due or the subscription ended, or the deployment lacks a valid license."
    )
    pause: PlanPause | None = Field(description="The reason of the pause; null while `isPaused` is false.")
    payment: PlanPayment
    upgrade: PlanUpgrade | None = Field(description="The open request for an upgrade; null without one.")
    trial_end_time: datetime | None = Field(description="Null for other plans than TRIAL.")
    renewal_date: date | None = Field(
        description="The date on which the service counts billable developers next."
    )
    billable_developer_count: int | None = Field(
        description="Humans with a delivered commit in the 90 days before the renewal, or up to today where the plan "
        "has no renewal date, as of the newest build. Null before the first build, and after a change of the date "
        "until the next one."
    )


class PlanChange(Shape):
    """Changes to a plan."""

    plan: Annotated[str, OneOf("TRIAL", "PAID", "UNLIMITED")] = Field(
        "PAID", description="TRIAL needs a limit and an end. UNLIMITED has no limit."
    )
    commit_limit: Whole | None = Field(
        None,
        description="The maximum number of commits to analyse; null: unlimited.",
        ge=0,
        le=MAX_COMMITS,
        examples=[50000],
    )
    trial_end_time: Instant | None = None
    renewal_date: Day | None = Field(None, description="Today or later.", examples=["2027-01-01"])


class BillableDeveloper(Shape):
    """A billable developer."""

    id: str
    name: str = Field(examples=["Ada"])
    email: str | None = Field(examples=["ada@example.org"])


class BillableDevelopers(Shape):
    """The developers that the next renewal bills, as of now."""

    renewal_date: date | None = Field(description="Null: a renewal today would bill these developers.")
    billable_developers: list[BillableDeveloper]


class Renewal(Shape):
    """The developers that a renewal billed. A renewal never changes."""

    renewal_date: Annotated[date, Stored("renewed_on")]
    counted_at: datetime
    build_id: str
    billable_developer_count: int = Field(description="Number of billed developers.")
    billable_developers: list[BillableDeveloper] | None = Field(
        description="The billed developers; null for callers who may not list them."
    )


RenewalPage = page_of("RenewalPage", "A page of renewals.", renewals=Renewal)


@plan.get("", summary="Plan", response_model=Plan)
async def get_plan(reader: PlanReader, _: NoQuery, request: Request) -> Response:
    """The plan, its usage, and the number of developers that the next renewal bills. Owners and admins can list these
    developers at `…/billableDevelopers`.
    """
    app = services(request)
    found = await run_sync(plans.plan, app.store, reader.organization_id)
    return private(await _shown(app, reader.organization_id, found))


@plan.patch("", summary="Change the plan", response_model=Plan)
async def update_plan(
    manager: PlanManager, body: PlanChange, query: Queried[Mask[PlanChange]], request: Request
) -> Response:
    """Change the plan. Only platform administrators can. After a rise of the limit, the next build analyses waiting
    commits. After a fall, analysed commits stay analysed.
    """
    app, organization = services(request), manager.organization_id
    chosen = query.chosen(body)
    if "plan" in chosen and "plan" not in body.model_fields_set:
        raise InvalidArgument(
            "updateMask", "contains plan, but the body does not; send it or remove it from the mask"
        )
    changed = await run_sync(
        lambda: plans.change_plan(
            app.store,
            manager.principal,
            organization,
            plan=body.plan.lower() if "plan" in chosen else UNCHANGED,
            commit_limit=body.commit_limit if "commit_limit" in chosen else UNCHANGED,
            trial_ends_at=body.trial_end_time if "trial_end_time" in chosen else UNCHANGED,
            renews_on=body.renewal_date if "renewal_date" in chosen else UNCHANGED,
        )
    )
    return private(await _shown(app, organization, changed))


@developers.get("", summary="Billable developers", response_model=BillableDevelopers)
async def list_billable_developers(reader: BillingReader, _: NoQuery, request: Request) -> Response:
    """Humans with a delivered commit in the 90 days before the next renewal, as of now, by name. Where the plan has no
    renewal date, as in a trial: those whom a renewal would bill now.

    Answers FAILED_PRECONDITION before the first build, and after a change of the date until the next one.
    """
    app = services(request)
    found = await run_sync(plans.plan, app.store, reader.organization_id)
    access = RowAccess(reader.organization_id)
    rows = await app.reads.value(access, lambda build: billable(build, access, found.renews_on))
    if rows is None:
        raise FailedPrecondition(
            "the newest build does not have the billable developers for "
            f"{found.renews_on or 'a plan without renewals'} yet; try again after the next build"
        )
    return private({"renewalDate": found.renews_on, "billableDevelopers": rows})


@renewal.get("", summary="Renewals", response_model=RenewalPage)
async def list_renewals(reader: PlanReader, query: PagedQuery, request: Request) -> Response:
    """Past renewals, latest first, each with the number of billed developers. Owners and admins also see their names.
    Sortable by renewalDate.
    """
    organization, is_listed = reader.organization_id, reader.may(Permission.READ_BILLABLE)

    def shown_renewal(one: models.Renewal) -> dict[str, Any]:
        listed = one.developers if is_listed else None
        return shown(Renewal, one, billable_developer_count=len(one.developers), billable_developers=listed)

    return await answer_list(
        request, organization, query, "renewals", renewals.list_renewals, shown_renewal,
        bound_to=f"{organization} {is_listed}",
    )  # fmt: skip


def billable(build: Build, access: RowAccess, renewal: date | None) -> list[dict[str, Any]] | None:
    """Id, name and address of the billable developers by name; None when the build counts for another day."""
    asked = _counted_day(build, access, renewal)
    if asked is None:
        return None
    return build.rows(
        "select developer_id as id, name, primary_email as email from "
        f"{access.table(build, 'billable_developers')} where renews_on = ? order by lower(name), developer_id",
        (asked,),
    )


def _billable_count(build: Build, access: RowAccess, renewal: date | None) -> int | None:
    """How many developers `billable` lists."""
    asked = _counted_day(build, access, renewal)
    if asked is None:
        return None
    table = access.table(build, "billable_developers")
    return int(
        build.only_row(f"select count(*) as people from {table} where renews_on = ?", (asked,))["people"]
    )


def _counted_day(build: Build, access: RowAccess, renewal: date | None) -> date | None:
    """The day for which the build has the billable developers of a renewal; None when it counts for another one."""
    counted = build.only_row(f"select renews_on, local_date from {access.table(build, 'organizations')}", ())
    known = counted["renews_on"]
    # The build of a renewal has the people of the next one as well.
    if renewal not in ((None,) if known is None else (known, renewals.month_later(known))):
        return None
    following: date = counted["local_date"] + timedelta(days=1)
    return following if renewal is None else renewal


async def _shown(app: Services, organization: str, found: PlanRecord) -> dict[str, Any]:
    access, day = RowAccess(organization), found.renews_on
    try:
        waiting, people = await app.reads.value(
            access,
            lambda build: (analysed(build, access)["waitingCommits"], _billable_count(build, access, day)),
        )
    except FailedPrecondition:  # nothing is published yet
        waiting, people = 0, None
    return {
        "plan": found.plan.upper(),
        "commitLimit": found.commit_limit,
        "analyzedCommits": found.analysed if found.is_limited else None,
        "waitingCommits": waiting,
        "isPaused": found.pause is not None,
        "pause": found.pause and {"reason": found.pause.reason.value.upper(), "message": found.pause.message},
        "payment": {
            "state": found.payment.state.value.upper(),
            "message": found.payment.message,
            "graceEndsAt": found.payment.grace_ends_at,
        },
        "upgrade": found.upgrade
        and {"requestedAt": found.upgrade.requested_at, "commitLimit": found.upgrade.commit_limit},
        "trialEndTime": found.trial_ends_at if found.plan == "trial" else None,
        "renewalDate": day,
        "billableDeveloperCount": people,
    }
