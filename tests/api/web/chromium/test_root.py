"""A root login that a browser keeps: from the form of the credential to the figures of an organization."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from api.settings import ApiSettings
from tests.api.conftest import Deployment
from tests.api.operator.signing import root_credential
from tests.api.roots import administrator_key
from tests.api.web.chromium.conftest import Visit
from tests.api.web.conftest import HOME

Visits = Callable[..., Visit]


def test_root_opens_the_dashboard_and_enters_an_organization(visit: Visits, published: Deployment) -> None:
    with administrator_key():
        seen = visit()
        credential = root_credential(published.store.now(), aud=ApiSettings().app_url)
        # As the file of `eas root-login` has it, which is of no origin.
        seen.page.set_content(
            f'<form method="post" action="{seen.address}/impersonate">'
            f'<input type="hidden" name="credential" value="{credential}"><button>Sign in</button></form>'
        )
        seen.page.get_by_role("button").click()
        expect(seen.page.locator("h1")).to_have_text("Signed in as root")
        seen.page.get_by_role("button", name="Open the dashboard as root").click()
        expect(seen.page).to_have_url(f"{seen.address}/root")
        seen.open(f"{HOME}/overview")
        expect(seen.page.get_by_role("alert")).to_contain_text("has not entered")
        seen.page.get_by_role("button", name="Enter Acme").click()
        expect(seen.page).to_have_url(re.compile(f"{HOME}/overview$"))
        expect(seen.page.locator(".cards")).to_be_visible()
        assert (seen.complaints, seen.strangers) == ([], [])
