"""Names in lines of copyright and of authors at the top of a file."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.files.copyrights import (
    MOST_HOLDERS,
    Copyright,
    copyrights,
    each_once,
    released,
    stated_versions,
)

LINES = [
    (" * Copyright (c) 2009-2012, Ada Oz <ada at acme dot com>", "ada oz", "ada@acme.com"),
    ("# Copyright 2004-2005 Elemental Security, Inc. All Rights Reserved.", "elemental security", None),
    ("# Copyright (c) 2001, 2002, 2003,\n# 2004 Python Software Foundation.", "python software foundation", None),
    ("/* Copyright (C) 1998, 1999\n   Free Software Foundation, Inc. */", "free software foundation", None),
    ("// Copyright (c) 2007-9, Atif Aziz, Joseph Albahari.", "atif aziz joseph albahari", None),
    ("// CodeMirror, copyright (c) by Marijn Haverbeke and others", "marijn haverbeke", None),
    (" * Copyright (c) Meta Platforms, Inc. and affiliates.", "meta platforms", None),
    ("//     (c) 2009-2020 Jeremy Ashkenas, DocumentCloud", "jeremy ashkenas documentcloud", None),
    ("SPDX-FileCopyrightText: 2021 Zoë Müller <zoe@müller.example>", "zoë müller", "zoe@müller.example"),
    ("    :copyright: Copyright 2007-2013 by the Sphinx team, see AUTHORS.", "sphinx team", None),
    ("// Copyright 2014 Current Analytics, Inc.", "current analytics", None),
    ("    Copyright (C) 2014 The µBlock authors", "ublock authors", None),
    ("Copyright © Daniel J. Bernstein. Released under the MIT license", "daniel j bernstein", None),
    ("  <Copyright>Copyright © James Newton-King 2008</Copyright>", "james newton-king", None),
    (" * Licensed to the Mara Software Foundation (MSF) under one or more", "mara software foundation", None),
    ("# Licensed to the Mara Foundation under one\n# or more contributor license agreements.", "mara foundation", None),
    ("// Licensed to the .MARA Foundation under one or more agreements.", "mara foundation", None),
]  # fmt: skip
AUTHORS = [
    ("// Author: Roman Gershman (roman@example.com)", "roman gershman", "roman@example.com"),
    (" * @author Mara Vogt", "mara vogt", None),
    (" * @author Mara Vogt {@link http://mara.example}", "mara vogt", None),
    ('" Maintainer:   Mara Vogt <https://host.example/mara>', "mara vogt", None),
    (" * Ported by Mara Vogt <mara@host.example>.", "mara vogt", "mara@host.example"),
    ("# Ported to Python by Mara Vogt (mara@host.example)", "mara vogt", "mara@host.example"),
    (" * Ported by: Mara Vogt, http://www.mara.example", "mara vogt", None),
    ("# Ported by Mara Vogt from https://shop.example/tidy", "mara vogt", None),
    ("// Ported by Mara Vogt, see https://shop.example/tidy", "mara vogt", None),
    ("// Ported by Mara Vogt (https://mara.example)", "mara vogt", None),
    ("# Ported by Mara Vogt from the list of tidy@host.example", "mara vogt", None),
    ("* www.TIDY.example V2.6c @author: Mara Vogt, Alpha Sites", "mara vogt alpha sites", None),
    ("__author__ = 'Ka-Ping Yee <ping@example.org>'", "ka-ping yee", "ping@example.org"),
]
LIBRARIES = [
    ("/*!\n *   GridLTE v1.2\n *   License: Open source - MIT\n */", "gridlte"),
    ("@charset \"UTF-8\";\n/*! tidy.css v8.0.1 | MIT License | host.example */", "tidy.css"),
    ("/*!\n * Icon Types 4.7.0 by @mara\n * License - https://icons.example/license (MIT)\n */", "icon types"),
]  # fmt: skip
OWN_BANNERS = [
    "/*! Keep this comment. */\nbody {}",
    "/*! Styles of the shop v1.2 | MIT License */\nbody {}",
    "/* GridLTE v1.2, MIT License */",
    "/*! Requires the grid. Licensed to nobody. */",
    "/*! Checkout v1.0 - entry of the shop */\nfunction License() { return MIT }",
    "/*! Checkout v1.0 | Licence: see the contract */",
    "/*! Checkout v1.0 | uses Grid, which has the MIT License */",
    "/*! Supports IE 9.0 and later; see the licence page, MIT */",
    "/*! Requires jQuery v1.9 */\n// License: MIT, see LICENSE",
    "/*! Requires jQuery v1.9, MIT License */",
    "/*! Theme for Bootstrap v3.2 */\n.license { color: MIT }",
    "/*! Theme for Bootstrap v3.2 | MIT License */",
    "/*! The files v1.2 | MIT License */",
]
NOTHING = [
    "// Set release 1.2 of the page by the @author of the post.",
    "# Ported by: the team",
    "* Redistributions of source code must retain the above copyright notice,",
    "THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM",
    'LICENSE = "Copyright (c) 2020 Acme"',
    "Copyright (c) [year] [fullname]",
    "Copyright {{ year }} {{ holder }}",
    "def putc(c)",
    "  copyright = '2018, Acme'",
    "We hold the copyright of Acme's work.",
    "author = commit.author",
    "maintainers should answer within a week",
    "Copyright 2020",
    "# Licensed to you under one of these terms:",
    "# Licensed under the Apache License, Version 2.0",
    "The plan is licensed to Acme under one contract.",
    "# Ported by hand from the shop's other language",
    "# Ported by hand from https://shop.example/tidy",
    "// Ported to Go by a script, see https://shop.example/tidy",
    "# The table was ported by Mara Vogt <mara@host.example>",
    'text = "Licensed to Acme under one or more agreements"',
]


@pytest.mark.parametrize(("text", "holder", "address"), LINES)
def test_a_line_names_its_holder(text: str, holder: str, address: str | None) -> None:
    assert [one[:3] for one in copyrights(text.encode())] == [(holder, address, False)]


@pytest.mark.parametrize(("text", "name"), LIBRARIES)
def test_a_kept_comment_names_its_library(text: str, name: str) -> None:
    assert copyrights(text.encode(), "a.css") == [Copyright(name, None, is_author=False)]


@pytest.mark.parametrize("text", OWN_BANNERS)
def test_a_kept_comment_of_ones_own_names_nobody(text: str) -> None:
    assert released(text.encode()) is None
    assert not copyrights(text.encode(), "a.css")


def test_added_lines_alone_state_no_origin() -> None:
    assert copyrights(b"# Copied from https://github.com/mara/tools/blob/main/a.py") == []


@pytest.mark.parametrize(
    "text",
    [
        "/*!" + " *" * 2_000,
        "/*! " + "a " * 2_000,
        "/*!" + "-" * 4_000,
        "/*!\n" + "aa bb cc " * 400,
        "/*! Aa v1.2 " + "licensed MI " * 400,
        " from http" + " " * 4_000,
        "# Copied from https://github.com/a/b" + "/a" * 2_000 + "!",
        "# Copied from https://github.com/" + "a." * 2_000,
        "# Copied from https://github.com/a/b " + " " * 4_000 + "!",
        "#" * 4_000 + " from http:",
        "# This file is mostly " + "copied " * 600,
        "# Slightly modified for " + "a " * 2_000,
        "# Slightly modified for a\n" + "# a:" * 2_000,
        "# Slightly modified for a\n" + ("# " + "a " * 40 + "\n") * 40,
        "# This file is copied " + "verbatim " * 600,
        "\n" * 4_000 + " from http:",
    ],
)
def test_hostile_heads_take_no_time(text: str) -> None:
    started = time.process_time()
    assert not copyrights(text.encode(), "a.py")
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize(("text", "name", "address"), AUTHORS)
def test_a_line_names_its_author(text: str, name: str, address: str | None) -> None:
    assert copyrights(text.encode()) == [Copyright(name, address, is_author=True)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("# Copyright (c) 2008-2009 Mara Vogt", 2008, 2009),
        ("# Copyright 2001, 2002, 2003,\n# 2004 Mara Vogt.", 2001, 2004),
        ("// Copyright (c) 2007-9, Mara Vogt", 2007, 2009),
        ("// Copyright (c) 1998-99 Mara Vogt", 1998, 1999),
        ("// Copyright Mara Vogt 2008", 2008, 2008),
        ("// Copyright 2013-present Mara Vogt", 2013, None),
        ("// Copyright Mara Vogt", None, None),
        ("# Copyright 2012 Mara Vogt\n# Copyright Mara Vogt\n# Copyright 2009-2010 Mara Vogt", 2009, 2012),
        ("# Author: Mara Vogt, 2005", 2005, 2005),
        ("// (c) 2019- Mara Vogt", 2019, None),
        ("// (c) 2019 \u2013 Mara Vogt", 2019, None),
        ("// (c) 2015-onwards Mara Vogt", 2015, None),
        ("// Copyright 2015 onwards Mara Vogt", 2015, None),
        ("// Copyright 2015 - current Mara Vogt", 2015, None),
        ("// Copyright 2015-date Mara Vogt", 2015, None),
        ("// Copyright 2015 to date, Mara Vogt", 2015, None),
        ("// Copyright 2015 and later, Mara Vogt", 2015, None),
        ("// Copyright 2015+ Mara Vogt", 2015, None),
        ("// Copyright since 2015 Mara Vogt", 2015, None),
        ("// Copyright Mara Vogt 2015-present", 2015, None),
        ("// Copyright Mara Vogt since 2015.", 2015, None),
        ("// Copyright Mara Vogt 2015-", 2015, None),
        ("// Copyright 2015--2016 Mara Vogt", 2015, 2016),
        ("// Copyright 2001-12-05 Mara Vogt", 2001, 2001),
        ("// Copyright 1999-02 Mara Vogt", 1999, 2002),
        ("// Copyright 2024 Mara Vogt. Licensed under the W3C licence of 2002", 2024, 2024),
        ("// Copyright Mara Vogt, based on RFC 1951", None, None),
        ("// Copyright 2024 Mara Vogt, see RFC 1951 of 1996", 2024, 2024),
        ("// Copyright (c) 2024 Mara Vogt; data until the present from 1990", 2024, 2024),
    ],
)
def test_a_line_has_its_first_and_last_year(text: str, first: int | None, last: int | None) -> None:
    assert [(one.holder, one.first_year, one.last_year) for one in copyrights(text.encode())] == [
        ("mara vogt", first, last)
    ]


@pytest.mark.parametrize("text", NOTHING)
def test_sentences_code_and_placeholders_name_nobody(text: str) -> None:
    assert copyrights(text.encode()) == []


NAMES = st.lists(
    st.sampled_from(["Mara", "Vogt", "Acme", "Labs", "Özil", "O'Neil", "Initech"]), min_size=1, max_size=4
)


@given(
    sign=st.sampled_from(["", "# ", "// ", " * ", "-- ", "; ", "<!-- ", "%% "]),
    mark=st.sampled_from(["Copyright", "COPYRIGHT (C)", "Copyright ©", "copyright: (c)"]),
    years=st.sampled_from(["2020 ", "1999-2021 ", "2001, 2003, ", "2019–present ", ""]),
    names=NAMES,
    form=st.sampled_from(["", ", Inc.", " GmbH", ". All rights reserved.", " and contributors", " Ltd. <a@b.example>"]),
    above=st.lists(st.sampled_from(["", "# x", "import os", "/*"]), max_size=5),
)  # fmt: skip
def test_signs_years_and_legal_forms_change_no_name(
    sign: str, mark: str, years: str, names: list[str], form: str, above: list[str]
) -> None:
    head = "\n".join([*above, f"{sign}{mark} {years}{' '.join(names)}{form}", "code"])
    assert [one.holder for one in copyrights(head.encode())] == [" ".join(names).lower()]


def test_names_are_told_once_and_not_without_end() -> None:
    one = b"# Copyright 2020 Acme\n# Copyright 2021 Acme\n"
    assert [found.holder for found in copyrights(one)] == ["acme"]
    many = "".join(f"# Copyright 2020 Acme {chr(97 + number) * 3}\n" for number in range(20))
    assert len(copyrights(many.encode())) == MOST_HOLDERS


@given(
    st.lists(
        st.builds(
            Copyright,
            st.sampled_from(["acme", "ada oz"]),
            st.sampled_from([None, "ada@acme.example"]),
            st.booleans(),
            st.sampled_from([None, 2019, 2021]),
            st.sampled_from([None, 2022]),
        )
    )
)
def test_no_name_stands_twice_whatever_its_years(named: list[Copyright]) -> None:
    keys = [one[:3] for one in each_once(named)]
    assert len(keys) == len(set(keys))
    assert set(keys) == {one[:3] for one in named}


@given(st.binary(max_size=300))
def test_any_bytes_are_read(head: bytes) -> None:
    copyrights(b"Copyright (c) " + head + b"\n@author " + head)


@pytest.mark.parametrize(
    "line",
    [
        "\t\tAuthor: info.Author,",
        "  author: this.props.author",
        "author: Author::find(id),",
        "    Author: author[0].name, // shown",
        "    author: post.author",
        "    // author: post.author,",
        "    # Author: find(id)",
    ],
)
def test_a_value_of_a_program_is_no_author(line: str) -> None:
    assert copyrights(f"package api\n{line}\n".encode()) == []


@pytest.mark.parametrize(
    "line",
    [
        "# Author: Jane Doe",
        "# Author: J.Doe",
        "# Author: jane.doe",
        "% Author: Dr.Doe",
        " * Author: jane.doe",
        " * @author jane.doe",
    ],
)
def test_a_line_of_authors_names_a_person(line: str) -> None:
    assert [one.is_author for one in copyrights(f"{line}\n".encode())] == [True]


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("web/grid.js", " *   Grid 1.13.1", "grid"),
        ("web/grid.js", "/*! Grid v2.0.0", "grid"),
        ("web/grid-3.6.0.slim.js", " * Grid Scripting Library v4.0.0-beta.2", "grid scripting library"),
        ("web/bootstrap.css", " * Bootstrap  v5.3.1 (https://shop.example/)", "bootstrap"),
        ("src/grid_image.h", "/* grid_image - v2.28 - public domain image loader", "grid_image"),
        ("lib/grid.lua", "-- grid 0.4.1\r", "grid"),
    ],
)
def test_a_comment_states_the_version_of_the_library_in_its_file(path: str, line: str, name: str) -> None:
    found = stated_versions(f"/*\n{line}\n * Terms apply.\n".encode(), path)

    assert found == [Copyright(name, None, is_author=False)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("web/shop.js", " * Grid 1.13.1"),
        ("web/grid.js", " * Grid 1.13 is needed for this page."),
        ("web/grid.js", " * Grid of the shop"),
        ("web/grid.js", "const version = 'Grid 1.13.1';"),
        ("web/grid.js", " * Grid 2024"),
        ("a/abc.js", " * Abc 1.2"),
    ],
)
def test_other_lines_state_no_version_of_the_file(path: str, line: str) -> None:
    assert stated_versions(f"/*\n{line}\n".encode(), path) == []


def test_hostile_comments_take_linear_time_to_look_for_versions() -> None:
    started = time.process_time()

    stated_versions(("// grid" + " grid" * 100 + "\n").encode() * 2_000 + b"// " + b"g" * 500_000, "grid.js")

    assert time.process_time() - started < 3
