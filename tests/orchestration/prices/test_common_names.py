"""Names of one model that vendors, hosts and tools spell differently."""

from __future__ import annotations

import pytest

from orchestration.prices.names import common_name
from tests.orchestration.prices.second_table import MODELS


@pytest.mark.parametrize(
    ("common", "names"),
    [
        (
            "claude-opus-4-5",
            [
                "claude-opus-4-5", "Claude-Opus-4-5", "anthropic/claude-opus-4-5", "claude-opus-4-5[1m]",
                "us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5@20251101", "claude-opus-4-5-20251101",
                "claude-4.5-opus", "claude-4.5-opus-high", "claude-4-5-opus-thinking",
                "openrouter/anthropic/claude-opus-4-5",
            ],
        ),
        ("claude-opus-4", ["claude-4-opus", "claude-opus-4-20250514", "vertex_ai/claude-opus-4@20250514"]),
        ("gpt-4o", ["gpt-4o", "gpt-4o-2024-08-06", "azure/gpt-4o", "openai/gpt-4o-2024-11-20"]),
        ("gpt-5.1-codex-max", ["gpt-5.1-codex-max", "gpt-5.1-codex-max-high"]),
        ("claude-opus-4-6-fast", ["claude-opus-4-6-fast"]),
        ("auto", ["auto", "AUTO "]),
    ],
)  # fmt: skip
def test_all_names_of_a_model_have_one_in_common(common: str, names: list[str]) -> None:
    assert {common_name(one) for one in names} == {common}
    assert common_name(common) == common


@pytest.mark.parametrize("name", ["[1m]", "anthropic/", "-high", " ", "@20251101"])
def test_a_name_of_which_nothing_remains_stays(name: str) -> None:
    assert common_name(name) == name


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_price_table_keep_their_names(name: str) -> None:
    assert common_name(name) == name
