"""Lists of icons that a program writes into a style sheet, and rules that people write beside them."""

import time

import pytest

from ingest.git.machine_text.icon_fonts import MARK
from ingest.git.machine_text.machine_parts import machine_parts, may_have_parts, words_finder

FIND_WORDS = words_finder()
OWN = b".cart {\n  color: red;\n  content: 'new';\n}\n"


def parts(path: str, text: bytes) -> list[bytes]:
    """The text of each list; none where the cheap look finds no hint."""
    if not may_have_parts(path, text, FIND_WORDS):
        return []
    lines = text.split(b"\n")
    return [
        b"\n".join(lines[part.start : part.stop]) for part in machine_parts(path, text) if part.mark == MARK
    ]


def icons(count: int, form: str) -> bytes:
    return b"".join(
        form.replace("NAME", f"icon-{i}").replace("CODE", f"{0xE900 + i:x}").encode() for i in range(count)
    )


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("web/icons.css", '.NAME:before { content: "\\CODE"; }\n'),
        ("web/icons.css", ".NAME::before {\n  content: '\\CODE';\n}\n"),
        ("web/icons.css", '.NAME:before,\n.NAME-alt:before {\n  content: "\\CODE"; /* one */\n}\n\n'),
        ("web/icons.scss", '$NAME: "\\CODE";\n'),
        ("web/icons.less", '@NAME: "\\CODE";\n'),
        ("web/icons.sass", '.NAME:before\n  content: "\\CODE"\n'),
    ],
)
def test_icons_of_a_font_are_lines_of_a_program(path: str, form: str) -> None:
    listed = icons(60, form)

    found = parts(path, OWN + listed + OWN)

    assert len(found) == 1
    assert found[0].count(b"icon-") == listed.count(b"icon-")
    assert b"cart" not in found[0]


def test_fewer_icons_are_rules_of_people() -> None:
    assert parts("web/icons.css", OWN + icons(19, '.NAME:before { content: "\\CODE"; }\n')) == []


def test_signs_that_people_type_are_no_icons() -> None:
    quotes = b"".join(b".q%d:before { content: '\\201%d'; }\n" % (i, i % 10) for i in range(60))

    assert parts("web/quotes.css", OWN + quotes) == []


def test_icons_with_own_declarations_are_rules_of_people() -> None:
    form = '.NAME:before { \n  content: "\\CODE";\n  color: red;\n  margin: 2px;\n}\n'

    assert parts("web/buttons.css", icons(60, form)) == []


def test_source_with_such_signs_is_no_style_sheet() -> None:
    assert parts("web/icons.ts", icons(60, 'const NAME = { content: "\\CODE" }\n')) == []


def test_a_hostile_style_sheet_takes_linear_time() -> None:
    started = time.process_time()

    for text in (
        b"\\e" * 200_000,
        b"content:" * 100_000 + b"\\e900" * 30,
        b"/*" * 200_000 + b"\\e900\n" * 30,
        b"a:" * 200_000 + b"\\e900" * 30,
    ):
        parts("web/icons.css", icons(30, '.NAME:before { content: "\\CODE"; }\n') + text)

    assert time.process_time() - started < 3
