"""What a browser loads for its first page: the page with its charts, the style and the scripts, as they are sent.

Keep out: the time of pages (bench_pages.py).
"""

import gzip
import re
import urllib.request
from dataclasses import dataclass

LOADED = re.compile(r'(?:src|href)="([^"]*/assets/[^"]+)"')
# What the script of the service loads where a page has a chart to point at.
PLOTTED = re.compile(r'<meta name="plots" content="([^"]*)" data-root="([^"]*)">')


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of a page and of each file that it loads, as a server sends them to a browser that takes gzip."""

    by_path: dict[str, int]

    @property
    def kilobytes(self) -> float:
        """The sum in units of 1,000 bytes."""
        return sum(self.by_path.values()) / 1000

    @property
    def parts(self) -> list[str]:
        """A line for each file."""
        return [f"{path}: {size / 1000:.1f} kB" for path, size in self.by_path.items()]


def bytes_of(port: int, path: str, header: str) -> Weight:
    """The weight of a page as a server on this machine answers it. `header` has lines such as `Cookie: …`."""
    header = f"{header}\r\nAccept-Encoding: gzip\r\nSec-Fetch-Site: same-origin"
    page = _read(port, path, header)
    text = gzip.decompress(page).decode()
    files = sorted(set(LOADED.findall(text)))
    if "data-plots" in text and (plots := PLOTTED.search(text)):
        files += [plots[2] + address for address in plots[1].split()]
    return Weight(
        {
            name: len(content)
            for name, content in [(path, page), *((file, _read(port, file, header)) for file in files)]
        }
    )


def _read(port: int, path: str, header: str) -> bytes:
    headers = dict(line.split(": ", 1) for line in header.split("\r\n"))
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        content: bytes = answer.read()
    return content
