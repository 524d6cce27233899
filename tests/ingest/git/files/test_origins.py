"""Sentences of the first comment that say from where a file was taken."""

import pytest

from ingest.git.files.copyrights import Copyright, copyrights

ORIGINS = [
    ("R/zap.R", "# Latest version: https://github.com/r-lib/base/blob/main/R/zap.R\n#\n# Changes:\n# * Added zap().\n"),
    ("R/compat-lists.R", "# nocov start\n# Latest version: https://github.com/r-lib/base/blob/main/R/compat-lists.R"),
    ("run.sh", "#!/bin/sh\n# Copied from https://github.com/r-lib/base/blob/master/run.sh"),
    ("a.c", "// This file was taken from https://gitlab.com/r-lib/base."),
    ("a.c", "/*\n * Tables of names.\n *\n * This file is copied from https://github.com/r-lib/base.git\n */"),
    ("a/tables.py", '"""Copied from https://github.com/r-lib/base/blob/main/b/tables.py."""\nx = 1\n'),
    ("x.css", "/* Taken from <https://raw.githubusercontent.com/r-lib/base/main/x.css> */\na {}"),
    ("x.vim", "\" Copied from https://github.com/r-lib/base/blob/main/x.vim"),
    ("a/cors.ts", "// Taken from: https://github.com/r-lib/base/blob/main/lib/cors.ts"),
    ("ok.rb", "# This module was imported from https://github.com/r-lib/base/blob/main/lib/other.rb"),
    ("a.c", "/*\n * This source code was copied from https://github.com/r-lib/base/commit/0345aba082\n */"),
    ("imgur.sh", "#!/bin/sh\n#\n# https://github.com/r-lib/base\n# http://a.example\n# Slightly modified for `shop`\n"),
    ("x.js", "/* This is a slightly modified version of https://github.com/r-lib/base */"),
    ("x.js", "// Slightly modified copy of the grid\n// Source: https://github.com/r-lib/base/tree/main"),
    ("x.js", "// Slightly modified version of grid from https://github.com/r-lib/base"),
    ("x.js", "// Slightly modified from https://github.com/r-lib/base/blob/main/grid.js"),
    ("x.js", "// Slightly modified for the shop\n// Original source: https://github.com/r-lib/base/blob/main/x.js"),
    ("x.js", "// https://github.com/a/b/pull/3\n// From https://github.com/r-lib/base\n// Slightly modified for it"),
    ("x.js", "// File imported from https://github.com/r-lib/base"),
    ("a/dates.py", '"""\nFrom Base V1: https://github.com/r-lib/base/blob/3f2a/b/dates.py\n"""\nimport re\n'),
    ("a/dates.py", "# From the Base: https://github.com/r-lib/base/blob/main/dates.py\n"),
    ("render.go", "// forked from https://github.com/r-lib/base/blob/master/render.go\npackage a\n"),
    ("keys.go", "// Licensed under CC0-1.0 by https://github.com/r-lib/base\npackage keys\n"),
]  # fmt: skip
MOSTLY_COPIED = """\
//! **Parallel** sort
//!
//! This code is mostly copied from the `core::slice::sort` module, with minimal changes
//! to support stable Rust.
//!
//! It needs no memory, unlike our other one.
//!
//! In addition it also contains the core logic of `slice::sort`.

use core::cmp;
"""
LIBRARY_ORIGINS = [
    ("a.rs", "//! Parallel sort\n//!\n//! This implementation is mostly copied from `core::slice`.", "rust-lang/rust"),
    ("sort.rs", MOSTLY_COPIED, "rust-lang/rust"),
    ("a.rs", "// This file is copied from `std::collections`.\n// See its tests.\n", "rust-lang/rust"),
    ("a.rs", "// This file is copied from `alloc::vec`\n", "rust-lang/rust"),
    ("a.go", "// This code was copied verbatim from Go's standard library.\npackage a", "golang/go"),
    ("a.py", '"""This module is copied from the Python standard library, for old versions."""', "python/cpython"),
    ("a.c", "/*\n * This file is borrowed from glibc.\n */", "gnu/glibc"),
]  # fmt: skip
HACKED = "// A copy of base/lib/utils/read-rows.js\n// that is hacked to keep nothing :)\n\n// Walk through the rows.\n"
PACKAGE_ORIGINS = [
    ("a/read-rows.js", HACKED),
    ("a/read-rows.js", "// This is a copy of base/src/read-rows.js.\n"),
    ("a/read-rows.js", "/*\n * An exact copy of base/dist/read-rows.js\n */\n"),
]
OWN_FILES = [
    # A copy of an own file or of something else, a copy that was worked on, and a project that only gave the idea
    ("read-rows.js", "// A copy of server/lib/read-rows.js\n"),
    ("read-rows.js", "// A copy of base/rows/read-rows.js\n"),
    ("read-rows.js", "// A copy of base/lib/rows.js\n"),
    ("read-rows.js", "// A copy of base/lib/read-rows.js in our own words\n"),
    (
        "read-rows.js",
        "// A copy of base/lib/read-rows.js\n// that is hacked and then rewritten for orders.\n",
    ),
    ("read-rows.js", "// Makes a copy of base/lib/read-rows.js\n"),
    ("read-rows.js", "// Inspired by base/lib/read-rows.js\n"),
    ("dates.py", "# Inspired by Base: https://github.com/mara/tools/blob/main/dates.py\n"),
    ("dates.py", "# Based on the idea of Base: https://github.com/mara/tools/blob/main/dates.py\n"),
    ("dates.py", "# From Base V1: https://github.com/mara/tools/blob/main/times.py\n"),
    ("dates.py", "# From Base V1: https://github.com/mara/tools\n"),
    (
        "dates.py",
        "# From Base V1: https://github.com/mara/tools/blob/main/dates.py\n# Rewritten for orders.\n",
    ),
    ("dates.py", "# Names come from Base: https://github.com/mara/tools/blob/main/dates.py\n"),
    ("dates.py", "# From version 2 on: https://github.com/mara/tools/blob/main/dates.py\n"),
    ("render.go", "// forked from https://github.com/mara/tools/blob/main/page.go\n"),
    ("render.go", "// Our project was forked from https://github.com/mara/tools/blob/main/render.go\n"),
    # Of a standard library: a part, an idea, or what somebody worked on
    ("a.rs", "//! The names are copied from `std::fmt`.\n"),
    ("a.rs", "//! This module is inspired by the Rust standard library.\n"),
    ("a.rs", "//! This module is copied from `std::fmt` but rewritten for speed.\n"),
    ("a.rs", "//! This module was copied from `std::fmt`\n//! and has since changed much.\n"),
    ("a.rs", "use std::fmt;\n//! This module is copied from `std::fmt`.\n"),
    ("a.py", "# This module is copied from our library.\n"),
    ("a.py", "# This code is copied from the standard library documentation.\n"),
    ("a.go", "// This file is copied from Go's examples.\n"),
    # Of a namespace or a crate with an own name, and a port
    ("timers.cpp", "// This class was lifted from core::Scheduler, which had grown too large.\n"),
    ("timers.cpp", "// This class was lifted from core::str.\n"),
    ("a.rs", "//! This module was lifted from `core::scheduler`.\n"),
    ("a.rs", "//! This module was lifted from `core::iterators`.\n"),
    ("a.rs", "//! This module was lifted from `alloc::arena`.\n"),
    ("a.ts", "// This module is copied from the Python standard library.\n"),
    ("a.rs", "// This code is copied from Go's standard library.\n"),
    # Of which somebody says what changed
    (
        "a.rs",
        "//! This module is copied from `std::collections`, modified to keep an order and to use our pool.\n",
    ),
    ("a.rs", "//! This module is copied from `std::fmt`.\n//! It was modified to keep an order.\n"),
    ("a.rs", "//! This module is copied from `std::fmt`.\n//!\n//! # Names\n//!\n//! Sorting was added.\n"),
    ("a.rs", "//! This module is copied from `std::fmt`, with minor changes and a rewritten parser.\n"),
    ("a.rs", "//! This module is copied from `std::fmt` with large changes.\n"),
    ("a.rs", "//! This module is copied from `std::fmt`, for a faster shop.\n"),
    ("a.rs", "//! Optimized for the shop.\n//!\n//! This module is copied from `std::fmt`.\n"),
    ("a.py", '"""This module is copied from CPython and modified to support async."""\n'),
    ("a.py", '"""This module is copied from CPython.\n\nAdapted for the shop.\n"""\n'),
    ("a.c", "/* This file is copied from musl. */\n/* Ported to the shop's own threads. */\n"),
    ("a.c", "// This file is copied from musl.\n\n// Simplified for the shop.\n"),
    ("a.py", "# This module is copied from CPython.\n" + "# It reads names.\n" * 20 + "# We tuned it.\n"),
    ("a.c", "// This file was taken from https://gitlab.com/r-lib/base.\n// Modified to read orders.\n"),
    ("a.c", "/* Copied from https://github.com/r-lib/base/blob/main/a.c\n *\n * Adapted to orders.\n */\n"),
    # Of what only has the name of a library
    ("a.py", "# This code is taken from Python standard library style tests that somebody wrote.\n"),
    ("A.java", "// This class is copied from Java standard library conventions: names and order.\n"),
    ("a.py", "# This module is copied from CPython's conventions.\n"),
    ("a.c", "// This code is taken from glibc bug reports.\n"),
    # One function, below code or in it
    (
        "utils.py",
        "import os\n\n\n# Copied from https://github.com/django/django/blob/main/utils.py\ndef slug(x): ...\n",
    ),
    ("utils.py", "def slug(x):\n    # Taken from https://github.com/mara/tools/blob/main/utils.py\n"),
    ("a.py", "class A:\n    def f(self):\n        # Taken from https://github.com/mara/tools/issues/3\n"),
    ("a.py", "    # Copied from https://github.com/mara/tools/blob/main/a.py\n"),
    (
        "a.py",
        "# Names of cities.\n\n# Copied from https://github.com/mara/tools/blob/main/a.py\ndef f(): ...\n",
    ),
    ("a.c", '#include "a.h"\n// Copied from https://github.com/mara/tools/blob/main/a.c\n'),
    ("a.py", "# Copied from https://github.com/mara/tools\ndef slug(x): ...\n"),
    ("a.py", "# Copied from https://github.com/mara/tools/blob/main/b.py\n"),
    ("a.py", "# Copied from https://github.com/mara/tools/blob/main/a.py#L10-L20\n"),
    ("a.py", "# Copied from https://github.com/mara/tools/blob/main/a.py and rewritten\n"),
    ("a.py", "# Copied from https://github.com/mara/tools/blob/main/a.py\n# and rewritten.\n"),
    # Of another kind, of which somebody says more than a little, or of which the address is another's
    ("a.ts", "// This module was taken from https://github.com/mara/tools/blob/main/a.py\n"),
    ("a.py", "# This module was taken from https://github.com/mara/tools/wiki/Names\n"),
    ("a.py", "# This module was taken from https://github.com/mara/tools/pull/3\n"),
    (
        "a.py",
        "# Slightly modified for the shop, and rewritten to read orders.\n# See https://github.com/mara/tools\n",
    ),
    ("a.py", "# Slightly modified for the shop.\n"),
    ("a.css", "/* The colours are slightly modified from https://github.com/mara/tools */\n"),
    ("a.py", "# The names are imported from https://github.com/mara/tools/blob/main/a.py\n"),
    ("a.py", "# Slightly modified for the shop.\nimport os\n# https://github.com/mara/tools\n"),
    # Slightly modified is something of one's own, and the address is that of a library, a problem or a document
    (
        "a.py",
        '"""A slightly modified version of our login.\n\nDocumentation: https://github.com/mara/tools\n"""\n',
    ),
    ("a.py", '"""A slightly modified version of our login.\n\nhttps://github.com/mara/tools\n"""\n'),
    (
        "a.py",
        '"""Client.\n\nSlightly modified version of the policy.\n\nSee https://github.com/mara/tools\n"""\n',
    ),
    ("a.js", "/*\n * Slightly modified for Safari, see\n * https://github.com/mara/tools/issues/1234\n */"),
    ("a.js", "// Slightly modified for Windows, because of\n// https://github.com/mara/tools/pull/1234"),
    ("a.js", "// Slightly modified for Windows.\n// https://github.com/mara/tools/wiki/Windows"),
    ("a.js", "// Slightly modified for https://github.com/mara/tools"),
    ("a.js", "// Slightly modified version of the names\n// Uses https://github.com/mara/tools"),
    # A library that the file uses
    ("a.js", "// Plugin imported from https://github.com/mara/tools\nimport tools from 'tools';"),
    ("a.js", "// Component imported from https://github.com/mara/tools\nimport tools from 'tools';"),
    ("a.js", "// Script imported from https://github.com/mara/tools"),
    ("a.js", "// This module is imported from https://github.com/mara/tools"),
    ("a.js", "// Theme taken from https://github.com/mara/tools"),
    # The data, a sentence that goes on, and other addresses
    ("load.py", '"""Downloaded from https://github.com/opendata/cities"""\n'),
    ("load.py", "# This file was downloaded from https://github.com/opendata/cities\n"),
    ("a.js", "// The table of names is\n// taken from https://github.com/unicode-org/cldr\n"),
    ("a.js", "// The table is in the\n// file taken from https://github.com/unicode-org/cldr\n"),
    ("a.js", "// Latest version: https://github.com/nodejs/node/releases\n"),
    ("a.js", "// This file was taken from https://github.com/mara/tools/issues/3\n"),
    ("a.js", "// Imported from https://github.com/mara/tools/blob/main/a.js\n"),
    ("README.md", "Copied from https://github.com/mara/tools/blob/main/README.md\n"),
    ("a.py", "# Adapted from https://github.com/mara/tools/blob/main/a.py"),
    ("a.py", "# See https://github.com/mara/tools/blob/main/a.py"),
    ("a.py", "x = 1\n" * 12 + "# Copied from https://github.com/mara/tools/blob/main/a.py"),
    ("a.py", "    # the default is taken from https://github.example/mara/tools"),
]


