"""The command that answers an assistant."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from api.operator.settings import application_address


def mcp(
    address: Annotated[
        str,
        typer.Option(help="Address of the service that is asked. Default: EAS_APP_URL.", show_default=False),
    ] = "",
) -> None:
    """Answer an assistant over standard input and output, with the API key in EAS_API_KEY."""
    asked = address or application_address()
    # It takes the place of this process: nothing may stand between the assistant and its messages.
    os.execve(sys.executable, [sys.executable, "-m", "api.mcp", asked], dict(os.environ))
