"""Invented vendors of AI tools with small pages: rows by day, of which people have one each."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

PAGE = 2


class Reports:
    """A server. `days` has rows by day; `ranges` are the first and last days of all requests for rows."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.days: dict[date, list[dict[str, Any]]] = defaultdict(list)
        self.ranges: list[tuple[date, date]] = []
        self.users: list[dict[str, Any]] = []
        self.commits: dict[date, list[dict[str, Any]]] = defaultdict(list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.key not in self.credentials(request):
            return httpx.Response(401, json={"error": {"type": "authentication_error", "message": "no"}})
        path = request.url.path
        given = {name: values[0] for name, values in parse_qs(urlsplit(str(request.url)).query).items()}
        body = json.loads(request.content) if request.content else {}
        answer = self.answer(path, {**given, **body})
        return httpx.Response(404, json={}) if answer is None else httpx.Response(200, json=answer)

    def credentials(self, request: httpx.Request) -> list[str]:
        authorization = request.headers.get("authorization", "")
        return [request.headers.get("x-api-key", ""), authorization.removeprefix("Bearer ")]

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def within(self, first: date, last: date) -> list[tuple[date, dict[str, Any]]]:
        """The rows of some days, with their days."""
        self.ranges.append((first, last))
        days = (first + timedelta(days=n) for n in range((last - first).days + 1))
        return [(day, row) for day in days for row in self.days.get(day, ())]


def page_of(rows: list[Any], given: Mapping[str, Any], name: str = "page") -> tuple[list[Any], str | None]:
    """A page of rows, and the token of the next one."""
    start = int(given.get(name) or 0)
    following = start + PAGE
    return rows[start:following], str(following) if following < len(rows) else None


def listed(rows: list[dict[str, Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """A page of a list of Anthropic, which continues after the id of a row."""
    start = next((n for n, one in enumerate(rows, 1) if one["id"] == given.get("after_id")), 0)
    page = rows[start : start + PAGE]
    return {"data": page, "has_more": start + PAGE < len(rows), "last_id": page[-1]["id"] if page else None}


class ClaudeCodeServer(Reports):
    """Claude Code analytics."""

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path == "/v1/organizations/me":
            return {"id": "org", "type": "organization", "name": "Acme"}
        if path == "/v1/organizations/users" and self.users:
            return listed(self.users, given)
        if path != "/v1/organizations/usage_report/claude_code":
            return None
        day = date.fromisoformat(given["starting_at"])
        rows = [{"date": f"{at}T00:00:00Z", **row} for at, row in self.within(day, day)]
        page, following = page_of(rows, given)
        return {"data": page, "has_more": following is not None, "next_page": following}


def person(email: str, *models: str, sessions: int = 1, **core: Any) -> dict[str, Any]:
    """A row of the report of Claude Code: one person on one day. The first model has a hundred tokens read."""
    return {
        "actor": {"type": "user_actor", "email_address": email},
        "organization_id": "org",
        "customer_type": "api",
        "terminal_type": "iTerm.app",
        "core_metrics": {"num_sessions": sessions, "lines_of_code": {"added": 20, "removed": 5}, **core},
        "tool_actions": {"edit_tool": {"accepted": 4, "rejected": 1}, "write_tool": {"accepted": 2, "rejected": 0}},
        "model_breakdown": [
            {
                "model": model,
                "tokens": {"input": 100 * n, "output": 7, "cache_creation": 30, "cache_read": 3_000_000_000},
                "estimated_cost": {"amount": 12.345, "currency": "USD"},
            }
            for n, model in enumerate(models, 1)
        ],
    }  # fmt: skip


class AnthropicServer(Reports):
    """Anthropic's analytics: usage and cost by person and product, and activity of people."""

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path == "/v1/organizations/me":
            return {"id": "org", "name": "Acme"}
        name = path.removeprefix("/v1/organizations/analytics/")
        if name == "users":
            day = date.fromisoformat(given["date"])
            rows = [row["activity"] for _, row in self.within(day, day)]
        elif name in ("usage", "cost"):
            first = datetime.fromisoformat(given["starting_at"]).date()
            last = datetime.fromisoformat(given["ending_at"]).date() - timedelta(days=1)
            rows = [
                {"starting_at": f"{at}T00:00:00Z", "group": row["group"], name: row[name]}
                for at, row in self.within(first, last)
            ]
        else:
            return None
        page, following = page_of(rows, given)
        return {"data": page, "has_more": following is not None, "next_page": following}


def analytics(email: str, product: str = "claude_code", tokens: int = 100) -> dict[str, Any]:
    """What Anthropic's analytics have of a person and day."""
    actor = {"type": "user_actor", "user_id": f"id of {email}", "email_address": email}
    core = {"commit_count": 1, "pull_request_count": 0, "distinct_session_count": 2,
            "lines_of_code": {"added_count": 10, "removed_count": 3}}  # fmt: skip
    return {
        "group": {"actor": actor, "product": product, "model": "claude-opus-5", "speed": "standard"},
        "usage": {
            "uncached_input_tokens": tokens,
            "cache_read_input_tokens": 900,
            "cache_creation": {"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 7},
            "output_tokens": 20,
            "requests": 3,
        },
        "cost": {"amount": "123.456789", "list_amount": "200", "currency": "USD"},
        "activity": {
            "user": {"id": f"id of {email}", "email_address": email},
            "claude_code_metrics": {
                "core_metrics": core,
                "tool_actions": {"edit_tool": {"accepted_count": 5, "rejected_count": 1}},
            },
        },
    }


class CursorServer(Reports):
    """Cursor: members, events and days of a team. A row has an event and an activity."""

    def credentials(self, request: httpx.Request) -> list[str]:
        expected = httpx.BasicAuth(self.key, "")._auth_header
        return [self.key] if request.headers.get("authorization") == expected else []

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path == "/teams/members":
            people = sorted({row["email"] for rows in self.days.values() for row in rows})
            return {"teamMembers": [{"name": one, "email": one, "role": "member"} for one in people]}
        if path == "/analytics/ai-code/commits":
            return self.commits_of(given)
        first, last = (
            datetime.fromtimestamp(given[name] / 1000, UTC).date() for name in ("startDate", "endDate")
        )
        found = self.within(first, last)
        if path == "/teams/filtered-usage-events":
            name, rows = "usageEvents", [{"timestamp": str(ms(at)), **row["event"]} for at, row in found]
        else:
            name, rows = (
                "data",
                [{"day": at.isoformat(), "email": row["email"], **row["activity"]} for at, row in found],
            )
        start = (int(given["page"]) - 1) * PAGE
        has_more = start + PAGE < len(rows)
        return {name: rows[start : start + PAGE], "pagination": {"hasNextPage": has_more}}

    def commits_of(self, given: Mapping[str, Any]) -> Any:
        first, until = (datetime.fromisoformat(given[name]).date() for name in ("startDate", "endDate"))
        rows = [row for day, rows in sorted(self.commits.items()) if first <= day < until for row in rows]
        number = int(given["page"])
        items = rows[(number - 1) * PAGE : number * PAGE]
        return {"items": items, "totalCount": len(rows), "page": number, "pageSize": PAGE}


def ms(day: date) -> int:
    """Nine o'clock of a day in milliseconds."""
    return int(datetime.combine(day, time(9), UTC).timestamp() * 1000)


def cursor(email: str, charged: float | None = 20.18232, accepted: int = 8) -> dict[str, Any]:
    """A request and the activity of a person and day."""
    tokens = {"inputTokens": 126, "outputTokens": 450, "cacheWriteTokens": 6112, "cacheReadTokens": 11964,
              "totalCents": 18.5}  # fmt: skip
    event: dict[str, Any] = {
        "userEmail": email,
        "model": "claude-4-opus",
        "kind": "Usage-based",
        "tokenUsage": tokens,
    }
    return {
        "email": email,
        "event": event if charged is None else {**event, "chargedCents": charged},
        "activity": {
            "isActive": True,
            "totalLinesAdded": 30,
            "acceptedLinesAdded": accepted,
            "totalAccepts": 4,
        },
    }


class OpenAiServer(Reports):
    """OpenAI: usage, costs and users of an organization."""

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path.endswith("/organization/users"):
            people = sorted({row["user_id"] for rows in self.days.values() for row in rows})
            return {"data": [{"id": one, "email": f"{one}@example.com", "name": one} for one in people]}
        first = datetime.fromtimestamp(int(given["start_time"]), UTC).date()
        name = "usage" if path.endswith("/usage/completions") else "costs"
        last = datetime.fromtimestamp(int(given.get("end_time", given["start_time"])), UTC).date()
        buckets: list[dict[str, Any]] = [
            {"start_time": ms(at) // 1000, "results": [{"user_id": row["user_id"], **row[name]}]}
            for at, row in self.within(first, last - timedelta(days=1))
        ]
        page, following = page_of(buckets, given)
        return {"data": page, "has_more": following is not None, "next_page": following}


def openai(user_id: str, tokens: int = 1000) -> dict[str, Any]:
    """The tokens and the bill of a person and day."""
    amount: dict[str, Any] = {"value": 0.06, "currency": "usd"}
    return {
        "user_id": user_id,
        "usage": {
            "model": "gpt-6-astra", "input_tokens": tokens, "input_cached_tokens": 400,
            "input_cache_write_tokens": 100, "output_tokens": 50, "num_model_requests": 4,
        },
        "costs": {"line_item": "gpt-6-astra, input_tokens", "amount": amount},
    }  # fmt: skip


class LiteLlmServer(Reports):
    """LiteLLM's log of requests."""

    def answer(self, path: str, given: Mapping[str, Any]) -> Any:
        if path != "/spend/logs/v2":
            return None
        first = datetime.fromisoformat(given["start_date"]).date()
        last = datetime.fromisoformat(given["end_date"]).date() - timedelta(days=1)
        rows = [
            {"startTime": f"{at}T09:00:00Z", **row, "request_id": f"{at} {row['request_id']}"}
            for at, row in self.within(first, last)
        ]
        number = int(given["page"])
        pages = -(-len(rows) // PAGE)
        return {"data": rows[(number - 1) * PAGE : number * PAGE], "page": number, "total_pages": pages}


def litellm(email: str, spend: float = 0.5, completion: int = 20, **values: Any) -> dict[str, Any]:
    """A request through the proxy."""
    usage = {"prompt_tokens": 1000, "completion_tokens": completion, "cache_read_input_tokens": 600,
             "cache_creation_input_tokens": 100}  # fmt: skip
    return {
        "request_id": email, "user": email, "spend": spend, "model": "claude-opus-5",
        "custom_llm_provider": "anthropic", "messages": "a secret prompt", "metadata": {"usage_object": usage},
        **values,
    }  # fmt: skip
