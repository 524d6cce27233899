"""Telemetry of an AI tool beside a history: one request on the day of its first delivery."""

from pathlib import Path

import pyarrow as pa

from ingest.lake import Lake
from ingest.schemas.telemetry import REQUESTS
from ingest.telemetry.loading import NOUN, SOURCE
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.git_figures import read_history


def add_telemetry(raw: Path, repository: Path, email: str) -> None:
    """A request of Claude Code by the person with this address."""
    at = read_history(repository).delivered[0].delivered_at
    request = {
        "organization_id": LOCAL_ORGANIZATION, "event_key": "request-1", "token_id": "laptops", "received_at": at,
        "happened_at": at, "tool": "claude_code", "session_id": "session-1", "user_email": email,
        "model": "claude-opus-5", "requests": 1, "input_tokens": 2000, "cache_read_tokens": 30_000,
        "cache_write_tokens": 500, "output_tokens": 800, "is_error": False,
    }  # fmt: skip
    table = pa.Table.from_pylist([dict.fromkeys(REQUESTS.names) | request], REQUESTS)
    Lake(raw).source(NOUN, LOCAL_ORGANIZATION, SOURCE).commit({"requests": table}, {}, {})
