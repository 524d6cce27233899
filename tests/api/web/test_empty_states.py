"""Pages without anything to show say the next step in the words of the pages."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from api.presentation.page_words import page_words
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page
from tests.api.web.test_pages import PATHS


def operations(text: str) -> list[str]:
    """The words of a page that name an operation of the interface."""
    return [word for word in text.split() if "…/" in word or word in {"GET", "POST", "PUT", "PATCH"}]


def test_no_page_of_a_new_organization_names_an_operation(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    found = {}
    with serve(deployment.data_dir) as address, client_for(address) as owner:
        owner.headers["Accept"] = "text/html"
        owner.cookies.set(NAME, session)
        for path in PATHS:
            answer = owner.get(f"{HOME}/{path}")
            assert answer.status_code == 200, path
            found[path] = operations(Page(answer.text).text)
    assert not {path: words for path, words in found.items() if words}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("an owner connects it: POST …/connections.", "an owner connects it under Connections."),
        ("adds one (POST …/repositories:batchCreate)", "adds one (Repositories, Manage)"),
        ("…/connections lists the connected ones", "Connections lists the connected ones"),
        ("maps them: PUT …/connections/{connection}/levels.", "maps them under Connections."),
        ("an owner asks (POST …/plan:requestUpgrade), or waits", "an owner asks (Settings, Plan), or waits"),
        ("GET …/zeroReasons lists them", "GET …/zeroReasons lists them"),
        ("nothing to replace", "nothing to replace"),
    ],
)
def test_an_operation_becomes_the_page_that_does_the_same(message: str, shown: str) -> None:
    assert page_words(message) == shown
