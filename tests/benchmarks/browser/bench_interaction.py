"""How long somebody in Chromium waits for the next paint after a click or a key, and how far pages shift.

    python -m tests.benchmarks.browser.bench_interaction [--commits 1000000] [--rounds 3] [--keep FOLDER]

`--keep` stores the organization for the next run; it is that of bench_lists.py. Prints figure, bar and verdict, one
line each. Exits with 1 if a bar is missed. Chromium itself measures, as https://web.dev/articles/inp and
https://web.dev/articles/cls say: the longest event of each interaction, and shifts that follow no interaction. Server
and browser share the machine's cores.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from api.web.navigation import NAVIGATION
from api.web.sessions.cookies import NAME
from tests.api.web.chromium.conftest import FLAGS
from tests.benchmarks.latency.bench_lists import COMMITS, prepare
from tests.benchmarks.latency.list_organization import owner, populate
from tests.benchmarks.latency.served import Figure, server

HOME = "/organizations/local"
WIDTHS = (360, 1440)
MAX_INTERACTION_MS, MAX_SHIFT = 200, 0.05
TIMEOUT_MS = 60_000
# Entries below 16 ms are not offered; an interaction without an entry took less.
OBSERVED = """
window.shift = 0; window.waits = {};
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (entry.interactionId)
    window.waits[entry.interactionId] = Math.max(window.waits[entry.interactionId] || 0, entry.duration);
})).observe({type: 'event', durationThreshold: 16, buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) window.shift += entry.value;
})).observe({type: 'layout-shift', buffered: true});
"""


@dataclass(slots=True)
class Measured:
    """Milliseconds of each interaction, and the shift of each page."""

    waits: list[float] = field(default_factory=list)
    interactions: int = 0
    shifts: dict[str, float] = field(default_factory=dict)

    @property
    def p95(self) -> float:
        """Milliseconds at the 95th percentile of all interactions; quick ones count as 16."""
        every = sorted([*self.waits, *[16.0] * (self.interactions - len(self.waits))])
        return every[min(len(every) - 1, int(0.95 * len(every)))]


def measure(folder: Path, commits: int, rounds: int) -> Iterator[Figure]:
    """Measure every figure, in order."""
    prepare(folder, commits)
    for leftover in folder.glob("control.db*"):
        leftover.unlink()
    store = populate(folder)
    session = owner(store)
    measured = Measured()
    with (
        server(folder, keeps_answers=True) as served,
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=_chromium(), args=FLAGS) as browser,
    ):
        root = f"http://127.0.0.1:{served.port}"
        # The first round opens the build and draws every chart once.
        _walk(browser, root, session, WIDTHS[-1], Measured())
        for _ in range(rounds):
            for width in WIDTHS:
                _walk(browser, root, session, width, measured)
    store.close()
    worst = max(measured.shifts, key=lambda page: measured.shifts[page])
    print(
        f"  {measured.interactions} interactions, {len(measured.waits)} of them with an entry, "
        f"worst {max(measured.waits):.0f} ms; {worst} shifts most; load {os.getloadavg()[0]:.1f}"
    )
    yield Figure("interaction to next paint, p95", measured.p95, MAX_INTERACTION_MS, "ms")
    yield Figure("layout shift of a page, hundredths", 100 * measured.shifts[worst], 100 * MAX_SHIFT, "")


def _walk(browser: Browser, root: str, session: str, width: int, measured: Measured) -> None:
    """Open every page, and on each click, type and move the focus as a reader does."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(TIMEOUT_MS)
    context.add_cookies([{"name": NAME, "value": session, "url": root}])
    context.add_init_script(OBSERVED)
    page = context.new_page()
    for name in (name for item in NAVIGATION for name, _ in item.pages):
        page.goto(f"{root}{HOME}/{name}", wait_until="load")
        measured.interactions += _interact(page)
        # Two frames later the last event has its entry.
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
        measured.waits += page.evaluate("Object.values(window.waits)")
        shift = float(page.evaluate("window.shift"))
        measured.shifts[name] = max(measured.shifts.get(name, 0.0), shift)
    context.close()


def _interact(page: Page) -> int:
    """What a reader does on a page. Returns the number of interactions."""
    done = 0
    for _ in range(2):
        page.keyboard.press("Tab")
        done += 1
    dialogs = page.locator("#content [popovertarget]").locator("visible=true")
    if dialogs.count():
        dialogs.first.click()
        page.keyboard.press("Escape")
        done += 2
    search = page.get_by_role("searchbox")
    if search.count():
        search.first.click()
        search.first.press_sequentially("re")
        done += 3
    # Replaces the page in place; the observers go on.
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Repositories").click()
    page.wait_for_url("**/repositories")
    page.wait_for_load_state("load")
    return done + 1


def _chromium() -> str:
    """Debian's Chromium. Raises SystemExit where it is not installed."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        sys.exit("Error: Chromium is not installed; `apt-get install chromium` brings it")
    return found


def main() -> int:
    """Run everything. Returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="folder in which the organization stays for the next run")
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        for figure in measure(options.keep or Path(temporary), options.commits, options.rounds):
            print(figure, flush=True)
            missed |= not figure.holds
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
