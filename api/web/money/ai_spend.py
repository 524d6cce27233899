"""The page of AI: its cost by tool, person, model or team, its use, and the work that it was used for.

Keep out: the overview of it (pages/overview.py).
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.control.permissions import Permission
from api.web.drawing.figures import bound, joined, money, percent, share
from api.web.drawing.lists import ordered
from api.web.drawing.periods import Period, period_of
from api.web.frame import Place, framed
from api.web.reading import Answer, points_of

router = APIRouter(include_in_schema=False)

GROUPINGS = (("TOOL", "Tool"), ("DEVELOPER", "Person"), ("MODEL", "Model"), ("TEAM", "Team"))
WORK = (
    ("OBJECTIVE", "Objective"),
    ("ISSUE", "Issue"),
    ("PULL_REQUEST", "Pull request"),
    ("COMMIT", "Commit"),
)
MISSING = {
    "NO_COMMIT": (
        "Usage without a commit",
        "No session names a commit, and its person wrote none on that day or up to four days later.",
    ),
    "NO_PULL_REQUEST": ("Commits without a pull request", "No known pull request delivered them."),
    "NO_ISSUE": ("Commits without an issue", "Their messages, branches and pull requests name none."),
    "NO_OBJECTIVE": ("Issues without an objective", "Nothing above them in the tracker is an objective."),
}
"""What cost lacks on its way to the work, with the reason."""
SIGNED = {"aiAssisted": "true"}
"""The commits with a sign of AI."""
NARROWED = ("tool", "developer", "team")
WORK_ROWS = 15


@router.get("/organizations/{organization}/ai")
async def ai(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """What AI tools cost and bring, for the period, the tool, the person and the team of the address."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query, reads = place.request.query_params, place.reads
    period = period_of(query, place.today)
    group = _one_of(query.get("groupBy"), GROUPINGS)
    work_group = _one_of(query.get("work"), WORK)
    missing = query.get("missing", "") if query.get("missing") in MISSING and work_group == "COMMIT" else ""
    listed = ordered(query, "", "groupBy", "work", "missing", *NARROWED)
    narrowed = {name: listed.kept.get(name) for name in NARROWED}
    months = "WEEK" if period.interval in ("DAY", "WEEK") else period.interval
    months = "QUARTER" if months == "YEAR" else months
    people = {"pageSize": 1, **period.days}
    (
        found,
        by_month,
        work,
        adoption,
        compared,
        share_now,
        signed,
        active,
        cost_chart,
        share_chart,
        series,
    ) = await reads.all(
        reads.read("aiSpend", groupBy=group, **narrowed, **period.days, **listed.asked | {"search": ""}),
        reads.read("aiSpend", groupBy="MONTH", pageSize=1000, **narrowed, **period.days),
        reads.read(
            "aiSpend/work",
            groupBy=work_group,
            filter=f"isLinked = true AND missingLink = {missing}" if missing else "",
            # What does not get so far is few rows, which the first page has.
            orderBy="isLinked,cost desc",
            pageSize=WORK_ROWS,
            pageToken=query.get("workToken", ""),
            **narrowed,
            **period.days,
        ),
        reads.read("aiSpend/adoption", interval=months, team=narrowed["team"], **period.days),
        reads.read("aiSpend/reconciliation", pageSize=50, **narrowed, **period.days),
        reads.read("repositories", pageSize=1, **period.days),
        reads.read("developers", filter="isBot = false AND aiCommits > 0", **people),
        reads.read("developers", filter="isBot = false AND commits > 0", **people),
        reads.picture("metrics", metrics="aiCost", interval=period.interval, **period.days),
        reads.picture("metrics", metrics="aiShareAtLeast", interval=period.interval, **period.days),
        reads.read("metrics", metrics="aiCost,aiShareAtLeast,etv", interval=period.interval, **period.days),
    )
    if not found.is_there:
        return await place.refuse("ai", "AI", found)
    sums = _sums(by_month)
    return await place.show(
        "money/ai.html",
        "ai",
        "AI",
        period=period,
        listed=listed,
        narrowed={name: value for name, value in narrowed.items() if value},
        groupings=GROUPINGS,
        group=group,
        group_label=dict(GROUPINGS)[group],
        works=WORK,
        work_group=work_group,
        work_label=dict(WORK)[work_group],
        page=found.body,
        work=work,
        linked=[row for row in work.rows("work") if row["isLinked"]],
        unlinked=[row for row in work.rows("work") if not row["isLinked"]],
        missing=missing,
        reasons=MISSING,
        sums=sums,
        # The ETV of everybody belongs to the spend of everybody alone.
        whole_etv=None
        if any(narrowed.values()) or not share_now.is_there
        else share_now.body["totals"]["etv"],
        adoption=adoption,
        signs=_signs(signed, active),
        compared=compared,
        charts=[
            ("Spend in US dollars", cost_chart, _drawn(cost_chart), "aiCost", "ai", {}),
            (
                "AI share of ETV, at least",
                share_chart,
                _drawn(share_chart),
                "aiShareAtLeast",
                "commits",
                SIGNED,
            ),
        ],
        points=[period.clipped(one) for one in points_of(series)],
        interval=series.body["interval"] if series.is_there else period.interval,
        whose=place.whose,
        sets_up_telemetry=place.may(Permission.MANAGE_INGEST_TOKENS),
        lede=_lede(period, sums, by_month, share_now, place.whose) + _unlinked(work),
    )


