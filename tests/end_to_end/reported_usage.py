"""Usage of an AI tool beside a history, as its vendor and its telemetry tell it: one request on the day of the first
delivery.
"""

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from api.control.store import ControlStore
from ingest.lake import Lake
from ingest.schemas.ai_tools import USAGE
from ingest.schemas.telemetry import REQUESTS
from ingest.telemetry.loading import NOUN, SOURCE
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.git_figures import read_history
from tests.end_to_end.stored_connections import store_connection

TOOL = {"organization_id": LOCAL_ORGANIZATION, "tool": "claude_code"}
TOKENS = {"model": "claude-opus-5", "requests": 1, "input_tokens": 2000, "output_tokens": 800}


def add_usage(store: ControlStore, raw: Path, repository: Path, email: str) -> None:
    """A request of Claude Code by the person with this address, from both sources."""
    at = read_history(repository).delivered[0].delivered_at
    assert at is not None
    _add_telemetry(raw, email, at)
    _add_report(store, raw, email, at)


def _add_telemetry(raw: Path, email: str, at: datetime) -> None:
    request = {
        "event_key": "request-1", "token_id": "laptops", "received_at": at, "happened_at": at,
        "session_id": "session-1", "user_email": email, "cache_read_tokens": 30_000, "cache_write_tokens": 500,
        "is_error": False,
    }  # fmt: skip
    table = pa.Table.from_pylist([dict.fromkeys(REQUESTS.names) | TOOL | TOKENS | request], REQUESTS)
    Lake(raw).source(NOUN, LOCAL_ORGANIZATION, SOURCE).commit({"requests": table}, {}, {})


def _add_report(store: ControlStore, raw: Path, email: str, at: datetime) -> None:
    connection = store_connection(
        store, "CLAUDE_CODE", "ai_tools", "https://api.anthropic.com", "Claude Code"
    )
    shared = {
        "connection_id": connection,
        "batch": 1,
        "actor_email": email,
        "payload": "{}",
        "connector_version": "1",
    }
    used = {
        "provider_id": "usage-1", "used_on": at.date(), "is_active": True, "cache_read_tokens": 31_000,
        "cache_write_5m_tokens": 500, "sessions": 1,
    }  # fmt: skip
    usage = pa.Table.from_pylist([dict.fromkeys(USAGE.names) | TOOL | TOKENS | shared | used], USAGE)
    Lake(raw).source("ai_tools", LOCAL_ORGANIZATION, connection).commit({"usage": usage}, {}, {})
