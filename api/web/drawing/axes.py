"""The axis of a drawn chart that stays while the chart scrolls.

Keep out: how charts are drawn (presentation/charts).
"""

import re

from markupsafe import Markup

# The drawing program writes them so: the place of the axes, the numbers of a vertical axis, and a group of labels.
_PLACE = re.compile(
    r'viewBox="0 0 \S+ (?P<height>[\d.]+)".*?<g [^>]*translate\((?P<margin>[\d.]+),(?P<top>[\d.]+)\)',
    re.DOTALL,
)
_NUMBER = re.compile(r'<text text-anchor="end"[^>]*>[^<]*</text>')
_DEPTH = re.compile(r"translate\([^,]*,([\d.]+)\)")
_NUMBER_GROUP = "role-axis-label"
# Pixels of a chart: half the height of a number, and half the width of a name below the other axis, such as `W44`.
HALF_A_NUMBER, HALF_A_NAME = 6, 14
MAX_AXES = 2


def vertical_axis(svg: str) -> Markup:
    """The numbers at the vertical axis of a drawn chart as a picture of their own, which stays while the chart scrolls.

    Its ground covers the chart behind the numbers, and leaves the name at the edge below them whole. Empty where a
    chart has no such axis, or several.
    """
    head, numbers = _PLACE.search(svg), _NUMBER.findall(svg)
    if head is None or not numbers or svg.count(_NUMBER_GROUP) > MAX_AXES:
        return Markup("")
    width, height = head["margin"], head["height"]
    lowest = max(map(float, _DEPTH.findall("".join(numbers))), default=float(height))
    covered = f"{float(head['top']) + lowest + HALF_A_NUMBER:g}"
    return Markup(
        f'<svg class="axis" width="{width}" height="{height}" viewBox="0 0 {width} {height}" aria-hidden="true">'
        f'<rect width="{width}" height="{covered}"/><rect width="{float(width) - HALF_A_NAME:g}" height="{height}"/>'
        f'<g transform="translate({width},{head["top"]})">{"".join(numbers)}</g></svg>'
    )
