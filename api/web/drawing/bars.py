"""Links of a drawn chart: each of its buckets leads to the rows behind it.

Keep out: how charts are drawn (presentation/charts).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from markupsafe import Markup, escape

from api.web.drawing.addresses import address
from api.web.drawing.figures import at_least, bucket, etv, money, of_number

# The drawing program writes them so: the place of the chart in the picture, and its size.
_FRAME = re.compile(
    r'<g [^>]*translate\((?P<left>[\d.]+),(?P<top>[\d.]+)\)".*?'
    r'<path class="background"[^>]* d="M0,0h(?P<width>[\d.]+)v(?P<height>[\d.]+)h',
    re.DOTALL,
)
END = "</svg>"
TOLD: Mapping[str, Callable[[Any], str]] = {
    "etv": lambda value: f"{etv(value)} ETV",
    "pullRequestEtv": lambda value: f"{etv(value)} ETV, median",
    "mergedPullRequests": lambda value: f"{value:,} {of_number('pull requests', value)}",
    "aiCost": money,
    "aiShareAtLeast": at_least,
}
"""The figure of a bucket in words, by its metric."""


def leading(
    svg: str,
    points: Iterable[Mapping[str, Any]],
    interval: str,
    metric: str,
    path: str,
    *queries: Mapping[str, Any],
) -> Markup:
    """The chart with a link over each bucket that has a figure. Its name tells the bucket and the figure.

    `points` are the buckets of the chart in their order, each with its `days` in the range, and `queries` what else
    the rows at `path` are narrowed by. A chart that another program drew stays as it is.
    """
    frame, all_points = _FRAME.search(svg), list(points)
    if frame is None or not all_points or END not in svg:
        return Markup(svg)
    width = float(frame["width"]) / len(all_points)
    links = "".join(
        f'<a href="{escape(address(path, *map(dict, queries), point["days"]))}" aria-label="'
        f'{escape(bucket(point["start"], interval))}: {escape(TOLD[metric](point[metric]))}">'
        f'<rect x="{place * width:.5g}" width="{width:.5g}" height="{frame["height"]}"/></a>'
        for place, point in enumerate(all_points)
        if point[metric]
    )
    start, end, rest = svg.rpartition(END)
    ways = f'<g class="ways" transform="translate({frame["left"]},{frame["top"]})">{links}</g>'
    return Markup(f"{start}{ways}{end}{rest}")
