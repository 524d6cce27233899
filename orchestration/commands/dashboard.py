"""The way into the dashboard on this machine: a link that signs in once.

Keep out: where the link is taken (api/web/sessions), what the page shows.
"""

from __future__ import annotations

import os
import sys
import webbrowser

from rich.console import Console

from api.control.accounts.local_owners import make_local_link
from api.control.errors import ControlError
from api.operator.settings import application_address, is_loopback
from orchestration.deployment import LOCAL_SLUG, Deployment


def open_locally(deployment: Deployment, address: str, console: Console) -> None:
    """Print the link, and open it where a person sits at a screen. Says why there is none.

    A service with an address of its own has people with accounts: it gives no such link.
    """
    if not is_loopback(application_address()):
        _say(console, f"Dashboard: {application_address()}")
        return
    try:
        with deployment.control() as control:
            secret = make_local_link(control, LOCAL_SLUG)
    except ControlError as error:
        _say(console, f"Dashboard: {address} ({error}; `eas analyze` makes it)")
        return
    # The part after # stays in the browser: no log and no proxy has it.
    link = f"{address}/local#{secret}"
    _say(console, f"Dashboard: {link} signs you in on this machine, once, within an hour")
    if sys.stdout.isatty() and (sys.platform == "darwin" or os.environ.get("DISPLAY")):
        webbrowser.open(link)


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
