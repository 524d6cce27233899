"""How an organization counts and what it shows: the pages General, Calendar and Privacy."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.web.drawing.forms import Act, Fields
from api.web.frame import Content, Place, framed, submitted

router = APIRouter(include_in_schema=False)

WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
GROUPINGS = (
    ("FIVE", "Five: features, maintenance, tests, documentation, fixes"),
    ("THREE", "Three: growth, maintenance, fixes"),
    ("TWO", "Two: growth, keep the lights on"),
)
MODES = (
    ("AUTOMATIC", "Every night, each repository that changed"),
    ("ON_REQUEST", "Only when somebody asks for it"),
)
NEXT_BUILD = "It is changed. The next build applies it; it starts within minutes."


def _boxes(*names: str) -> Any:
    """A box that is not ticked is not in the form."""
    return lambda fields: {name: fields.get(name) == "true" for name in names}


def _holidays(text: str) -> list[dict[str, str]]:
    """Days with names, one a line: `2026-12-25 Christmas Day`. Raises InvalidArgument."""
    found = []
    for line in text.splitlines():
        day, _, name = line.strip().partition(" ")
        if day and not name.strip():
            raise InvalidArgument("holidays", f"needs a name after the day in the line {line.strip()!r}")
        if day:
            found.append({"date": day, "name": name.strip()})
    return found


def _calendar(fields: Fields) -> dict[str, Any]:
    try:
        hours = float(fields.get("hoursPerDay", "").replace(",", "."))
    except ValueError as error:
        raise InvalidArgument("hoursPerDay", "must be a number of hours, such as 8 or 7.5") from error
    return {
        "workingWeekdays": fields.get("workingWeekdays", "").split(),
        "hoursPerDay": hours,
        "holidays": _holidays(fields.get("holidays", "")),
    }


def _privacy(fields: Fields) -> dict[str, Any]:
    least = fields.get("minimumGroupSize", "").strip()
    if not least.isascii() or not least.isdigit():
        raise InvalidArgument("minimumGroupSize", "must be a whole number; 0 is no minimum")
    return {
        "minimumGroupSize": int(least),
        "hasIndividualFigures": fields.get("hasIndividualFigures") == "true",
    }


def _counting(fields: Fields) -> dict[str, Any]:
    names = ("timeZone", "workCategoryGrouping", "analysisMode")
    given: dict[str, Any] = {name: fields[name].strip() for name in names if name in fields}
    return given | {"defaultAnalysisStartDate": fields.get("defaultAnalysisStartDate", "").strip() or None}


GENERAL = {
    "rename": Act(
        "PATCH",
        "",
        "The name is changed. Addresses of pages stay.",
        lambda fields: {"name": fields.get("name", "")},
    ),
    "counting": Act("PATCH", "settings", NEXT_BUILD, _counting),
    "columns": Act(
        "PATCH",
        "settings",
        "The columns are changed.",
        _boxes("hasAiDeveloperColumns", "hasAiRepositoryColumns", "hasAiTeamColumns"),
    ),
    "model": Act("PATCH", "settings", NEXT_BUILD, _boxes("hasCategoriesByModel")),
    "context": Act(
        "PATCH",
        "settings",
        "The company context is stored as a new version. The next summaries use it.",
        lambda fields: {"companyContext": fields.get("companyContext", "").replace("\r\n", "\n")},
    ),
}
CALENDAR = {"calendar": Act("PATCH", "settings", NEXT_BUILD, _calendar)}
PRIVACY = {"privacy": Act("PATCH", "settings", NEXT_BUILD, _privacy)}


@router.get("/organizations/{organization}/general")
async def general(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Name, id, time zone, grouping, columns and company context."""
    return await framed(request, organization, _page("general", "Settings"), GENERAL)


@router.post("/organizations/{organization}/general")
async def change_general(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Change one of them."""
    return await submitted(request, organization, GENERAL, _page("general", "Settings"))


@router.get("/organizations/{organization}/calendar")
async def calendar(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Working days, hours and holidays."""
    return await framed(request, organization, _page("calendar", "Calendar"), CALENDAR)


@router.post("/organizations/{organization}/calendar")
async def change_calendar(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Change them."""
    return await submitted(request, organization, CALENDAR, _page("calendar", "Calendar"))


@router.get("/organizations/{organization}/privacy")
async def privacy(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Which figures of single people and small groups are shown."""
    return await framed(request, organization, _page("privacy", "Privacy"), PRIVACY)


@router.post("/organizations/{organization}/privacy")
async def change_privacy(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Change that."""
    return await submitted(request, organization, PRIVACY, _page("privacy", "Privacy"))


def _page(name: str, title: str) -> Content:
    async def content(place: Place) -> Response:
        found = await place.reads.read("settings")
        if not found.is_there:
            return await place.refuse(name, title, found)
        return await place.show(
            f"settings/{name}.html",
            name,
            title,
            settings=found.body,
            groupings=GROUPINGS,
            modes=MODES,
            weekdays=WEEKDAYS,
        )

    return content
