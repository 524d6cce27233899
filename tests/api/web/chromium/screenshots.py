"""The pictures of the dashboard in README.md: two pages over a real history, as Chromium shows them.

    python -m tests.api.web.chromium.screenshots REPOSITORY [--out docs/pictures]

analyses the repository at this path into a folder that is deleted afterwards. The history of
https://github.com/pallets/click is the one of the pictures. The pages show the twelve months until its newest commit.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from api.control.accounts.local_owners import make_local_link
from api.control.store import open_store
from api.web.drawing.periods import years_before
from orchestration.deployment import LOCAL_SLUG
from tests.api.web.chromium.conftest import FLAGS
from tests.benchmarks.latency.served import server

WIDTH, HEIGHT = 1360, 860
MAX_BYTES = 150_000


def main() -> int:
    """Write the pictures. Returns 1 if one is larger than MAX_BYTES."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path, help="a clone with its whole history")
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    large = False
    with (
        tempfile.TemporaryDirectory(prefix="pictures-") as folder,
        _opened(Path(folder), options.repository) as tab,
    ):
        for name, path in _pages(tab, options.repository):
            tab.goto(path, wait_until="networkidle")
            file = options.out / f"{name}.png"
            size = len(tab.screenshot(path=file))
            print(f"{file}: {size / 1000:.0f} kB")
            large |= size > MAX_BYTES
    return int(large)


@contextmanager
def _opened(folder: Path, repository: Path) -> Iterator[Page]:
    """A tab of the owner of this machine at the analysed repository."""
    command = [str(Path(sys.executable).with_name("eas")), "analyze", str(repository.resolve())]
    subprocess.run(command, env=os.environ | {"EAS_DATA_DIR": str(folder)}, check=True)
    store = open_store(folder)
    link = make_local_link(store, LOCAL_SLUG)
    store.close()
    with server(folder, keeps_answers=True) as served, sync_playwright() as driver:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        root = f"http://127.0.0.1:{served.port}"
        tab = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, base_url=root).new_page()
        tab.set_default_timeout(120_000)
        tab.goto(f"/local#{link}")
        tab.wait_for_url("**/overview")
        yield tab
        browser.close()


def _pages(tab: Page, repository: Path) -> Iterator[tuple[str, str]]:
    """Names of pictures with the addresses of their pages: the overview, and the commit of most value."""
    command = ["git", "-C", str(repository), "log", "-1", "--format=%cs"]
    last = date.fromisoformat(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    )
    home = tab.url.removesuffix("/overview")
    days = f"startDate={years_before(last, 1) + timedelta(days=1)}&endDate={last}"
    yield "overview", f"{home}/overview?{days}&interval=MONTH"
    tab.goto(f"{home}/commits?{days}&orderBy=etv+desc")
    yield "commit", str(tab.locator("tbody th a").first.get_attribute("href"))


if __name__ == "__main__":
    sys.exit(main())
