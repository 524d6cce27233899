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
# Vertex has the day of a version after @, others after a hyphen, and OpenAI with hyphens in it.
_DAY = re.compile(r"[@-]20\d\d(?:\d{4}|-\d\d-\d\d)$")
# `max` ends names of models too, such as gpt-5.1-codex-max.
_CERTAIN_EFFORT = re.compile(r"-(?:none|minimal|low|medium|high|xhigh|thinking)$")
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


def common_name(model: str) -> str:
    """The name of a model without host, region, day of a version, window and effort."""
    name = _BEDROCK.sub("", model.strip().lower().rpartition("/")[2])
    for ending in (_BEDROCK_VERSION, _WINDOW, _CERTAIN_EFFORT, _DAY):
        name = ending.sub("", name)
    return _ordered(name) or model


def _ordered(name: str) -> str:
    found = _VERSION_FIRST.match(name)
    if found is None:
        return name
    major, minor, family, rest = found.groups()
    return f"claude-{family}-{major}{f'-{minor}' if minor else ''}{rest}"
