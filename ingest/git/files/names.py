"""Files whose name says that a program wrote them: exports and lock files; texts of licences.

Add: a name that one kind of file alone has. Keep out: translations (`translations`), names of source, tests and
documents (`roles`), generated code (`provenance`) and marks in the content (`machine_text.marks`).
"""

import re
from itertools import pairwise
from typing import Final

from ingest.git.files.assistant_folders import STATE


def names(*alternatives: str) -> re.Pattern[str]:
    """A pattern for file names, anywhere in the tree."""
    return re.compile(rf"(?:^|/)(?:{'|'.join(alternatives)})$")


LOCKS: Final = names(
    r"[^/]*\.(?:lock|lockfile|lockb|resolved|locked)|[^/]*\.lock\.(?:hcl|txt|json|ya?ml|toml)|(?:esy|dune)\.lock/[^/]+",
    r"(?:deps?|dependenc(?:y|ies)|conda|lazy|plugins?|packages?|versions?)[-_]lock\.(?:json|ya?ml|toml)",
    r"(?:gemset|yarn)\.nix|(?:nix|npins)/sources\.json",
    # NuGet writes each package into them as it installs it.
    r"packages(?:\.[\w-]+)?\.config|packages/repositories\.config",
    r"(?:package-lock|npm-shrinkwrap|packages\.lock|maven_install|vcpkg-lock|project\.assets)\.json",
    r"(?:pnpm-lock|shrinkwrap|conda-lock)\.ya?ml|pylock(?:\.[^/]+)?\.toml|[^/]*requirements[^/]*\.lock(?:\.txt)?",
    r"go(?:\.work)?\.sum|cabal\.project\.freeze|Manifest(?:-v[\d.]+)?\.toml|cpanfile\.snapshot|verification-metadata\.xml",
)

_EXPORT_ENDINGS: Final = (
    # Logs, traces and recorded output
    "log stderr stdout trace har jsonl ndjson mbox eml golden cast gcov",
    # Dumps of databases and directories
    "ldif aof dump",
    # What TeX writes for its next run
    "aux bbl blg fls fdb_latexmk",
    # Signatures, certificates and sums
    "sig minisig pem crt cer csr p7s sha1 sha256 sha512 md5",
    # Drawings, boards, models and scenes
    "ai eps ps indd sketch drawio excalidraw kicad_pcb kicad_sch brd sch dxf step stp gcode obj mtl fbx blend",
    "unity prefab asset meta tscn tres geojson kml gpx",
    # Projects of editors, and word lists of spelling checkers
    "edmx pbxproj xcscheme iml sln vcproj vdproj dsp dsw dic aff",
    # Interfaces that an analyzer of PHP took from extensions
    "phan_php",
    # Texts that gettext takes from programs
    "pot",
    # Profiles of terminals
    "terminal itermcolors",
    # Documents, reports and models of programs with a surface
    "fodt fods fodp fodg rdl rdlc dtsx dbml twb mdj",
)
EXPORTS: Final = re.compile(
    rf"\.(?:{'|'.join(' '.join(_EXPORT_ENDINGS).split())})$"
    r"|\.postman_(?:collection|environment|globals)\.json$"
    # Requests, rules and designs that an editor of programming interfaces keeps in its own folder
    r"|(?:^|/)(?:\.stoplight|\.insomnia|\.postman|thunder-tests)/"
    r"|\.(?:approved|verified|received)\.[a-z]+$|\.(?:cdx|spdx)\.json$|\.spdx$|\.snap$"
    r"|(?:^|/)(?:tags|TAGS|GTAGS|GPATH|GRTAGS|cscope\.out|nohup\.out|\.all-contributorsrc|hs_err_pid[^/]*)$"
    # Checks of the packages that depend on one of R
    r"|(?:^|/)revdep/(?:README|summary|problems|failures|cran|timing|checks)\.md$"
    # Pages and indexes for readers of documents
    r"|\.docset/"
    # Which folders, settings and start options an editor remembers
    r"|(?:^|/)\.(?:classpath|project|cproject|factorypath|springBeans)$|(?:^|/)(?:\.idea|\.settings|\.vs|nbproject/private)/"
    r"|\.vcxproj\.filters$|(?:proj|\.pro)\.user$|\.DotSettings$"
    rf"|{STATE}"
    # Interfaces as analyzers of .NET list them
    r"|(?:^|/)PublicAPI(?:\.(?:Shipped|Unshipped))?\.txt$"
    r"|(?:^|/)(?:[A-Z0-9_-]*SUMS|checksums\.txt|SHA(?:1|256|512)[^/]*\.txt)$"
    r"|(?:^|/)(?:_build/(?:dir)?html|_site|_book|htmlcov|lcov-report|javadoc|apidocs|migrations/meta)/"
)
"""Exports of programs: logs, sums, drawings, scenes, built pages. Nobody writes their lines."""

