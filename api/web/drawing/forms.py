"""Forms of a page: the fields that a browser sends, and the write of the interface that a button stands for.

Keep out: sessions and forged forms (sessions/cookies.py), the forms of one page (pages/).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import Request

from api.errors import InvalidArgument

TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 200
Fields = Mapping[str, str]


def nothing(_: Fields) -> dict[str, Any]:
    """The body of a write that takes none."""
    return {}


@dataclass(frozen=True, slots=True)
class Act:
    """A write of the interface behind a button.

    `path` is below the organization and names fields in braces; `body` makes the body from the fields; `done` is the
    sentence that the page shows afterwards. The answer of an act that `shows` is on the page once, such as a secret.
    The address of the page afterwards has the id in the field that `names` what the act was about.
    """

    method: str
    path: str
    done: str
    body: Callable[[Fields], dict[str, Any]] = nothing
    shows: bool = False
    names: str = ""

    def address(self, fields: Fields) -> str:
        """The path with the values of its fields. Raises InvalidArgument without one of them."""
        names = [name for _, name, _, _ in Formatter().parse(self.path) if name]
        for name in names:
            if not fields.get(name):
                raise InvalidArgument(name, "is missing in the form; open the page again")
        return self.path.format_map({name: quote(fields[name], safe="") for name in names})


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as it came back. `message` and `problems` (by field) say why the interface refused it."""

    act: str
    fields: Fields
    message: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form. Several of one name are joined by a line break, as from a list of boxes.

    Raises InvalidArgument for a body that is no form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != TYPE:
        raise InvalidArgument("body", f"must be a form ({TYPE})")
    try:
        found = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise InvalidArgument("body", "is no form") from error
    return {name: "\n".join(values) for name, values in found.items()}
