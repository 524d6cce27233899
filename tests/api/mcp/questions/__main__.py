"""`python -m tests.api.mcp.questions`: prints what an assistant asks and gets for each of the ten questions."""

import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.api import both_databases
from tests.api.mcp.questions.asked import QUESTIONS, Periods, Transcript
from tests.api.mcp.questions.shop import served_shop
from tests.conftest import HOME


def main() -> None:
    """Analyse the shop, which takes a minute or two, and print the transcripts."""
    periods = Periods(datetime.now(UTC).date())
    with (
        tempfile.TemporaryDirectory(dir=HOME) as folder,
        both_databases.control_databases() as databases,
        databases.on(both_databases.SQLITE),
        served_shop(Path(folder)) as shop,
    ):
        for question in QUESTIONS.values():
            transcript = Transcript(shop.address, shop.key)
            found = question.answer(transcript.call, periods)
            sys.stdout.write(f"\n# {question.text}\n")
            for exchange in transcript.exchanges:
                asked = json.dumps(exchange.arguments)
                sys.stdout.write(
                    f"\n> {exchange.tool} {asked}  ({exchange.tokens} tokens)\n{exchange.answer}\n"
                )
            sys.stdout.write(f"\nFigures: {found}\n")


if __name__ == "__main__":
    main()
