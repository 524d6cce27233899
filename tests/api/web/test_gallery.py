"""The gallery shows every component of the templates, well formed and with hostile text as text."""

import re
from pathlib import Path
from typing import Any

import pytest

import api.web
from api.web.drawing.figures import at_least
from api.web.drawing.rendering import templates
from tests.api.web.gallery.components import HOSTILE, rendered
from tests.api.web.pages import Page

TEMPLATES = Path(next(iter(api.web.__path__))) / "templates"
GALLERY = Path(__file__).parent / "gallery" / "gallery.html"


def test_the_gallery_has_every_component() -> None:
    macros = set()
    for name in ("components.html", "forms.html"):
        macros |= set(re.findall(r"{% macro (\w+)\(", (TEMPLATES / name).read_text()))
    used = set(re.findall(r"(\w+)\(", GALLERY.read_text()))
    assert len(macros) > 20
    assert macros - used == set()


def test_the_gallery_is_well_formed_and_runs_nothing() -> None:
    found = Page(rendered())
    # The style is within, because the page stands alone.
    assert (found.blocked, found.open) == (["style"], [])
    assert HOSTILE in "".join(found.texts)
    assert found.outside == ["https://git.example/x"] * 3


def test_the_gallery_shows_a_refused_form_with_its_reasons_and_values() -> None:
    text = rendered()
    for reason in ("Must have 1 to 255 characters.", "Is closed.", "Must say why."):
        assert text.count(reason) == 1, reason
    assert Page(text).fields["name"] == HOSTILE


@pytest.mark.parametrize(
    ("row", "is_told"),
    [
        ({"etv": 2.8, "aiShareAtLeast": None}, True),
        ({"etv": 2.8, "aiShareAtLeast": 0.0}, False),
        ({"etv": 0.0, "aiShareAtLeast": None}, False),
        ({"etv": 2.8}, False),
    ],
)
def test_a_dash_for_the_ai_share_of_work_is_explained(row: dict[str, Any], is_told: bool) -> None:
    components: Any = templates().get_template("components.html").module
    told = components.no_ai_shares([{"etv": 1.0, "aiShareAtLeast": 0.2}, row])
    assert ("A dash for the AI share" in told) is is_told
    # The words are those of the cell.
    assert (f"“{at_least(0.0)}” is of work without one" in told) is is_told