@pytest.mark.parametrize(("path", "text"), ORIGINS)
def test_the_first_comment_names_the_origin_of_the_file(path: str, text: str) -> None:
    assert copyrights(text.encode(), path) == [Copyright("r-lib/base", None, is_author=False)]


@pytest.mark.parametrize(("path", "text", "holder"), LIBRARY_ORIGINS)
def test_the_first_comment_names_the_standard_library_of_which_the_file_is_a_copy(
    path: str, text: str, holder: str
) -> None:
    assert copyrights(text.encode(), path) == [Copyright(holder, None, is_author=False)]


@pytest.mark.parametrize(("path", "text"), PACKAGE_ORIGINS)
def test_the_first_comment_names_the_package_of_which_the_file_is_a_copy(path: str, text: str) -> None:
    assert copyrights(text.encode(), path) == [Copyright("base", None, is_author=False)]


@pytest.mark.parametrize(("path", "text"), OWN_FILES)
def test_the_origin_of_something_else_is_not_that_of_the_file(path: str, text: str) -> None:
    assert copyrights(text.encode(), path) == []


KOTLIN_CLASS = """\
package shop.util

import android.text.method.LinkMovementMethod

/**
 * Kotlin adaption of [BetterLinkMovement](https://github.com/r-lib/Better-Link-Movement)
 */
class BetterLinkMovement : LinkMovementMethod()
"""
NAMESAKES = [
    ("app/BetterLinkMovement.kt", KOTLIN_CLASS),
    (
        "app/BlurTransformation.kt",
        "/*\n* Thanks to Mara for building this!\n* https://github.com/r-lib/BlurTransformation\n*/\n\nimport a\n",
    ),
    ("a/column_writer.go", "// Adapted from https://github.com/r-lib/base/blob/main/csv/column_writer.go\npackage a\n"),
    ("a/ColumnWriter.java", "// Port of https://github.com/r-lib/column-writer.\npackage a;\n"),
    (
        "a/ColumnWriter.java",
        "// Port of the writer by A. Kim. See https://github.com/r-lib/column-writer.\npackage a;\n",
    ),
]  # fmt: skip
OTHER_NAMES = [
    # A name that many files have, another name, and what somebody says of the rework
    ("app/settings.kt", KOTLIN_CLASS.replace("Better-Link-Movement", "settings")),
    ("app/LinkMovementOfShops.kt", KOTLIN_CLASS),
    ("app/BetterLinkMovement.kt", KOTLIN_CLASS.replace("adaption", "adaption, extended by drag,")),
    (
        "a/column_writer.go",
        "// Adapted from https://github.com/mara/base/blob/main/csv/columns.go\npackage a\n",
    ),
    # The address of another sentence, and the second one of a list
    *(
        ("shop/order_tracking.py", f"# {said}\n\nx = 1\n")
        for said in (
            "Adapted from the design in https://github.com/other/thing; used by https://github.com/acme/order-tracking",
            "Adapted from the design of the old shop; used by https://github.com/acme/order-tracking",
            "Adapted from the old shop. It serves https://github.com/acme/order-tracking",
            "Part of https://github.com/acme/order-tracking, adapted from the design of the old shop",
        )
    ),
    # A library that a file wraps, an issue, and a comment below code
    (
        "web/react-selection.tsx",
        "// A select in our colours, based on https://github.com/mara/react-selection\n",
    ),
    (
        "web/react-selection.tsx",
        "// Thanks to https://github.com/mara/react-selection/issues/12 it scrolls.\n",
    ),
    ("web/react-selection.tsx", "// Thanks to https://github.com/mara/react-selection it scrolls.\n"),
    (
        "web/react-selection.tsx",
        "let a = 1;\n// Thanks to https://github.com/mara/react-selection it scrolls.\n",
    ),
]


@pytest.mark.parametrize(("path", "text"), NAMESAKES)
def test_a_file_with_the_distinct_name_of_its_origin_is_that_of_others(path: str, text: str) -> None:
    assert copyrights(text.encode(), path) == [Copyright(f"r-lib/{base_of(text)}", None, is_author=False)]


def base_of(text: str) -> str:
    return (
        text.partition("https://github.com/r-lib/")[2]
        .split("/")[0]
        .split(".")[0]
        .split(")")[0]
        .split()[0]
        .lower()
    )


@pytest.mark.parametrize(("path", "text"), OTHER_NAMES)
def test_a_file_of_another_name_than_what_it_thanks_is_own(path: str, text: str) -> None:
    assert copyrights(text.encode(), path) == []
