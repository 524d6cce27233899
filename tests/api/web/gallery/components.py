"""The components of the gallery with the figures that they show, and the page of them.

Add: a state of a component. Keep out: components (api/web/templates).
"""

from datetime import date
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader
from markupsafe import Markup
from starlette.datastructures import QueryParams

from api.web.drawing.assets import STYLE
from api.web.drawing.forms import Sent
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.drawing.rendering import templates
from api.web.reading import Answer

TODAY = date(2026, 8, 24)
CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
HOSTILE = '<script>alert("x")</script> \u202e "quoted" ' + "long" * 40


def rendered() -> str:
    """The gallery as HTML with the style within, because it stands alone."""
    beside = FileSystemLoader(Path(__file__).parent)
    real = templates()
    made = real.overlay(loader=ChoiceLoader([beside, *([real.loader] if real.loader else [])]))
    return made.get_template("gallery.html").render(content())


def content() -> dict[str, Any]:
    """What the page shows: rows with values, a zero, no value, and text of somebody hostile."""
    full: dict[str, Any] = {"name": "ledger", "etv": 953.6, "performance": 62.0, "done": 0.58}
    full |= {"performanceMissingReason": None, "aiShareAtLeast": None}
    full |= dict(zip((f"{one}Etv" for one in CATEGORIES), (401.2, 250.0, 180.4, 22.0, 100.0), strict=True))
    zero: dict[str, Any] = {"name": "archive", "etv": 0.0, "performance": 0.0, "done": 0.0}
    none: dict[str, Any] = {"name": HOSTILE, "etv": None, "performance": None, "done": None}
    zero["performanceMissingReason"], none["performanceMissingReason"] = None, "NO_COMPARISON_YET"
    for row, value in ((zero, 0.0), (none, None)):
        row |= {f"{one}Etv": value for one in CATEGORIES}
    return {
        "css": STYLE.content.decode(),
        "period": period_of(QueryParams("startDate=2026-01-01&endDate=2026-08-24&interval=WEEK"), TODAY),
        "listed": ordered(QueryParams("search=ledger"), "etv desc"),
        "later": ordered(QueryParams("pageToken=x"), "etv desc"),
        "rows": [full, zero, none],
        "apart": full | {"fixesEtv": 100.06, "testsEtv": 180.36},
        "page": {"totalSize": 1234, "nextPageToken": "y"},
        "categories": CATEGORIES,
        "points": [
            row | {"start": f"2026-0{7 + place}-01", "days": {}, "isDraft": place == 1, "isPartial": False}
            for place, row in enumerate((full, none))
        ],
        "picture": Markup('<svg class="marks" viewBox="0 0 10 10"></svg>'),
        "values": [3.0, 8.5, None, 5.0, 12.0],
        "unreadable": Answer(503, None, "the service is busy"),
        "sent": Sent(
            "refused",
            {"name": HOSTILE, "kind": "b", "text": "", "isOn": "true"},
            "some values are wrong",
            {"name": "must have 1 to 255 characters", "kind": "is closed", "text": "must say why"},
        ),
        "here": "#",
        "form_token": "",
    }
