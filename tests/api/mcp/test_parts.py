"""Long texts of answers: parts, and names that are cut."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.mcp.parts import CUT, MAX_TEXT, PART, parts_of, shorten
from api.mcp.reading import Refused
from api.mcp.tools import TOOLS

TEXTS = st.text(st.sampled_from("a\n #é−"), max_size=300).map(lambda text: text * 40)


@given(TEXTS)
def test_the_parts_make_the_text_again(text: str) -> None:
    parts = parts_of(text)
    assert "".join(parts) == text
    longest_line = max((len(line.encode()) for line in text.splitlines(keepends=True)), default=0)
    assert max(len(part.encode()) for part in parts) <= max(PART, longest_line)


def test_a_paragraph_is_not_divided_where_it_fits() -> None:
    paragraphs = [f"{'x' * 1_000}{number}\n\n" for number in range(12)]
    assert all(part.endswith("\n\n") for part in parts_of("".join(paragraphs)))


def test_texts_at_a_path_are_cut_and_no_others() -> None:
    long = "x" * 2_000
    found = {
        "commits": [{"subject": long, "sha": long}, {"subject": "short"}, {"subject": None}],
        "name": long,
    }
    expected = json.loads(json.dumps(found))
    expected["commits"][0]["subject"] = "x" * MAX_TEXT + CUT
    shorten(found, "commits.subject")
    shorten(found, "nothing.here")
    assert found == expected


@dataclass
class Markdown:
    """A reader that reads one text, whatever is asked."""

    text: str

    async def read(self, *_: object) -> tuple[dict[str, Any], str]:
        return {"text": self.text}, "https://eas.example/summaries/1"


def summary(reader: Any, **arguments: Any) -> dict[str, Any]:
    return asyncio.run(TOOLS["get_summary"].call(reader, {"summary": "1", **arguments}))


def test_a_long_summary_comes_in_parts_that_name_the_next() -> None:
    reader = Markdown("\n\n".join(f"## Part {number}\n\n{'value ' * 90}" for number in range(40)))
    found, part = "", 1
    while part:
        answer = summary(reader, part=part)
        assert len(json.dumps(answer)) <= 6_000
        found += answer["text"]
        part = answer.get("nextPart", 0)
    assert found == reader.text
    assert summary(reader) == summary(reader, part=1)


@pytest.mark.parametrize("part", [0, -1, 2, "two", True, 1.5, None])
def test_a_part_that_is_not_there_is_refused(part: Any) -> None:
    with pytest.raises(Refused, match="part: "):
        summary(Markdown("short"), part=part)
