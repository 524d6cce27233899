"""An invented Windsurf: users, Cascade and suggestions. A person's key is in its answers, and in no row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import httpx

from tests.ingest.providers.ai_tools.reports import Reports

KEY_OF = "secret key of {}"


class WindsurfServer(Reports):
    """A row has the lines and a run of Cascade, and completions; `code` has that of all people by day. Nothing has
    pages.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.code: dict[date, list[dict[str, Any]]] = {}

    def credentials(self, request: httpx.Request) -> list[str]:
        return [json.loads(request.content)["service_key"]]

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        name = path.rpartition("/")[2]
        people = sorted({row["email"] for rows in self.days.values() for row in rows})
        if name == "UserPageAnalytics":
            return {"userTableStats": [self.user(one) for one in people]}
        if name == "CascadeAnalytics":
            first = date.fromisoformat(given["start_timestamp"][:10])
            last = date.fromisoformat(given["end_timestamp"][:10]) - timedelta(days=1)
            own = [(at, row) for at, row in self.within(first, last) if row["email"] in given["emails"]]
            lines = [{"day": f"{at}T00:00:00Z", **row["lines"]} for at, row in own]
            runs = [{"day": at.isoformat(), **row["run"]} for at, row in own]
            return {
                "queryResults": [
                    {"cascadeLines": {"cascadeLines": lines}},
                    {"cascadeRuns": {"cascadeRuns": runs}},
                ]
            }
        if given["query_requests"][0]["data_source"] == "QUERY_DATA_SOURCE_PCW_DATA":
            asked = [date.fromisoformat(one["filters"][0]["value"]) for one in given["query_requests"]]
            results = [{"responseItems": [{"item": one} for one in self.code.get(day, [])]} for day in asked]
            return {"queryResults": results}
        completions, *_ = given["query_requests"]
        first, last = (date.fromisoformat(one["value"]) for one in completions["filters"])
        items = [
            {"item": {"api_key": KEY_OF.format(row["email"]), "date": at.isoformat(), **row["completions"]}}
            for at, row in self.within(first, last)
        ]
        return {"queryResults": [{"responseItems": items}, {"responseItems": []}, {}]}

    def user(self, email: str) -> dict[str, Any]:
        return {
            "name": email, "email": email, "apiKey": KEY_OF.format(email), "activeDays": 3,
            "lastChatUsageTime": "2026-10-14T00:00:00Z", "lastAutocompleteUsageTime": "2026-10-15T00:00:00Z",
        }  # fmt: skip


def windsurf(email: str, suggested: int = 150) -> dict[str, Any]:
    """What Windsurf tells of a person and day."""
    return {
        "email": email,
        "lines": {"linesSuggested": str(suggested), "linesAccepted": "80"},
        "run": {"model": "claude-opus-5", "mode": "DEFAULT", "messagesSent": "5", "cascadeId": f"of {email}"},
        "completions": {
            "sum_num_acceptances": "45",
            "sum_num_lines_accepted": "280",
            "language": "go",
            "ide": "vscode",
        },
    }
