"""The items of the navigation, and the pages of each.

What a role never opens is not offered to it; at its address the page says who can help. Keep out: the pages.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from api.control.permissions import Permission


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the sidebar; the first of its pages is where it leads.

    `pages` has names, which are the last part of an address below the organization, with labels.
    """

    label: str
    pages: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The name of the page that the item leads to."""
        return self.pages[0][0]

    def has(self, page: str) -> bool:
        """Whether a page belongs to the item."""
        return any(name == page for name, _ in self.pages)


READING = (
    Item("Overview", (("overview", "Overview"),)),
    Item(
        "People",
        (("developers", "Developers"), ("teams", "Teams"), ("benchmarks", "Benchmarks"), ("me", "You")),
    ),
    Item(
        "Repositories",
        (
            ("repositories", "Repositories"),
            ("manage", "Manage"),
            ("commits", "Commits"),
            ("sandbox", "Sandbox"),
        ),
    ),
    Item("Pull requests", (("pullRequests", "Pull requests"),)),
    Item("Objectives", (("objectives", "Objectives"),)),
    Item("Checks", (("checks", "Checks"), ("checkKinds", "Kinds"))),
    Item("AI", (("ai", "AI"),)),
    Item("CapEx", (("capex", "CapEx"),)),
    Item("Reports", (("reports", "Reports"),)),
)
RUNNING = (
    Item("Connections", (("connections", "Connections"),)),
    Item(
        "Settings",
        (
            ("general", "General"),
            ("members", "Members"),
            ("tokens", "Tokens"),
            ("calendar", "Calendar"),
            ("privacy", "Privacy"),
            ("plan", "Plan"),
            ("audit", "Audit log"),
        ),
    ),
)
"""Below a line: what keeps the service going."""
NAVIGATION = READING + RUNNING

NEEDED = {
    "manage": Permission.READ_REPOSITORY_SETTINGS,
    "sandbox": Permission.READ_REPOSITORY_SETTINGS,
    "connections": Permission.READ_CONNECTIONS,
    "general": Permission.READ_SETTINGS,
    "members": Permission.READ_MEMBERS,
    "calendar": Permission.READ_SETTINGS,
    "privacy": Permission.READ_SETTINGS,
    "plan": Permission.READ_PLAN,
    "audit": Permission.READ_AUDIT_LOG,
}
"""The permissions without which a page refuses; every member of an organization opens the other pages."""


def offered(items: Iterable[Item], may: Callable[[Permission], bool]) -> tuple[Item, ...]:
    """The items with the pages that open; an item of which none does is left out."""
    narrowed = (
        replace(item, pages=tuple(one for one in item.pages if one[0] not in NEEDED or may(NEEDED[one[0]])))
        for item in items
    )
    return tuple(item for item in narrowed if item.pages)


NOWHERE = ""
"""The page of what many pages lead to, such as a commit: no item is marked, because it would not be where one was."""


def item_of(page: str) -> Item:
    """The item that a page belongs to. Raises KeyError for a page that no item has."""
    if page == NOWHERE:
        return Item("", ())
    for item in NAVIGATION:
        if item.has(page):
            return item
    raise KeyError(page)
