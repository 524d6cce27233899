"""The ten questions: which tools answer each, the figures of the answer, and the same figures over REST.

A token is taken as three bytes of UTF-8, which is less than a tokenizer makes of JSON and prose. Keep out: the shop
(shop.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import httpx

from tests.api.mcp.asking import called, text_of

BYTES_OF_A_TOKEN = 3
MAX_TOKENS = 2_000
MAX_CALLS = 3
ROOT = "/api/v1/organizations/local"
Found = dict[str, Any]
Call = Callable[..., Found]
Read = Callable[..., Found]


@dataclass(frozen=True)
class Exchange:
    """A call of a tool with the text of its answer."""

    tool: str
    arguments: Found
    answer: str

    @property
    def tokens(self) -> int:
        """Tokens of the answer."""
        return -(-len(self.answer.encode()) // BYTES_OF_A_TOKEN)


@dataclass
class Transcript:
    """What an assistant asks of one server, in its order."""

    address: str
    key: str
    exchanges: list[Exchange] = field(default_factory=list)

    def call(self, tool: str, **arguments: Any) -> Found:
        """The structured content of a tool's answer, which is no error."""
        result = called(self.address, self.key, tool, **arguments)
        assert not result.is_error, text_of(result)
        self.exchanges.append(Exchange(tool, arguments, text_of(result)))
        found: Found = json.loads(text_of(result))
        return found


@dataclass(frozen=True)
class Question:
    """A question of a manager. `answer` finds the figures by tools, `by_rest` by REST."""

    text: str
    answer: Callable[[Call, Periods], Found]
    by_rest: Callable[[Read, Periods], Found]


@dataclass(frozen=True)
class Periods:
    """The last complete month and quarter before a day, and those before them."""

    today: date

    @property
    def month(self) -> tuple[date, date]:
        """First and last day."""
        last = self.today.replace(day=1) - timedelta(days=1)
        return last.replace(day=1), last

    @property
    def month_before(self) -> tuple[date, date]:
        """First and last day."""
        return Periods(self.month[0]).month

    @property
    def quarter(self) -> tuple[date, date]:
        """First and last day."""
        first = self.today.replace(month=self.today.month - (self.today.month - 1) % 3, day=1)
        last = first - timedelta(days=1)
        return last.replace(month=last.month - 2, day=1), last

    @property
    def quarter_before(self) -> tuple[date, date]:
        """First and last day."""
        return Periods(self.quarter[0]).quarter


def days(first: tuple[date, date], last: tuple[date, date] | None = None) -> Found:
    """The parameters of a range from the beginning of one period to the end of another."""
    return {"startDate": str(first[0]), "endDate": str((last or first)[1])}


def reading(client: httpx.Client) -> Read:
    """Reads REST below the organization."""

    def read(path: str, *, accept: str = "application/json", **asked: Any) -> Found:
        answer = client.get(f"{ROOT}/{path}", params=asked, headers={"Accept": accept})
        assert answer.status_code == 200, answer.text
        if answer.headers["content-type"].startswith("text/markdown"):
            return {"text": answer.text}
        found: Found = answer.json()
        return found

    return read


def _points(found: Found, *metrics: str) -> list[Any]:
    [series] = found["series"]
    return [[point["start"], *(point[name] for name in metrics)] for point in series["points"]]


def _waiting(call: Call, _: Periods) -> Found:
    found = call("list_check_occurrences", kind=["WAITING_FOR_REVIEW"], status=["OPEN"], orderBy="value desc")
    first = found["checkOccurrences"][0]
    return {
        "pull request": first["subjectReference"],
        "working hours": first["value"],
        "all": found["totalSize"],
    }


def _waiting_by_rest(read: Read, _: Periods) -> Found:
    found = read("checkOccurrences", pageSize=500)["checkOccurrences"]
    waits = [one for one in found if (one["kind"], one["status"]) == ("WAITING_FOR_REVIEW", "OPEN")]
    longest = max(waits, key=lambda one: one["value"])
    at_once = {one["subjectReference"] for one in waits if one["value"] == longest["value"]}
    return {"pull request": at_once, "working hours": longest["value"], "all": len(waits)}


