"""Plain rules for AI as a baseline: a tool's name anywhere, or an address of a vendor."""

import re

Sign = set[tuple[str, str]]
"""Tool and role of every piece of evidence of one commit."""

CUT_AT = 1500
"""The sets cut messages here: what the rest said cannot be seen in them."""

NAMES = re.compile(r"\b(?:claude|codex|copilot|cursor|devin|gemini|jules|aider|agent)", re.IGNORECASE)
VENDORS = re.compile(r"@(?:anthropic|openai|cursor|cognition|github)\.|\[bot\]", re.IGNORECASE)
