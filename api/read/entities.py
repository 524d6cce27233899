"""The resources with figures: organizations, repositories, developers and teams, as tables and keys.

Keep out: ids that callers give (ids.py), figures (figures/).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entity:
    """A resource with figures: its table, its key in daily rows, and the rows that its figures include."""

    kind: str
    table: str
    key: str
    with_bots: bool
    with_sandboxes: bool
    # The rows that a total leaves out; None where rows contain each other (teams), so that no total exists.
    outside_totals: str | None


ORGANIZATIONS = Entity("organization", "organizations", "organization_id", False, False, None)
REPOSITORIES = Entity("repository", "repositories", "repository_id", False, True, "is_sandbox")
DEVELOPERS = Entity("developer", "developers", "developer_id", True, False, "is_bot")
TEAMS = Entity("team", "teams", "team_id", False, False, None)
