"""The media type that a request accepts, of those that a route answers with."""

import re

from fastapi import Request

JSON = "application/json"
_WEIGHT = re.compile(r";\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)", re.IGNORECASE)


def accepted(request: Request, *offered: str) -> str:
    """The offered type that `Accept` names with the highest weight; of equal ones and without any, the first."""
    weights: dict[str, float] = {}
    for named in ",".join(request.headers.getlist("accept")).split(","):
        found = _WEIGHT.search(named)
        weights[named.partition(";")[0].strip().lower()] = float(found[1]) if found else 1.0
    return max(offered, key=lambda one: weights.get(one, 0.0))


def wants_page(request: Request) -> bool:
    """Whether a browser asks, and not a program."""
    return "text/html" in request.headers.get("accept", "").lower()
