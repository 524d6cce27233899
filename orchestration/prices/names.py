"""Names of models as tools and vendors write them, as the names of a price table."""

from __future__ import annotations

import re
from collections.abc import Iterator

_EFFORT = re.compile(r"-(?:none|minimal|low|medium|high|xhigh|max|thinking)$")
_WINDOW = re.compile(r"\[\d+[km]\]$")
_BEDROCK = re.compile(
    r"^(?:(?:us|eu|ap|apac|jp|au|ca|sa|me|af|us-gov|global)\.)?(?:anthropic|openai|meta|mistral)\."
)
_BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+)?$")
# Cursor writes the version before the family: claude-4.5-sonnet.
_VERSION_FIRST = re.compile(r"^claude-(\d+)(?:[.-](\d+))?-(opus|sonnet|haiku|fable)\b(.*)$")


def spellings(model: str) -> Iterator[str]:
    """The name itself, then ever plainer ones: without region, vendor, version of a host, size of the window, effort.

    An effort costs more tokens, and not more for a token. A mode that changes the price, such as `-fast`, stays.
    """
    name = model.strip().lower()
    yield name
    name = _BEDROCK_VERSION.sub("", _BEDROCK.sub("", name.rpartition("/")[2]))
    yield name
    name = _WINDOW.sub("", name)
    yield name
    yield _ordered(name)
    while plainer := _EFFORT.sub("", name):
        if plainer == name:
            return
        name = plainer
        yield name
        yield _ordered(name)


def _ordered(name: str) -> str:
    found = _VERSION_FIRST.match(name)
    if found is None:
        return name
    major, minor, family, rest = found.groups()
    return f"claude-{family}-{major}{f'-{minor}' if minor else ''}{rest}"
