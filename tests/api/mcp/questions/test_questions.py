"""Ten questions of a manager, answered from the answers of tools alone: few calls, small answers, REST's figures."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.api.conftest import client_for
from tests.api.mcp.questions.asked import MAX_CALLS, MAX_TOKENS, QUESTIONS, Periods, Transcript, reading
from tests.api.mcp.questions.shop import Shop, served_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with served_shop(tmp_path_factory.mktemp("questions")) as served:
        yield served


# Its organization is built with all models, and each tool is compared with REST in test_tools.py.
@pytest.mark.release
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_by_few_small_answers_with_the_figures_of_rest(shop: Shop, name: str) -> None:
    question, periods = QUESTIONS[name], Periods(datetime.now(UTC).date())
    transcript = Transcript(shop.address, shop.key)
    found = question.answer(transcript.call, periods)
    assert 0 < len(transcript.exchanges) <= MAX_CALLS
    for exchange in transcript.exchanges:
        assert exchange.tokens <= MAX_TOKENS, (exchange.tool, exchange.tokens)
    with client_for(shop.address, shop.key) as client:
        expected = question.by_rest(reading(client), periods)
    assert found.keys() == expected.keys()
    for figure, value in expected.items():
        assert found[figure] not in (None, [], {}, ""), figure
        # Several may be the first alike.
        assert found[figure] in value if isinstance(value, set) else found[figure] == value, figure
