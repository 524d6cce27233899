"""Attributes of telemetry by an allow-list: whatever is not named here is read by nobody and stored nowhere.

Add: the name of an attribute that a row needs. Keep out: prompts, answers, arguments and results of tools, commands,
contents and paths of files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

import orjson
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from ingest.texts import shown

MAX_TEXT = 256
MAX_EMAIL = 254
# The default limit of OpenTelemetry's SDKs.
MAX_ATTRIBUTES = 128
# More milliseconds, tokens and dollars than one request can have: the largest models read ten million tokens. Sums have
# billionths of a dollar in 64 bits, which hold 1.8 million requests of 5,000 dollars, or 9 * 10^10 of so many tokens.
MAX_COUNT = 10**9
MAX_TOKENS = 10**8
MAX_DOLLARS = 5_000
MAX_PARAMETERS = 65_536
Scalar = str | bool | int | float

ALLOWED = frozenset(
    {
        # Of every tool.
        "service.name", "service.version", "session.id", "event.name", "event.sequence", "event.timestamp", "model",
        "user.id", "user.email", "vcs.repository.url.full", "vcs.ref.head.name", "type", "language", "duration_ms",
        # Claude Code.
        "app.version", "organization.id", "user.account_uuid", "user.account_id", "cost_usd", "cost_usd_micros",
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "request_id", "speed", "effort",
        "query_source", "start_type", "decision",
        # Codex.
        "conversation.id", "event.kind", "input_token_count", "output_token_count", "cached_token_count",
        "cache_write_token_count", "reasoning_token_count", "service_tier", "reasoning_effort",
        "model_reasoning_effort",
        # Gemini CLI.
        "installation.id", "cached_content_token_count", "thoughts_token_count", "tool_token_count",
        # GitHub Copilot and others that follow the conventions for generative AI.
        "gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.request.model", "gen_ai.response.model",
        "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.reasoning.output_tokens", "gen_ai.conversation.id", "gen_ai.request.reasoning_effort",
        "gen_ai.request.reasoning.level", "copilot_chat.edit.outcome", "copilot_chat.edit.action",
        "copilot_chat.lines.kind", "language_id", "github.copilot.git.repository", "github.copilot.git.branch",
    }
)  # fmt: skip
# The only attribute with content that is opened, for one field: the id of a commit.
PARAMETERS = "tool_parameters"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_COUNT = re.compile(r"\d{1,3}(,\d{3})+|\d+")
_EMAIL = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+")


class WrongValue(ValueError):
    """A record that cannot be used; the message says which attribute has what problem, without its value."""


class Attributes:
    """The allowed attributes of a record, those of its resource included. Later ones win."""

    def __init__(self, given: Iterable[KeyValue], of_resource: Attributes | None = None) -> None:
        self._values: dict[str, Scalar] = dict(of_resource._values) if of_resource else {}
        for one in given:
            if one.key in ALLOWED:
                kind = one.value.WhichOneof("value")
                if kind in ("string_value", "bool_value", "int_value", "double_value"):
                    self._values[one.key] = getattr(one.value, kind)

    def text(self, *names: str) -> str | None:
        """The first of these attributes that is a text or number, shortened and without hidden characters."""
        for name in names:
            value = self._values.get(name)
            if value is not None and not isinstance(value, bool):
                found = shown(str(value)[: 2 * MAX_TEXT], MAX_TEXT)
                if found:
                    return found
        return None

    def email(self) -> str | None:
        """The address of the person; None where it is no address."""
        found = self.text("user.email")
        return found if found and len(found) <= MAX_EMAIL and _EMAIL.fullmatch(found) else None

    def count(self, name: str) -> int | None:
        """A whole number from 0, which some tools send as text; None where it is missing. Raises WrongValue."""
        value = self._values.get(name)
        if value is None:
            return None
        found = _whole(value)
        if found is None or not 0 <= found <= MAX_COUNT:
            raise WrongValue(f"{name} is no count")
        return found

    def tokens(self, name: str) -> int:
        """As `count`, 0 where it is missing, and at most what one request can have."""
        found = self.count(name) or 0
        if found > MAX_TOKENS:
            raise WrongValue(f"{name} is more than {MAX_TOKENS:,}")
        return found

    def dollars_nano(self, name: str) -> int | None:
        """An amount in billionths; None where it is missing. Raises WrongValue."""
        value = self._values.get(name)
        if value is None:
            return None
        try:
            amount = float(value)
        except ValueError:
            raise WrongValue(f"{name} is no amount") from None
        if isinstance(value, bool) or not 0 <= amount <= MAX_DOLLARS:
            raise WrongValue(f"{name} is no amount")
        return round(amount * 1e9)

    def repository(self) -> str | None:
        """The address of the repository without login and query; None where none is named."""
        found = self.text("vcs.repository.url.full", "github.copilot.git.repository")
        if found is None:
            return None
        try:
            parts = urlsplit(found)
        except ValueError:
            return None
        if not parts.scheme or not parts.netloc:
            return found.rpartition("@")[2]
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def commit_of(given: Iterable[KeyValue]) -> str | None:
    """The commit that the parameters of a tool name; nothing else of them is read."""
    for one in given:
        if one.key == PARAMETERS and len(one.value.string_value) <= MAX_PARAMETERS:
            try:
                found = orjson.loads(one.value.string_value)
            except orjson.JSONDecodeError:
                return None
            sha = found.get("git_commit_id") if isinstance(found, dict) else None
            return sha if isinstance(sha, str) and _COMMIT.fullmatch(sha) else None
    return None


def refuse_many(given: Iterable[KeyValue]) -> None:
    """Raises WrongValue for more attributes than a record can have."""
    if len(list(given)) > MAX_ATTRIBUTES:
        raise WrongValue(f"a record has more than {MAX_ATTRIBUTES} attributes")


def _whole(value: Scalar) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        # Tools format numbers for people; Python's limit of digits is the other reason for the length.
        return int(value.replace(",", "")) if len(value) <= 20 and _COUNT.fullmatch(value) else None
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else None
    return value
