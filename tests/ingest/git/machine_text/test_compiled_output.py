"""Pairs of a source and what a compiler wrote from it, and pairs that people wrote."""

from pathlib import Path

import pytest

from ingest.git.machine_text.compiled_output import (
    imports_of,
    is_compiled,
    is_compiled_with_imports,
    only_imports,
    sources_of,
)
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

TYPESCRIPT = b"""import { Ledger } from './ledger';
export class Balance {
    private readonly entries: Map<string, number> = new Map();
    constructor(private readonly ledger: Ledger, public readonly currency: string) {}
    public total(account: string): number {
        const booked = this.entries.get(account) ?? 0;
        return this.ledger.converted(booked, this.currency);
    }
}
"""
JAVASCRIPT = b"""import { Ledger } from './ledger';
export class Balance {
    constructor(ledger, currency) {
        this.ledger = ledger;
        this.currency = currency;
        this.entries = new Map();
    }
    total(account) {
        const booked = this.entries.get(account) ?? 0;
        return this.ledger.converted(booked, this.currency);
    }
}
"""
STYLES = b"""$accent: #456;
.invoice { border: 1px solid $accent; &__total { font-weight: bold; }
  .position { display: flex; justify-content: center; padding: 2px; } }
"""
CSS = b""".invoice { border: 1px solid #456; }
.invoice__total { font-weight: bold; }
.invoice .position { display: flex; justify-content: center; padding: 2px; }
"""
LAUNCHER = b"""#!/usr/bin/env node
require('ts-node').register({ transpileOnly: true });
require('./start.ts');
process.exitCode = Number(process.env.FALLBACK_CODE) || undefined;
"""
OTHER_CSS = b""".other { position: absolute } .menu { margin: auto; overflow: hidden; cursor: pointer }
.footer { color: black; width: 100%; height: 20px; z-index: 20; float: left }
"""


def candidates(path: str) -> set[str]:
    return {f"{folder}/{name}".lstrip("/") for folder, names in sources_of(path) for name in names}


@pytest.mark.parametrize(
    ("output", "source"),
    [
        ("src/app.js", "src/app.ts"),
        ("lib/core/app.js", "src/core/app.ts"),
        ("packages/a/lib/app.js", "packages/a/src/app.ts"),
        ("build/app.d.ts", "app.ts"),
        ("public/css/site.css", "public/scss/site.scss"),
        ("js/app.js", "coffee/app.coffee"),
        ("themes/dark.rtl.css", "themes/dark.css"),
        ("ext/fast.c", "ext/fast.pyx"),
        ("parse.tab.h", "parse.y"),
        ("man/tool.1", "man/tool.1.md"),
        ("gui/ui_main.py", "gui/main.ui"),
        ("lua/plugin/init.lua", "fnl/plugin/init.fnl"),
    ],
)
def test_the_source_of_an_output_is_looked_for_where_it_lies(output: str, source: str) -> None:
    assert source in candidates(output)


@pytest.mark.parametrize(
    "path", ["src/app.ts", "app.py", "src/app.rs", "a/b.go", ".js", "src/.css", "README.md", "x"]
)
def test_what_no_compiler_writes_has_no_source(path: str) -> None:
    assert all(not source.endswith((".ts", ".scss")) for source in candidates(path))


@pytest.mark.parametrize(
    ("path", "output", "source"),
    [
        ("a.js", JAVASCRIPT, TYPESCRIPT),
        ("a.css", CSS, STYLES),
        ("a.rtl.css", CSS.replace(b"left", b"right"), CSS),
        ("a.d.ts", b"export declare class Balance {}\n", TYPESCRIPT),
        ("a.c", b"static PyObject *unrelated_name;\n" * 50 + TYPESCRIPT, TYPESCRIPT),
    ],
)  # fmt: skip
def test_an_output_has_the_words_of_its_source(path: str, output: bytes, source: bytes) -> None:
    assert is_compiled(path, output, source)


