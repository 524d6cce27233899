"""Reads settings from the environment, and finds those that are malformed or misspelled.

Keep out: the list of settings (variables.py), rules about several of them (settings.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from api.operator.variables import PREFIXES, PROVIDERS, SIGN_IN, VARIABLES

MAX_SHOWN = 200


class StartRefused(Exception):
    """The service does not start with these settings. The message names the variable and a remedy.

    It is a sentence without its full stop. `name` is the variable.
    """

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name


def value_of(name: str, environment: Mapping[str, str] | None = None) -> Any:
    """The value of a variable as its reader gives it; None where it is not set or empty. Raises StartRefused."""
    known = os.environ if environment is None else environment
    return value_in(name, known.get(name, ""))


def value_in(name: str, given: str) -> Any:
    """The value that a text has as the setting `name`; None for an empty one. Raises StartRefused."""
    stripped = given.strip()
    if not stripped:
        return None
    variable = VARIABLES[name]
    try:
        return variable.read(stripped)
    except ValueError as problem:
        # An address with an @ may have a password before it.
        is_shown = not variable.is_secret and "@" not in given
        shown = given if len(given) <= MAX_SHOWN else f"{given[:MAX_SHOWN]}…"
        named = f"{name}={shown!r}" if is_shown else name
        raise StartRefused(name, f"{named} {problem}") from None


def malformed(environment: Mapping[str, str] | None = None) -> Iterator[StartRefused]:
    """An error for each variable that cannot be read."""
    for name in VARIABLES:
        try:
            value_of(name, environment)
        except StartRefused as refused:
            yield refused


def misspelled(environment: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Variables with the service's prefix that it does not know, each with its sentence without the full stop."""
    known = os.environ if environment is None else environment
    for name in sorted(known):
        if name.upper().startswith(PREFIXES) and name not in VARIABLES:
            shown = name if name.isprintable() else repr(name)
            yield name, f"{shown} is no setting of the service and has no effect; {_remedy(name)}"


def _remedy(name: str) -> str:
    import difflib  # noqa: PLC0415 - every command imports this module

    upper = name.upper()
    if upper.startswith(SIGN_IN) and not upper.removeprefix(SIGN_IN).startswith(PROVIDERS):
        return (
            f"a name starts with {SIGN_IN} and one of {', '.join(PROVIDERS)}, the last for any other provider"
        )
    [nearest] = difflib.get_close_matches(upper, VARIABLES, 1, 0)
    return f"did you mean {nearest}? Otherwise unset it"
