"""What a browser without scripts finds in a page: texts of cells, links, forms, and what a policy would block."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "rect", "line", "circle", "polyline", "path"}
# Attributes of htmx that are dead without `unsafe-eval`: their code is made into a function.
DEAD = re.compile(r"(data-)?hx-(on|live|vals|vars|headers)\b|js:|javascript:")


class Page(HTMLParser):
    """A parsed page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.fields: dict[str, str] = {}
        self.blocked: list[str] = []
        self.open: list[str] = []
        self.heading = ""
        self.texts: list[str] = []
        self._cell: list[str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.blocked += [f"{tag} {name}" for name in found if name == "style" or name.startswith("on")]
        self.blocked += [f"{name}={value}" for name, value in found.items() if DEAD.match(name)]
        if "[" in found.get("hx-trigger", ""):
            self.blocked.append("a filter of hx-trigger")
        if tag in ("style", "iframe", "object") or (tag == "script" and "src" not in found):
            self.blocked.append(tag)
        if tag == "a" and found.get("rel") == "noreferrer":
            self.outside.append(found.get("href", ""))
        elif tag == "a":
            self.links.append(found.get("href", ""))
        if tag == "input":
            self.fields[found.get("name", "")] = found.get("value", "")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1:] == [tag], f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._cell is not None:
            self._cell.append(data)
        if "h1" in self.open:
            self.heading += data

    @property
    def text(self) -> str:
        """All text, with single spaces."""
        return " ".join("".join(self.texts).split())

    def row(self, head: str) -> list[str]:
        """The row whose first cell begins with `head`."""
        return next(row for row in self.rows if row and row[0].startswith(head))
