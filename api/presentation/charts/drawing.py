"""Draws a specification as SVG, without browser and network: Vega-Lite runs inside vl_convert.

A drawing takes 20 to 60 ms of a processor, during which the interpreter's other threads wait. A server therefore draws
in a process of its own. The first drawing of a process takes half a second and 100 MB.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

import vl_convert

from api.presentation.charts.themes import COLOURS, HATCHING, Theme, configuration

# The version that the schema of the specifications is of.
VEGA_LITE = "6.4"

# Pixels from one line of a hatching to the next; a line takes half of them.
HATCH_STEP = 6

# A symbol without a name says nothing to a screen reader, and the marks within it have names of their own.
_UNNAMED_SYMBOLS = re.compile(
    r'(<g (?![^>]*aria-label)[^>]*?) role="graphics-symbol" aria-roledescription="[^"]*"'
)


def draw(specification: Mapping[str, Any], theme: Theme) -> str:
    """The picture of a specification as SVG, with its title and description for screen readers.

    Its metadata are the notes that the page shows. It has no script and refers to nothing outside. Raises ValueError
    for a specification that Vega-Lite refuses.
    """
    svg: str = vl_convert.vegalite_to_svg(
        dict(specification), VEGA_LITE, configuration(theme), allowed_base_urls=[]
    )
    start, sign, rest = svg.partition(">")
    rest = _UNNAMED_SYMBOLS.sub(r"\1", rest)
    title, description = specification["usermeta"]["title"], specification["description"]
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    notes = " ".join(specification["usermeta"].get("notes", ()))
    if notes:
        words += f"<metadata>{escape(notes)}</metadata>"
    defined, rest = _hatched(rest, theme)
    return f'{start} role="graphics-document"{sign}{words}{defined}{rest}'


def _hatched(svg: str, theme: Theme) -> tuple[str, str]:
    """The definition of the pattern that marks name, and the marks with its name.

    The name is of this picture alone, because a page may have several pictures.
    """
    reference = f"url(#{HATCHING})"
    if reference not in svg:
        return "", svg
    name = f"{HATCHING}-{hashlib.sha256(svg.encode()).hexdigest()[:12]}"
    lines = f'<rect width="{HATCH_STEP / 2:g}" height="{HATCH_STEP}" fill="{COLOURS[theme]["ground"]}"/>'
    pattern = (
        f'<defs><pattern id="{name}" width="{HATCH_STEP}" height="{HATCH_STEP}" patternUnits="userSpaceOnUse"'
        f' patternTransform="rotate(45)">{lines}</pattern></defs>'
    )
    return pattern, svg.replace(reference, f"url(#{name})")
