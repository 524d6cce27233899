"""Files that a web framework collected are known by the list of it that names them."""

from __future__ import annotations

import json

import pytest

from ingest.git.machine_text.collected_files import MOST_BYTES
from tests.git_repository import GitRepository
from tests.ingest.git.changes.test_change_reader import read
from tests.ingest.git.machine_text.test_compiled_output import CSS, JAVASCRIPT


def test_files_in_djangos_list_of_collected_files_are_generated(repository: GitRepository) -> None:
    collected: dict[str, str | bytes] = {
        "static/staticfiles.json": json.dumps(
            {"paths": {"shop/cart.js": "shop/cart.0123456789ab.js", "admin/base.css": "admin/base.css"}}
        ),
        "static/shop/cart.js": JAVASCRIPT,
        "static/admin/base.css": CSS,
    }
    own: dict[str, str | bytes] = {
        "shop/static/shop/cart.js": JAVASCRIPT,
        "static_src/menu.css": CSS,
        "statics.css": CSS,
        "static/shop/own.js": JAVASCRIPT,
        "static/static/shop/cart.js": JAVASCRIPT,
    }
    first = repository.commit(collected | own)
    later = repository.commit({"static/shop/cart.js": JAVASCRIPT + b"// sent\n"})
    served = repository.commit({"static/staticfiles.json": None, "static/admin/base.css": CSS + b"a {}\n"})
    found = {c.path: (c.is_generated, c.machine_evidence) for c in read(repository, first).own}
    said = (True, "collected with the files in static/staticfiles.json")
    assert [found[path] for path in ("static/shop/cart.js", "static/admin/base.css")] == [said, said]
    assert {found[path] for path in own} == {(False, None)}
    assert [c.is_generated for c in read(repository, later).own] == [True]
    assert [c.is_generated for c in read(repository, served).own if c.status == "M"] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no list",
        "[" * 100_000,
        '["cart.js"]',
        '{"cart.js": "cart.js"}',
        '{"paths": ["cart.js"]}',
        '{"paths": {"a.js": 1, "b.js": null, "c.js": ["cart.js"]}}',
        json.dumps({"paths": {"cart.js": "cart.js"}, "more": "x" * MOST_BYTES}),
    ],
)
def test_an_odd_file_with_the_name_of_djangos_list_collects_nothing(
    repository: GitRepository, text: str
) -> None:
    sha = repository.commit({"public/staticfiles.json": text, "public/cart.js": JAVASCRIPT})
    assert {c.path: c.is_generated for c in read(repository, sha).own}["public/cart.js"] is False