def _one_of(wanted: str | None, offered: tuple[tuple[str, str], ...]) -> str:
    """The wanted value, or the first one where it is none of those offered."""
    return wanted if wanted in dict(offered) else offered[0][0]


def _signs(signed: Answer, active: Answer) -> tuple[int, int] | None:
    """The developers who have commits with a sign of AI, and those with commits; None where these are hidden."""
    if not (signed.is_there and active.is_there and active.body["totalSize"]):
        return None
    return signed.body["totalSize"], active.body["totalSize"]


def _drawn(chart: Answer) -> Markup | None:
    # The service draws it; texts of people are escaped there.
    return Markup(chart.body) if chart.is_there else None


def _sums(by_month: Answer) -> list[dict[str, Any]]:
    """Cost of each currency, highest first, with the part that belongs to nobody. Hidden months count as none."""
    costs: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in by_month.rows("aiSpend"):
        if row["currency"] and row["cost"] is not None:
            for name in ("cost", "unattributedCost", "etv"):
                costs[row["currency"]][name] += row[name] or 0.0
    return [
        {"currency": name, "cost": one["cost"], "unattributed": one["unattributedCost"], "etv": one["etv"]}
        for name, one in sorted(costs.items(), key=lambda pair: -pair[1]["cost"])
    ]


def _unlinked(work: Answer) -> list[tuple[str, str]]:
    """The sentence about cost that is linked to no commit; none where all of it is."""
    costs = [
        money(row["cost"], row["currency"])
        for row in work.rows("work")
        if row["missingLink"] == "NO_COMMIT" and not row["isLinked"] and row["cost"]
    ]
    return [("", f"Of the cost {joined(costs)} reaches no commit, and so no objective.")] if costs else []


def _lede(
    period: Period, sums: list[dict[str, Any]], by_month: Answer, now: Answer, whose: str
) -> list[tuple[str, str]]:
    """The page in sentences: each with its class, `b` for the first one."""
    if not sums:
        return [("b", f"No AI usage was recorded {period.words}.")]
    first = sums[0]
    told = [money(one["cost"], one["currency"]) for one in sums]
    said = [("b", f"AI tools cost {joined(told)} {period.words}.")]
    nobody = share(first["unattributed"], first["cost"])
    if nobody:
        said.append(("", f"{percent(nobody)} of it belongs to nobody who is known."))
    totals: Mapping[str, Any] = now.body["totals"] if now.is_there else {}
    if totals.get("aiShareAtLeast"):
        written = bound(totals["aiShareAtLeast"])
        said.append(
            (
                "",
                f"At least {written} of the ETV of {whose} was written with AI, by signs in commits.",
            )
        )
    hidden = sum(row["suppressedReason"] is not None for row in by_month.rows("aiSpend"))
    if hidden:
        verb = "month is" if hidden == 1 else "months are"
        said.append(("warn", f"{hidden} {verb} hidden, because too few people used a tool."))
    return said
