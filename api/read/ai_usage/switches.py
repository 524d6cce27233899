"""Settings of the organization that hide columns about AI of developers, repositories or teams."""

from api.access.row_access import RowAccess
from api.errors import InvalidArgument

# What a grouping shows, by kind of entity.
_SHOWS = {"DEVELOPER": "developer", "DAY": "developer", "TEAM": "team", "REPOSITORY": "repository"}


def refuse_switched_off(access: RowAccess, group_by: str, *, developers: bool, teams: bool) -> None:
    """Raises InvalidArgument for AI spend by, or of named, entities whose columns about AI are switched off."""
    asked = {
        "groupBy": _SHOWS.get(group_by),
        "developer": "developer" if developers else None,
        "team": "team" if teams else None,
    }
    for parameter, kind in asked.items():
        if kind in access.without_ai:
            raise InvalidArgument(
                parameter, f"the settings of the organization switch off columns about AI of each {kind}"
            )
