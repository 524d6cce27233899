"""Categories of connections, as every layer iterates over them."""

import pytest

from api.control.models.connections import MODEL_ENDPOINTS
from ingest.providers.registry import PROVIDERS
from ingest.schemas import CATEGORIES, SYNCED, TABLES
from ingest.schemas.category import CONNECTION, VERSION, Category


@pytest.mark.parametrize("name", ["noun", "name", "title", "job"])
def test_no_two_categories_share_a_name(name: str) -> None:
    names = [getattr(one, name) for one in CATEGORIES]
    assert len(set(names)) == len(names)


def test_only_model_endpoints_are_never_read() -> None:
    """The control database cannot ask `ingest` for it."""
    assert {one.noun for one in CATEGORIES} - SYNCED.keys() == {MODEL_ENDPOINTS}
    assert not [noun for noun, _ in TABLES if noun == MODEL_ENDPOINTS]


@pytest.mark.parametrize("category", SYNCED.values(), ids=lambda one: one.noun)
def test_the_lake_knows_every_table_of_a_category(category: Category) -> None:
    tables = {table: schema for (noun, table), schema in TABLES.items() if noun == category.noun}
    assert tables == category.tables
    assert tables.keys() == category.descriptions.keys() == {*category.versions, "deletions"}
    for table in category.versions:
        assert [*tables[table]][:3] == CONNECTION
        assert tables[table].field(-1) == VERSION
        assert tables[table].field("provider_id").nullable is False


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda one: one.noun)
def test_a_category_has_providers_and_the_parts_that_it_says(category: Category) -> None:
    providers = [one for one in PROVIDERS if one.category is category]
    assert providers
    # People edit levels only where a provider has some (api/control/connections/levels.py).
    assert {bool(one.levels) for one in providers} == {category.has_levels}
    assert not category.lists_repositories or "repositories" in category.versions
    assert not category.has_levels or "items" in category.versions


def test_every_provider_has_a_category_that_is_listed() -> None:
    assert {one.category for one in PROVIDERS} <= set(CATEGORIES)
