"""Pages stay short enough to be read at once."""

from tests.docs.links import CHECKOUT, pages

MAX_BYTES = 15_000
# Written by `make docs`, `python -m tests.mutations --write` and `towncrier build`.
GENERATED = {"data-dictionary.md", "mutations.md", "CHANGELOG.md"}


def test_no_page_has_more_than_15_kilobytes() -> None:
    sizes = {page.name: page.stat().st_size for page in pages(CHECKOUT) if page.name not in GENERATED}
    assert {name: size for name, size in sizes.items() if size > MAX_BYTES} == {}
