"""One person under two developers: the form that joins them, and undoes what was decided.

Keep out: the figures of a developer (developers.py), the rules that join addresses (dbt_project).
"""

from typing import Any

from api.web.drawing.forms import Act, Fields
from api.web.frame import Place
from api.web.reading import Answer

MOST_DECISIONS, MOST_OTHERS = 20, 500
ASKED = "join"
"""The parameter of an address that opens the forms."""


def _both(fields: Fields) -> dict[str, Any]:
    return {"developerIds": [fields.get("developer", ""), fields.get("other", "")]}


ACTS = {
    "join": Act("POST", "developers:merge", "They are one developer from the next build on.", _both),
    "undo": Act(
        "POST",
        "identityDecisions/{decision}:undo",
        "The decision is undone from the next build on. Changes of dates and teams made meanwhile stay; look at both "
        "developers.",
    ),
}


async def joining_of(place: Place, row: dict[str, Any]) -> dict[str, Any] | None:
    """Read the developers that this one may be joined to, and earlier decisions; None without the right or the wish."""
    if not place.manages or place.request.query_params.get(ASKED) != "true":
        return None
    others, decisions = await place.reads.all(
        place.reads.read(
            "developers",
            filter=f"isBot = {str(row['isBot']).lower()}",
            orderBy="name",
            pageSize=MOST_OTHERS,
        ),
        place.reads.read("identityDecisions", developer=row["id"], isUndone=False, pageSize=MOST_DECISIONS),
    )
    suggested = {one["developerId"] for one in row["mergeSuggestions"]}
    return {
        "answer": others,
        "others": sorted(_others(others, row["id"]), key=lambda one: one[0] not in suggested),
        "decisions": decisions.rows("identityDecisions"),
        "left": others.is_there and bool(others.body["nextPageToken"]),
    }


def _others(found: Answer, developer: str) -> list[tuple[str, str]]:
    """Developers by id, with name and address, because two can have one name."""
    return [
        (row["id"], f"{row['name']} ({row['primaryEmail']})" if row.get("primaryEmail") else row["name"])
        for row in found.rows("developers")
        if row["id"] != developer
    ]
