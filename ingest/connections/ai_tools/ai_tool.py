"""An AI tool is a provider of usage, seats and spend."""

from __future__ import annotations

from ingest.connections.model import Provider
from ingest.schemas.ai_tools import AI_TOOL


class AiTool(Provider):
    """A vendor of AI coding tools, or a proxy in front of models."""

    category = AI_TOOL
