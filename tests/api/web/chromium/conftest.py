"""A real browser at the dashboard of the published organization."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.node_packages import installed

HERE = Path(__file__).parent
# Without these flags the browser asks hosts of its maker, and a root user's sandbox does not start.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
DAYS = "startDate=2025-01-01&endDate=2026-12-31"


@dataclass
class Visit:
    """A tab of somebody, with what it complained of and which other hosts it asked."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self._hear(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._look)

    def open(self, path: str) -> int:
        """Open a path of the service and wait for its load event: no page reads more after it. Returns the status."""
        answer = self.page.goto(f"{self.address}{path}", wait_until="load")
        assert answer is not None
        return answer.status

    def _hear(self, kind: str, text: str) -> None:
        # The status of a refused page is no fault of the page.
        if kind in ("error", "warning") and "Failed to load resource" not in text:
            self.complaints.append(text)

    def _look(self, request: Request) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.strangers.append(request.url)


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    installed(HERE)
    return (HERE / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium. Skips where it is not installed.

    It ends with the module: its driver keeps an event loop in this thread, in which other tests could run none.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not installed; `apt-get install chromium` lets the pages be tried in it")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, published: Deployment, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens a tab for a new member with a role, for who has the session of a tab `like` it, or for a visitor."""
    opened = []

    def made(
        role: str = "",
        width: int = 1440,
        scheme: str = "light",
        *,
        scripts: bool = True,
        is_phone: bool = False,
        like: Visit | None = None,
    ) -> Visit:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
            bypass_csp=False,
            is_mobile=is_phone,
            has_touch=is_phone,
        )
        opened.append(context)
        # The first chart of a process waits for the drawing program, seconds on a busy machine.
        context.set_default_timeout(90_000)
        if role:
            session = sign_in(published.store, join(published.store, ORGANIZATION, role))
            context.add_cookies([{"name": NAME, "value": session, "url": address}])
        if like is not None:
            for cookie in like.page.context.cookies():
                context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": address}])
        return Visit(context.new_page(), address)

    yield made
    for context in opened:
        context.close()
