"""The five categories of work in the grouping of an organization."""

from collections.abc import Collection

from api.control.categories import CATEGORIES
from api.snapshot.build import Build

# Growth is new features; all other work maintains the product.
GROUPINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "FIVE": {category: (category,) for category in CATEGORIES},
    "THREE": {
        "growth": ("features",),
        "maintenance": ("maintenance", "tests", "documentation"),
        "fixes": ("fixes",),
    },
    "TWO": {
        "growth": ("features",),
        "keep_the_lights_on": ("maintenance", "tests", "documentation", "fixes"),
    },
}


def own_grouping(build: Build) -> str:
    """The grouping that the organization of the build has set."""

    def find(build: Build) -> str:
        return str(build.value("select upper(work_category_grouping) from organizations"))

    return build.remembered("work-category grouping", find)


def groups(grouping: str, wanted: Collection[str]) -> list[tuple[str, str]]:
    """Key and name of each group that has one of the wanted categories; of every group where none is named."""
    return [
        (key.upper(), key.replace("_", " ").capitalize())
        for key, categories in GROUPINGS[grouping].items()
        if not wanted or not set(wanted).isdisjoint(categories)
    ]


def group_sql(grouping: str) -> str:
    """SQL of the key of the group in which a row's category is."""
    cases = (
        f"when '{category}' then '{key.upper()}'"
        for key, categories in GROUPINGS[grouping].items()
        for category in categories
    )
    return f"case category {' '.join(cases)} end"
