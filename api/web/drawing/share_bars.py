"""The bar of a row whose parts are shares of categories, as SVG: written here, because a page has up to 200 of them.

A template took 124 µs for each, which was a third of the time of the page of teams; this takes 52. Keep out: the shares
in words (sums.py), other marks, which are macros.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from api.web.drawing.figures import etv, percent
from api.web.drawing.sums import etv_shares

WIDTH: Final = 112
GAP, LEAST_PART = 1, 0.5
"""Between two parts, and of a part that the gap would take away."""


def share_bar(row: Mapping[str, Any], categories: Sequence[str]) -> str:
    """The bar of a row with a field for the ETV of each category; a dash without any ETV."""
    parts = [row[f"{one}Etv"] or 0 for one in categories]
    whole = sum(parts)
    if whole <= 0:
        return etv(None)
    told = etv_shares(row, categories)
    label = ", ".join(f"{one} {escape(percent(told[one]))}" for one in categories)
    drawn, at = [], 0.0
    for one, part in zip(categories, parts, strict=True):
        width = WIDTH * part / whole
        if width >= GAP:
            shown = round(max(width - GAP, LEAST_PART), 2)
            drawn.append(f'<rect class="b-{one}" x="{round(at, 2)}" y="0" width="{shown}" height="10"/>')
        at += width
    # Categories are words of this service, and figures have no markup.
    return Markup(
        f'<svg class="shares" viewBox="0 0 {WIDTH} 10" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )


FILTERS: dict[str, Any] = {"share_bar": share_bar}