@pytest.mark.parametrize(
    ("path", "output", "source"),
    [
        # A script that starts the program, beside the program.
        ("a.js", LAUNCHER, TYPESCRIPT),
        # A library in C, and its binding.
        ("a.c", b"int checksum(const char *text) { return text[0]; }\n" * 40, TYPESCRIPT),
        ("a.css", OTHER_CSS, STYLES),
        ("a.js", b"", TYPESCRIPT),
        ("a.js", JAVASCRIPT, b""),
    ],
)  # fmt: skip
def test_files_of_one_name_with_other_words_are_two_works(path: str, output: bytes, source: bytes) -> None:
    assert not is_compiled(path, output, source)


PARTS = b"""@import "shop/colors";
@import (reference) 'grid.less', "../base";
@import url("https://fonts.example.org/css");
"""


def test_a_source_imports_files_beside_it_and_partials() -> None:
    assert imports_of("css/less/shop.less", PARTS) == [
        ("css/less/shop", ("colors.less", "_colors.less")),
        ("css/less", ("grid.less",)),
        ("css", ("base.less", "_base.less")),
    ]
    assert not imports_of("css/less/shop.css", PARTS)


def test_a_style_sheet_has_the_words_of_its_source_and_its_imports() -> None:
    assert not is_compiled("static/shop.css", CSS + OTHER_CSS * 3, PARTS)
    assert is_compiled_with_imports(CSS + OTHER_CSS, [PARTS, STYLES, OTHER_CSS])
    assert not is_compiled_with_imports(CSS + OTHER_CSS, [PARTS, STYLES])


@pytest.mark.parametrize(("parts", "is_generated"), [(OTHER_CSS, True), (b".own { top: 0 }", False)])
def test_a_style_sheet_in_another_folder_is_compiled_from_imports(
    parts: bytes, is_generated: bool, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit(
        {
            "theme/less/shop.less": '@import "parts";\n',
            "theme/less/parts.less": parts.decode(),
            "theme/static/shop.css": OTHER_CSS.decode(),
        }
    )
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    found = {
        row["path"]: row["machine_evidence"] for row in extraction.rows("file_changes") if row["is_generated"]
    }
    assert found == ({"theme/static/shop.css": "compiled from theme/less/shop.less"} if is_generated else {})


@pytest.mark.parametrize(
    ("source", "is_list"),
    [
        (b'@import "shop/base";\n// Pages\n@import "./shop/carts.less"', True),
        (b"/* The shop */\n@import 'shop/base';\n", True),
        # Rules of its own, files of other folders and of packages, and no import
        (b'@import "shop/base";\n.cart { top: 0 }\n', False),
        (b'@import "base";\n', False),
        (b'@import "../grid/less/grid";\n', False),
        (b'@import "~grid/less/grid";\n', False),
        (b'@import "node_modules/grid/grid";\n', False),
        (b'@import "shop/base";\n@import url("https://fonts.example.org/css");\n', False),
        (b"// @import 'shop/base';\n", False),
        (b'@import "shop/base";\n' * 300, False),
    ],
)
def test_a_source_may_only_list_own_files_of_folders_below_it(source: bytes, is_list: bool) -> None:
    assert only_imports(source) is is_list


@pytest.mark.parametrize(
    ("parts", "is_generated"),
    [
        # People forgot the folder; they wrote other parts; they keep the style sheet beside one of a package
        ({"theme/less/shop.less": '@import "shop/parts";\n'}, True),
        ({"theme/less/shop.less": '@import "shop/parts";\n', "theme/less/shop/parts.less": ".own { top: 0 }"}, False),
        ({"theme/less/shop.less": '@import "../grid/grid";\n'}, False),
        ({"theme/less/other.less": '@import "shop/parts";\n'}, False),
    ],
)  # fmt: skip
def test_a_style_sheet_is_compiled_from_imports_that_the_tree_does_not_have(
    parts: dict[str, str], is_generated: bool, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({**parts, "theme/css/shop.css": OTHER_CSS.decode()})
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    found = [row["path"] for row in extraction.rows("file_changes") if row["is_generated"]]
    assert found == (["theme/css/shop.css"] if is_generated else [])
