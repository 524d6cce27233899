"""Launchers of build tools, programs compiled for browsers, and pages of documents of .NET."""

from __future__ import annotations

import pytest

from ingest.git.files.description import judged
from ingest.git.files.provenance import saved_page
from ingest.git.files.roles import EXPORT
from tests.ingest.git.files.test_description import described
from tests.ingest.git.machine_text.test_marks import mark

MESSAGES = (
    '/* eslint-disable */\nimport Long from "long";\nimport _m0 from "protobufjs/minimal";\n\n'
    'export const protobufPackage = "shop.orders";\n\nexport interface Order {\n  id: number;\n}\n'
)
PACKAGED = (
    "\nvar Module;\n\nif (typeof Module === 'undefined') Module = {};\n\n"
    "if (!Module.expectedDataFileDownloads) {\n  Module.expectedDataFileDownloads = 0;\n"
)
PLAIN = "// The Module object: Our interface to the outside world. We import\n// and export values on it\n"
MEMBER = "## Price Struct\n\nA price\\.\n\n<a name='Shop.Money.Price(double)'></a>\n\n## Price\\(double\\)\n"
REPORT = (
    "<title>tests.html</title>\n<p>Report generated on 28-Dec-2023 at 15:03:15 by "
    '<a href="https://tests.example/pytest-html">pytest-html</a>\n        v4.1.1</p>\n'
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sbt", '#!/usr/bin/env bash\n\nset +e\ndeclare builtin_sbt_version="1.12.11"\n'),
        ("src/api.order.rs", "#[allow(clippy::large)]\n#[derive(Clone, PartialEq, ::prost::Message)]\n"),
        ("src/api.rs", "#[derive(Clone, Copy, PartialEq, Eq, ::prost::Enumeration)]\n#[repr(i32)]\npub enum Kind {\n"),
        ("run.txt", "[INFO] Scanning for projects...\n[INFO] Building the shop\n"),
        ("sbt.bat", "@REM SBT launcher script\n@REM\n@REM Environment:\n"),
        ("sbtx", "#!/usr/bin/env bash\n#\n# A more capable sbt runner, coincidentally also called sbt.\n"),
        ("bin/lein", "#!/usr/bin/env bash\n\n# Ensure this file is executable via `chmod a+x lein`, then\n"),
        ("mill", "#!/usr/bin/env sh\n\n# This is a wrapper script, that automatically download mill from\n"),
        ("build.ps1", "# This is the Cake bootstrapper script for PowerShell.\n"),
        ("docs/games/koala.js", PACKAGED),
        ("docs/games/koala.js", PACKAGED.replace(".expectedDataFileDownloads)", "['expectedDataFileDownloads'])")),
        ("web/app.js", PLAIN),
        ("website/docs/api/Shop.Money.Price.md", MEMBER),
        ("website/docs/api/Shop.Money.Price.md", MEMBER.replace("\n", "\r\n")),
        ("docs/tests/tests.html", REPORT),
        ("web/src/types/orders.ts", MESSAGES),
        ("web/src/types/orders.ts", '/* eslint-disable */\n\nexport const protobufPackage = "shop";\n'),
    ],
)  # fmt: skip
def test_what_a_tool_hands_out_or_writes_is_known_by_its_words(path: str, text: str) -> None:
    assert mark(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sbt", '#!/bin/sh\n# Gives sbt more memory than its launcher.\njava -jar sbt-launch.jar "$@"\n'),
        ("src/order.rs", "use prost::Message;\n\n#[derive(Clone, PartialEq, ::prost::Message)]\npub struct Order {\n"),
        ("src/order.rs", "#[derive(Clone, PartialEq, prost::Message)]\npub struct Order {\n"),
        ("docs/build.txt", "Maven prints this:\n[INFO] Scanning for projects...\n"),
        ("bin/lein", "#!/bin/sh\n# Runs lein; see that it is executable (chmod a+x lein).\nexec lein run\n"),
        ("build.ps1", "# Calls the bootstrapper of Cake for PowerShell.\n./tools/build.ps1\n"),
        ("src/loader.js", "// Counts Module.expectedDataFileDownloads.\nexport const left = Module.total;\n"),
        ("docs/anchors.md", "## Prices\n\n<a name='prices'></a>\n\nA price is a sum.\n\n<a name='v1.2'></a>\n"),
        ("web/src/names.ts", 'export const protobufPackage = "shop.orders";\nexport const service = "Orders";\n'),
        ("web/src/names.ts", MESSAGES.replace("export const", "const types = 1;\nexport const", 1)),
        ("docs/report.html", "<p>Report generated on Monday by the tests of the shop with pytest-html</p>\n"),
    ],
)  # fmt: skip
def test_what_people_write_about_these_tools_is_their_work(path: str, text: str) -> None:
    assert mark(path, text) is None


def test_a_file_of_no_language_with_zero_bytes_is_no_text() -> None:
    text = "".join(f"char id={n} x={n * 7 % 91} y={n * n % 83}\n" for n in range(40))
    path = "docs/games/koala.data"
    packed = judged(described(path, text), path, text.encode() + b"OggS\0\2\0\0")
    assert (packed.role, packed.evidence) == (EXPORT, "holds zero bytes, as no text does")
    assert judged(described(path, text), path, text.encode()).role != EXPORT
    source = "src/font.c"
    assert judged(described(source, text), source, text.encode() + b"\0").role != EXPORT


def test_a_saved_page_may_begin_with_its_styles() -> None:
    styles = ".menu { color: red; margin: 0; }\n" * 4_000
    links = "".join(f'<a href="https://news.acme.com/{n}">News</a>\n' for n in range(20))
    page = f"<!DOCTYPE html>\n<html><head><style>{styles}</style></head><body>{links}</body></html>\n"
    assert "20 addresses" in (saved_page("HTML", page.encode()) or "")
    assert saved_page("HTML", page.replace("acme.com", "example.com").encode()) is None
