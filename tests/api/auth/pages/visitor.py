"""Somebody without scripts at the pages of signing in: opens pages, fills forms in, presses buttons."""

from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx

from tests.api.auth.browsers import APP, Browser
from tests.api.web.pages import Page

SESSION = "__Host-eas_session"


class Form:
    """A form of a page."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.fields: dict[str, str] = {}
        self.button = ""


class Forms(HTMLParser):
    """The forms of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.within: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.within = tag
        if tag == "form":
            assert given["method"] == "post"
            self.found.append(Form(given["action"]))
        if tag == "input":
            self.found[-1].fields[given["name"]] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self.within == "button":
            self.found[-1].button += data.strip()

    def handle_endtag(self, tag: str) -> None:
        self.within = None


class Visitor:
    """A tab of a browser. `answer` is the page that it shows."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.answer: httpx.Response
        browser.http.headers["Accept"] = "text/html"

    def open(self, address: str) -> "Visitor":
        """Open an address or a path, and what it redirects to at the service."""
        path, _, secret = address.removeprefix(APP).partition("#")
        self._show(self.browser.http.get(f"{APP}{path}"))
        if secret:
            # What a person pastes; a script would send the part after the #.
            self.press("Go on", link=address)
        return self

    def press(self, button: str, **typed: str) -> "Visitor":
        """Send the form of a button."""
        form = self.form(button)
        assert typed.keys() <= form.fields.keys(), (typed.keys(), form.fields.keys())
        address = urljoin(str(self.answer.url), form.action)
        self._show(self.browser.http.post(address, data=form.fields | typed, headers={"Origin": APP}))
        return self

    def form(self, button: str) -> Form:
        """The form of a button."""
        [found] = [one for one in Forms(self.answer.text).found if one.button == button]
        return found

    @property
    def buttons(self) -> list[str]:
        """The buttons of the page."""
        return [one.button for one in Forms(self.answer.text).found]

    @property
    def page(self) -> Page:
        """The page."""
        return Page(self.answer.text)

    @property
    def text(self) -> str:
        """The text of the page."""
        return self.page.text

    @property
    def path(self) -> str:
        """The address of the page below the service."""
        return str(self.answer.url).removeprefix(APP)

    @property
    def session(self) -> str:
        """The session in the cookie; empty without one."""
        return self.browser.http.cookies.get(SESSION) or ""

    @property
    def account(self) -> str:
        """The address of the account that is signed in; empty without one."""
        if not self.session:
            return ""
        answer = self.browser.get("/auth/account", self.session)
        return str(answer.json()["email"]) if answer.status_code == 200 else ""

    def _show(self, answer: httpx.Response) -> None:
        for _ in range(5):
            if not answer.is_redirect:
                break
            answer = self.browser.http.get(urljoin(str(answer.url), answer.headers["location"]))
        self.answer = answer
        found = Page(answer.text)
        assert (found.blocked, found.open) == ([], [])
        assert "style-src 'self'" in answer.headers["content-security-policy"], answer.text
        # A session is in no page.
        assert "session_" not in answer.text
