"""The page of CapEx: a month with its people, the policy, uncertain commits, and the lock of the month.

Keep out: months with their shares (months.py), what a lock waits for (readiness.py), rules in forms (policies.py).
"""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import SPACE, hours, percent
from api.web.drawing.forms import Act, Fields, fields_of
from api.web.frame import Place, framed, submitted
from api.web.money.effort import split_of, way_to_hours
from api.web.money.months import (
    COMPLETE,
    LOCKED,
    OPEN,
    RUNNING,
    Month,
    chosen_month,
    months_until,
    note_on_rounding,
    strip,
)
from api.web.money.policies import (
    CATEGORIES,
    EVERY,
    KEPT,
    NEW,
    SCOPES,
    draft_of,
    narrow_rules,
    policy_of,
    rules_of,
    scopes_of,
    told,
    value_of,
    version_of,
)
from api.web.money.readiness import Condition, Sources, readiness
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

MAX_ROWS = 1000
UNCERTAIN = 10
MAX_CHOICES = 200
"""Repositories and objectives that a new rule may name, those with the most ETV."""
STATES = {LOCKED: "is locked", OPEN: "is complete and open", COMPLETE: "is over", RUNNING: "still runs"}
MAX_PEOPLE, ALL = 100, "ALL"
"""Rows of people before somebody asks for the first MAX_ROWS: a row takes .1 ms, and these are half a megabyte."""


def _lock(fields: Fields) -> dict[str, Any]:
    return {"month": fields.get("month", ""), "note": fields.get("note", "")}


def _reason(fields: Fields) -> dict[str, Any]:
    return {"reason": fields.get("reason", "")}


def _category(fields: Fields) -> dict[str, Any]:
    return {"category": fields.get("category", "")}


def _joined(fields: Fields) -> dict[str, Any]:
    return {"joiningDate": fields.get("joiningDate", "").strip() or None}


ACTS = {
    "joined": Act(
        "PATCH",
        "developers/{developer}",
        "The joining date is stored; the next build counts hours from it.",
        _joined,
    ),
    "lock": Act("POST", "capexLocks", "The month is locked: its figures are stored as signed.", _lock),
    "unlock": Act(
        "POST", "capexLocks/{month}:unlock", "The month is open again; its signed figures are gone.", _reason
    ),
    "preview": Act("POST", "capexPolicies:preview", "", draft_of, shows=True),
    "policy": Act("POST", "capexPolicies", "The policy is stored; the next build applies it.", version_of),
    "withdraw": Act(
        "POST", "capexPolicies/{policy}:withdraw", "The policy is withdrawn; the next build applies this."
    ),
    "categorize": Act(
        "POST", "commits/{commit}:categorize", "The category is stored; the next build applies it.", _category
    ),
}


