"""An invented GitHub with Copilot: seats, reports by day, and the host of its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import httpx

from tests.ingest.providers.ai_tools.reports import PAGE, Reports

FILES = "files.example"
SEATS, REPORTS = "/copilot/billing/seats", "/copilot/metrics/reports/"


class CopilotServer(Reports):
    """GitHub. Each line of a report is a file of its own, on another host, which refuses to see a token."""

    whose = "/orgs/acme"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.totals: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.host != FILES:
            return self._linked(request) if request.url.path.endswith(SEATS) else super().__call__(request)
        if "authorization" in request.headers or self.key in f"{request.url} {request.headers}":
            return httpx.Response(400, json={"message": "a file needs no token"})
        on, _, place = request.url.path.strip("/").partition("/")
        content = json.dumps({"day": on, **self.days[date.fromisoformat(on)][int(place)]["report"]}) + "\n"
        return httpx.Response(200, content=content.encode(), headers={"content-type": "application/x-ndjson"})

    def _linked(self, request: httpx.Request) -> httpx.Response:
        """A page of seats, which names the next one in a header."""
        people = {row["report"]["user_login"]: row["seat"] for rows in self.days.values() for row in rows}
        page = int(request.url.params.get("page", 1))
        seats = [people[name] for name in sorted(people)]
        body = {"total_seats": len(seats), "seats": seats[(page - 1) * PAGE : page * PAGE]}
        following = request.url.copy_set_param("page", page + 1)
        headers = {"link": f'<{following}>; rel="next"'} if page * PAGE < len(seats) else {}
        return httpx.Response(200, json=body, headers=headers)

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path == "/user":
            return {"login": "owner"}
        if path == f"{self.whose}/copilot/metrics":
            first, until = (given[name][:10] for name in ("since", "until"))
            return [one for one in self.totals if first <= (one.get("date") or one["day"]) < until] or None
        name = path.removeprefix(self.whose + REPORTS)
        if name == "users-28-day/latest":
            return {"download_links": [f"https://{FILES}/latest"] if any(self.days.values()) else []}
        if name != "users-1-day":
            return None
        day = date.fromisoformat(given["day"])
        links = [
            f"https://{FILES}/{day}/{place}?signature=x" for place, _ in enumerate(self.within(day, day))
        ]
        return {"download_links": links, "report_day": given["day"]} if links else None


def copilot(email: str, used: float = 12.5, user_id: int | None = None) -> dict[str, Any]:
    """The report and the seat of a person and day."""
    login = email.partition("@")[0]
    number = sum(map(ord, login)) if user_id is None else user_id
    return {
        "report": {
            "user_id": number,
            "user_login": login,
            "ai_credits_used": used,
            "ai_adoption_phase": {"phase": "Phase 2", "phase_number": 2, "version": "v1"},
            "code_generation_activity_count": 9,
            "code_acceptance_activity_count": 3,
            "user_initiated_interaction_count": 4,
            "loc_suggested_to_add_sum": 34,
            "loc_added_sum": 32,
            "loc_deleted_sum": 6,
            "totals_by_cli": {
                "session_count": 2,
                "request_count": 5,
                "token_usage": {"prompt_tokens_sum": 3800, "output_tokens_sum": 5000},
            },
            "totals_by_copilot_app": {
                "session_count": 1,
                "request_count": 3,
                "token_usage": {"prompt_tokens_sum": 5400, "output_tokens_sum": 4200},
            },
        },
        "seat": {
            "created_at": "2026-01-05T18:00:00Z",
            "last_activity_at": "2026-10-14T00:53:32-06:00",
            "pending_cancellation_date": None,
            "assignee": {"login": login, "id": number},
            "plan_type": "business",
        },
    }