def _fall(call: Call, periods: Periods) -> Found:
    series = call("query_metrics", interval="MONTH", **days(periods.month_before, periods.month))
    [listed] = call("list_summaries", scopeKind=["ORGANIZATION"], period=["MONTH"])["summaries"]
    text = call("get_summary", summary=listed["id"])["text"]
    return {"etv": _points(series, "etv"), **_reasons(text)}


def _fall_by_rest(read: Read, periods: Periods) -> Found:
    series = read("metrics", interval="MONTH", metrics="etv", **days(periods.month_before, periods.month))
    return {"etv": _points(series, "etv"), **_reasons(_month_text(read))}


def _month_text(read: Read) -> str:
    listed = read("summaries")["summaries"]
    [month] = [one for one in listed if (one["scopeKind"], one["period"]) == ("ORGANIZATION", "MONTH")]
    return str(read(f"summaries/{month['id']}", accept="text/markdown")["text"])


def _reasons(text: str) -> Found:
    """The sentence about the month, and what else moved. A month in which nothing else moved has no such section."""
    _, headline, *_ = filter(None, text.splitlines())
    moved = "What moved, and why?"
    return {"headline": headline} | ({"others": _section(text, moved)} if f"## {moved}" in text else {})


def _section(text: str, title: str) -> str:
    """The lines below a heading of Markdown."""
    _, found, rest = text.partition(f"## {title}\n")
    assert found, text
    return rest.partition("\n## ")[0].strip()


def _ai_cost(call: Call, periods: Periods) -> Found:
    by_tool = call("list_ai_spend", **days(periods.quarter))
    series = call(
        "query_metrics", interval="QUARTER", metrics=["aiCost", "aiCostPerEtv"], **days(periods.quarter)
    )
    return {
        "by tool": {one["tool"]: one["cost"] for one in by_tool["aiSpend"]},
        "total": _points(series, "aiCost", "aiCostPerEtv"),
    }


def _ai_cost_by_rest(read: Read, periods: Periods) -> Found:
    asked = {"metrics": "aiCost,aiCostPerEtv", "interval": "QUARTER"}
    return {
        "by tool": {one["tool"]: one["cost"] for one in read("aiSpend", **days(periods.quarter))["aiSpend"]},
        "total": _points(read("metrics", **asked, **days(periods.quarter)), "aiCost", "aiCostPerEtv"),
    }


def _objective(call: Call, _: Periods) -> Found:
    first = call("list_objectives", orderBy="etv desc", pageSize=3)["objectives"][0]
    return {"title": first["title"], "etv": first["etv"]}


def _objective_by_rest(read: Read, _: Periods) -> Found:
    first = max(read("objectives", pageSize=500)["objectives"], key=lambda one: one["etv"] or 0)
    return {"title": first["title"], "etv": first["etv"]}


def _commit(call: Call, periods: Periods) -> Found:
    [first] = call("list_commits", pageSize=1, **days(periods.quarter))["commits"]
    found = call("explain_commit", commit=first["sha"])
    return {"sha": found["sha"], "etv": found["etv"], "why": found["explanation"]}


def _commit_by_rest(read: Read, periods: Periods) -> Found:
    listed = read("commits", pageSize=500, **days(periods.quarter))["commits"]
    largest = max(one["etv"] for one in listed)
    found = [read(f"commits/{one['id']}") for one in listed if one["etv"] == largest]
    return {
        "sha": {one["sha"] for one in found},
        "etv": largest,
        "why": {one["explanation"] for one in found},
    }


def _checks(call: Call, _: Periods) -> Found:
    found = call("list_check_occurrences", status=["OPEN"])
    return {"all": found["totalSize"], "values": sorted(one["value"] for one in found["checkOccurrences"])}


def _checks_by_rest(read: Read, _: Periods) -> Found:
    found = [
        one for one in read("checkOccurrences", pageSize=500)["checkOccurrences"] if one["status"] == "OPEN"
    ]
    return {"all": len(found), "values": sorted(one["value"] for one in found)}


