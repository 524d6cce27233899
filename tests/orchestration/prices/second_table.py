"""A second price table: the figures of LiteLLM for fifty models that coding tools offer, in `second_table.json`.

LiteLLM is not installed. `python -m tests.orchestration.prices.second_table litellm-….whl` reads the figures anew from
its wheel, which `pip download --no-deps litellm` fetches. Prices are in 10⁻¹² US dollars a token.
"""

from __future__ import annotations

import json
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

FILE = Path(__file__).with_name("second_table.json")
MEMBER = "litellm/model_prices_and_context_window_backup.json"
MODELS = (
    "claude-fable-5-1", "claude-fable-5", "claude-opus-5-5", "claude-opus-5", "claude-opus-4-8", "claude-opus-4-7",
    "claude-opus-4-6", "claude-opus-4-5", "claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6",
    "claude-sonnet-4-5", "claude-haiku-5-5", "claude-haiku-4-5",
    "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra",
    "gpt-5.6-luna", "gpt-5.5", "gpt-5.5-pro", "gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.3-codex", "gpt-5.2",
    "gpt-5.2-codex", "gpt-5.1", "gpt-5.1-codex", "gpt-5", "gpt-5-codex", "gpt-5-mini", "gpt-5-nano", "gpt-4.1",
    "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini", "o3", "o4-mini",
    "gemini-3.8-flash", "gemini-3.6-flash", "gemini-3.5-flash", "gemini-3.5-flash-lite", "gemini-3.1-pro-preview",
    "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash",
)  # fmt: skip
KINDS = {
    "input": "input_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write_5m": "cache_creation_input_token_cost",
    "output": "output_cost_per_token",
}
LONG_WRITES = ("cache_creation_input_token_cost_above_1hr", "cache_creation_input_token_cost_above_12hr")


def table() -> dict[str, dict[str, dict[str, int]]]:
    """Prices by model, number of tokens above which they hold, and kind of token. A kind may be missing."""
    found: dict[str, dict[str, dict[str, int]]] = json.loads(FILE.read_text())["models"]
    return found


def read(wheel: Path) -> dict[str, Any]:
    """The figures of a wheel."""
    with ZipFile(wheel) as archive:
        prices = json.loads(archive.read(MEMBER), parse_float=Decimal)
    version = wheel.name.split("-")[1]
    return {"source": f"LiteLLM {version}", "models": {model: _tiers(prices[model]) for model in MODELS}}


def _tiers(one: dict[str, Any]) -> dict[str, dict[str, int]]:
    starts = {0} | {
        int(found[1])
        for name in one
        if (found := re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", name))
    }
    return {
        str(start * 1000): _prices(one, f"_above_{start}k_tokens" if start else "")
        for start in sorted(starts)
    }


def _prices(one: dict[str, Any], suffix: str) -> dict[str, int]:
    long_write = next((name for name in LONG_WRITES if f"{name}{suffix}" in one), LONG_WRITES[0])
    names = {**KINDS, "cache_write_1h": long_write}
    return {
        kind: int(Decimal(one[f"{name}{suffix}"]) * 10**12)
        for kind, name in names.items()
        if one.get(f"{name}{suffix}") is not None
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(read(Path(sys.argv[1])), indent=1) + "\n")