_FREEZABLE: Final = re.compile(r"(?:requirements|constraints|freeze|frozen)[^/]*\.txt$", re.IGNORECASE)
_PINNED: Final = re.compile(rb"[A-Za-z0-9][\w.-]*(?:\[[\w,. -]+\])?==[^\s;]+(?: *;.*)?")
# What `pip-compile` writes below a pinned version: sums, and the packages that ask for it
_BESIDE_PINNED: Final = re.compile(rb"\s*(?:#.*|--hash=\S+(?: \\)?)")
_FROZEN_LINES: Final = 40
_FROZEN: Final = 0.95

_LICENCE_NAMES: Final = re.compile(
    r"(?:^|/)(?:un)?(?:licen[cs]es?|copying|notices?|third[-_]?party[-_\w]*|patents)(?:[._-][^/]*)?$"
    r"|(?:^|/)LICENSES/[^/]+$",
    re.IGNORECASE,
)
_LICENCE_TITLES: Final = re.compile(
    rb"\A\W*+(?:the )?(?:gnu (?:affero |lesser |library )?general public licen[cs]e|apache licen[cs]e"
    rb"|mozilla public licen[cs]e|eclipse public licen[cs]e|mit licen[cs]e|bsd [0-9-]*\s*clause|creative commons"
    rb"|boost software licen[cs]e|isc licen[cs]e|sil open font licen[cs]e|cc0 1\.0|european union public licen[cs]e)",
    re.IGNORECASE,
)
_LICENCE_SENTENCES: Final = re.compile(
    rb"permission is hereby granted, free of charge|permission to use, copy, modify,? and(?:/or)? distribute"
    rb"|redistribution and use in source and binary forms|terms and conditions for (?:use|copying)"
    rb"|everyone is permitted to copy and distribute verbatim copies|licensed under the apache licen[cs]e"
    rb"|mozilla public licen[cs]e,? version|this is free and unencumbered software|creative commons",
    re.IGNORECASE,
)
_LICENCE_BYTES: Final = 20_000


def is_frozen_list(path: str, head: bytes) -> bool:
    """Whether `pip freeze` or `pip-compile` wrote a list of requirements: sorted, and every version exact.

    Sums and comments are left out, but count for the length.
    """
    if _FREEZABLE.search(path) is None:
        return False
    written = [line for line in head[: head.rfind(b"\n") + 1].lower().splitlines() if line.strip()]
    lines = [line.removesuffix(b"\\") for line in written if _BESIDE_PINNED.fullmatch(line) is None]
    if len(written) < _FROZEN_LINES:
        return False
    pinned = sum(_PINNED.fullmatch(line.rstrip()) is not None for line in lines)
    ordered = sum(one <= other for one, other in pairwise(line.partition(b"==")[0] for line in lines))
    return min(pinned, ordered + 1) >= _FROZEN * len(lines)


def is_licence_text(path: str, head: bytes, *, is_text: bool) -> bool:
    """Whether the file is the text of a licence: by its title, or by its name and a sentence of a licence.

    A file that only names its licence is no such text. `is_text` is true for prose, and without a known language.
    """
    if not is_text:
        return False
    if _LICENCE_TITLES.match(head) is not None:
        return True
    if _LICENCE_NAMES.search(path) is None:
        return False
    return _LICENCE_SENTENCES.search(head[:_LICENCE_BYTES].replace(b"\n", b" ")) is not None