def _team(call: Call, periods: Periods) -> Found:
    [team] = call("list_teams", search="Payments", **days(periods.quarter))["teams"]
    found = call(
        "get_performance",
        interval="QUARTER",
        team=[team["id"]],
        **days(periods.quarter_before, periods.quarter),
    )
    return {"points": _points(found, "performance", "etv")}


def _team_by_rest(read: Read, periods: Periods) -> Found:
    [team] = [one for one in read("teams")["teams"] if one["name"] == "Payments"]
    asked = {"metrics": "performance,etv", "interval": "QUARTER", "groupBy": "TEAM"}
    found = read("metrics", **asked, **days(periods.quarter_before, periods.quarter))
    [series] = [one for one in found["series"] if one["key"] == team["id"]]
    return {"points": _points({"series": [series]}, "performance", "etv")}


def _maintenance(call: Call, periods: Periods) -> Found:
    found = call(
        "query_metrics", interval="QUARTER", metrics=["maintenanceEtv", "etv"], **days(periods.quarter)
    )
    [[_, maintenance, etv]] = _points(found, "maintenanceEtv", "etv")
    return {"share": round(maintenance / etv, 6)}


def _maintenance_by_rest(read: Read, periods: Periods) -> Found:
    asked = {"metrics": "etv", "interval": "QUARTER", "groupBy": "CATEGORY"}
    found = read("metrics", **asked, **days(periods.quarter))
    etv = {one["key"]: one["points"][0]["etv"] for one in found["series"]}
    return {"share": round(etv["MAINTENANCE"] / sum(etv.values()), 6)}


def _doubled(call: Call, periods: Periods) -> Found:
    merged = {
        name: call("list_pull_requests", state=["MERGED"], dateOf="MERGED", pageSize=1, **days(period))[
            "totalSize"
        ]
        for name, period in (("before", periods.month_before), ("after", periods.month))
    }
    found = call(
        "query_metrics", interval="MONTH", metrics=["etv"], **days(periods.month_before, periods.month)
    )
    return merged | {"etv": _points(found, "etv")}


def _doubled_by_rest(read: Read, periods: Periods) -> Found:
    rows = read("pullRequests", pageSize=500)["pullRequests"]
    merged = {
        name: len([one for one in rows if str(first) <= (one["mergedOn"] or "") <= str(last)])
        for name, (first, last) in (("before", periods.month_before), ("after", periods.month))
    }
    found = read("metrics", interval="MONTH", metrics="etv", **days(periods.month_before, periods.month))
    return merged | {"etv": _points(found, "etv")}


def _capex(call: Call, _: Periods) -> Found:
    [listed] = call("list_summaries", scopeKind=["ORGANIZATION"], period=["MONTH"])["summaries"]
    text = call("get_summary", summary=listed["id"])["text"]
    return {"hours": _hours(text)}


def _hours(text: str) -> float:
    line = _section(text, "CapEx as calculated").splitlines()[0]
    return float(line.partition(": ")[2].partition(";")[0].replace(",", ""))


def _capex_by_rest(read: Read, periods: Periods) -> Found:
    rows = read("capex", pageSize=500, **days(periods.month))["rows"]
    return {"hours": round(sum(one["capexHours"] or 0 for one in rows), 1)}


QUESTIONS = {
    "waiting": Question("Who waits longest for a review?", _waiting, _waiting_by_rest),
    "fall": Question("Why did the ETV change in the last month?", _fall, _fall_by_rest),
    "ai cost": Question("What did AI cost in the last quarter?", _ai_cost, _ai_cost_by_rest),
    "objective": Question("Which objective took most work?", _objective, _objective_by_rest),
    "commit": Question(
        "What was the most valuable commit of the quarter, and why?", _commit, _commit_by_rest
    ),
    "checks": Question("Which checks are open?", _checks, _checks_by_rest),
    "team": Question("How does Payments compare with the quarter before?", _team, _team_by_rest),
    "maintenance": Question("What share of the quarter was maintenance?", _maintenance, _maintenance_by_rest),
    "doubled": Question("Pull requests doubled: did the value double too?", _doubled, _doubled_by_rest),
    "capex": Question("What goes into CapEx for the last month?", _capex, _capex_by_rest),
}
