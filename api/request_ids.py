"""The id of the request that runs, which its answer, its lines in the log and its trace have in common."""

from contextvars import ContextVar

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
