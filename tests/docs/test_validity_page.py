"""The page about validity has the figures of the version that ships."""

import re
import tomllib

from tests.docs.links import CHECKOUT


def test_the_figures_are_those_of_the_version_that_ships() -> None:
    page = (CHECKOUT / "docs" / "VALIDITY.md").read_text(encoding="utf-8")
    shipped = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    reached = page.partition("## What was reached\n")[2].partition("\n|")[0]
    assert re.findall(r"\b\d+\.\d+\.\d+\b", reached) == [shipped]
