"""Messages of the interface in the words of the pages: an operation becomes the page where a person does the same.

Add: the page of an operation. Keep out: the messages, which name operations for programs.
"""

import re

_OPERATION = re.compile(r"(?:(?:GET|POST|PUT|PATCH|DELETE) )?…/(?P<list>[A-Za-z]+)[\w/{}:]*")
_THERE = re.compile(rf": {_OPERATION.pattern}(?=\.?$|\. )")
_ENTER = " with POST /auth/switchOrganization"
PAGES = {
    "checkKinds": "Checks, Kinds",
    "checkOccurrences": "Checks",
    "companyContexts": "Settings, General",
    "connections": "Connections",
    "members": "Settings, Members",
    "plan": "Settings, Plan",
    "repositories": "Repositories, Manage",
    "settings": "Settings, General",
    "signInPolicy": "Settings, Members",
}
"""By the list of an operation: the page, as the navigation names it."""


def page_words(text: str) -> str:
    """The message with pages in the place of operations. Operations without a page stay as they are."""
    text = text.replace(_ENTER, " under Organizations")
    if "…/" not in text:
        return text
    text = _THERE.sub(lambda found: f" under {_page(found)}", text)
    return _OPERATION.sub(_page, text)


def _page(found: re.Match[str]) -> str:
    operation = found[0].partition(": ")[2] or found[0]
    return PAGES.get(found["list"], operation)