@router.get("/organizations/{organization}/capex")
async def capex(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The CapEx of the month of the address."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/capex")
async def change_capex(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Lock or open a month, preview or change the policy, or decide an uncertain commit."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    reads, query = place.reads, place.request.query_params
    chosen = chosen_month(query, place.today)
    shown = months_until(chosen)
    following = [first for first in months_until(place.today.replace(day=1), 4 * 12) if first > chosen][:3]
    only = {"startDate": chosen.isoformat(), "endDate": chosen.isoformat()}
    year_days = {"startDate": shown[0].isoformat(), "endDate": chosen.isoformat()}
    people = MAX_ROWS if query.get("people") == ALL else MAX_PEOPLE
    (
        locks,
        policies,
        rows,
        year,
        uncertain,
        repositories,
        objectives,
    ) = await reads.all(
        reads.read("capexLocks", pageSize=MAX_ROWS),
        reads.read("capexPolicies", pageSize=MAX_ROWS),
        reads.read("capex", pageSize=people, includeDrafts=True, **only),
        reads.read(
            "capex",
            pageSize=1,
            includeDrafts=True,
            startDate=shown[0].isoformat(),
            endDate=[*shown, *following][-1].isoformat(),
        ),
        reads.read("capex/uncertainCommits", pageSize=UNCERTAIN, includeDrafts=True, **only),
        reads.read("repositories", pageSize=MAX_CHOICES, orderBy="etv desc", **year_days),
        reads.read("objectives", pageSize=MAX_CHOICES, orderBy="etv desc"),
    )
    closed = {lock["month"]: lock for lock in locks.rows("capexLocks")}
    # A lead sees figures, and neither locks nor policies.
    locked = set(closed) if locks.is_there else None
    if not rows.is_there:
        return await place.refuse("capex", "CapEx", rows)
    months = strip(shown, year.rows("months"), locked, place.today)
    month, lock = months[-1], closed.get(chosen.isoformat())
    versions = policies.rows("capexPolicies")
    policy = policy_of(chosen.isoformat(), versions)
    names = {row["id"]: row["name"] for row in repositories.rows("repositories")} | {
        row["id"]: row["title"] for row in objectives.rows("objectives")
    }
    return await place.show(
        "money/capex.html",
        "capex",
        "CapEx",
        month=month,
        months=months,
        earlier=months_until(chosen, 13)[0],
        later=strip(following, year.rows("months"), locked, place.today),
        rows=rows.body,
        **_people(rows.body, month),
        undated=[
            (row["developerId"], row["developerName"])
            for row in (rows.body["rows"] if place.manages else ())
            if row["datesInferred"]
        ],
        unlocked=[one.name for one in months[:-1] if one.state == OPEN and one.share.people],
        all_people=ALL,
        max_people=MAX_ROWS,
        uncertain=uncertain,
        locks=locks,
        lock=lock,
        restated=await _restatements(place, month) if lock else [],
        policies=policies,
        policy=policy,
        rules=[told(rule, names) for rule in policy["rules"]],
        scopes=SCOPES,
        categories=CATEGORIES,
        ready=await _conditions(place, month, uncertain) if locks.is_there and not lock else [],
        lede=lede(month, policy if policies.is_there else None),
        repositories=[("", "All"), *((row["id"], row["name"]) for row in repositories.rows("repositories"))],
        objectives=[("", "None"), *((row["id"], row["title"]) for row in objectives.rows("objectives"))],
        new_categories=[
            ("", "No new rule"),
            (EVERY, "All work"),
            *((one, one.capitalize()) for one in CATEGORIES),
        ],
        **await _proposed(place, policy, names),
    )


async def _restatements(place: Place, month: Month) -> list[dict[str, Any]]:
    """What changed in a month after its lock."""
    found = await place.reads.read("capexRestatements", month=month.first.isoformat(), pageSize=UNCERTAIN)
    return found.rows("capexRestatements")


async def _conditions(place: Place, month: Month, uncertain: Answer) -> list[Condition]:
    """What a lock of an open month waits for."""
    reads = place.reads
    operations, settings, unread = await reads.all(
        reads.read("operations", state="PENDING", pageSize=1),
        reads.read("settings"),
        reads.read("repositories:managed", state="NEEDS_ATTENTION", pageSize=UNCERTAIN),
    )
    return readiness(
        month, place.manages, Sources(operations, uncertain, settings, place.connections, unread)
    )


async def _proposed(place: Place, policy: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """What the form of the policy holds: what was sent, or the version of the month; and the preview of it."""
    fields: Fields = {}
    if place.made is not None:
        fields = await fields_of(place.request)
    elif place.sent is not None and place.sent.act in ("preview", "policy"):
        fields = place.sent.fields
    chosen = {name: fields.get(name, "") for name in CATEGORIES} if fields else scopes_of(policy["rules"])
    return {
        "preview": place.made.body if place.made is not None else None,
        "asked": dict.fromkeys(("validFrom", "issueType", *NEW, *CATEGORIES), "") | dict(fields),
        "narrow": [(value_of(rule), told(rule, names)) for rule in narrow_rules(policy["rules"])],
        "kept": fields.get(KEPT, "").splitlines()
        if fields
        else [value_of(rule) for rule in narrow_rules(policy["rules"])],
        "chosen_scopes": chosen,
        "proposed_rules": [told(rule, names) for rule in rules_of(fields)] if place.made is not None else [],
    }


def _people(page: Mapping[str, Any], month: Month) -> dict[str, Any]:
    """The rows of a month with their effort, and the way from effort to hours where the page has all of them."""
    rows, is_whole = page["rows"], not page["nextPageToken"]
    return {
        "people": [row | {"split": split_of(row)} for row in rows],
        "note_on_rounding": note_on_rounding(rows, month.share) if is_whole else "",
        "way_to_hours": way_to_hours(rows, month.share, month.name) if is_whole else "",
    }


def lede(month: Month, policy: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """What the page says first: the share of the month, the hours without one, and its state."""
    share = month.share
    if not share.people:
        return [("b", f"Nobody has hours in {month.name}."), ("", "Choose a month with delivered work.")]
    if share.value is None:
        return [
            ("b", f"{month.name} has no effort, and so no share."),
            ("", f"{hours(share.idle)} hours have no output."),
        ]
    capex, opex = hours(share.capex), hours(share.opex)
    told = (
        f"{percent(share.value)} of {month.name}’s hours with output can be capitalized: {capex} hours, "
        f"against {opex} of OpEx."
    )
    said = [("b", told)]
    if share.idle:
        said.append(("", f"{hours(share.idle)} hours have no output and so no share."))
    low, high = (None if end is None else round(100 * end) for end in (share.low, share.high))
    if low is not None and high is not None and low != high:
        ends = f"{low} and {high}{SPACE}%"
        said.append(("", f"The share lies between {ends} with 95{SPACE}% probability."))
    applies = f" The policy {policy['name']} applies." if policy is not None else ""
    return [*said, ("", f"{month.first:%B} {STATES[month.state]}.{applies}")]
