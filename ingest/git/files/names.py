"""Files whose name says that a program wrote them: exports, translations and lock files.

Add: a name that one kind of file alone has. Keep out: names of source, tests and documents (`roles`), generated code
(`provenance`) and marks in the content (`marks`).
"""

import re
from typing import Final


def names(*alternatives: str) -> re.Pattern[str]:
    """A pattern for file names, anywhere in the tree."""
    return re.compile(rf"(?:^|/)(?:{'|'.join(alternatives)})$")


LOCKS: Final = names(
    r"[^/]*\.(?:lock|lockfile|lockb|resolved|locked)|[^/]*\.lock\.(?:hcl|txt|json|yaml)",
    r"(?:package-lock|npm-shrinkwrap|packages\.lock|maven_install|vcpkg-lock|project\.assets)\.json",
    r"(?:pnpm-lock|shrinkwrap|conda-lock)\.ya?ml|pylock(?:\.[^/]+)?\.toml|[^/]*requirements[^/]*\.lock(?:\.txt)?",
    r"go(?:\.work)?\.sum|cabal\.project\.freeze|Manifest\.toml|cpanfile\.snapshot|verification-metadata\.xml",
)

_EXPORT_ENDINGS: Final = (
    # Logs, traces and recorded output
    "log stderr stdout trace har jsonl ndjson mbox eml golden",
    # Signatures, certificates and sums
    "sig minisig pem crt cer csr p7s sha1 sha256 sha512 md5",
    # Drawings, boards, models and scenes
    "ai eps ps indd sketch drawio excalidraw kicad_pcb kicad_sch brd sch dxf step stp gcode obj mtl fbx blend",
    "unity prefab asset meta tscn tres geojson kml gpx",
    # Projects of editors, and word lists of spelling checkers
    "edmx pbxproj iml dic aff",
)
EXPORTS: Final = re.compile(
    rf"\.(?:{'|'.join(' '.join(_EXPORT_ENDINGS).split())})$"
    r"|\.(?:approved|verified|received)\.[a-z]+$|\.(?:cdx|spdx)\.json$|\.spdx$|\.snap$"
    r"|(?:^|/)(?:tags|TAGS|GTAGS|GPATH|GRTAGS|cscope\.out|nohup\.out|\.all-contributorsrc|hs_err_pid[^/]*)$"
    # Interfaces as analyzers of .NET list them
    r"|(?:^|/)PublicAPI(?:\.(?:Shipped|Unshipped))?\.txt$"
    r"|(?:^|/)(?:[A-Z0-9_-]*SUMS|checksums\.txt|SHA(?:1|256|512)[^/]*\.txt)$"
    r"|(?:^|/)(?:\.idea|\.vs|nbproject/private|_build/html|htmlcov|lcov-report|javadoc|apidocs|migrations/meta)/"
)
"""Exports of programs: logs, sums, drawings, scenes, built pages. Nobody writes their lines."""

# Codes of ISO 639 that repositories use. Not `go`, `js` or `py`: beside them stand names of programming languages.
_CODES: Final = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fil fo fr fy ga"
    " gd gl gu ha he hi hr hu hy ia id ig is it ja jv ka kk km kn ko ku ky lb lo lt lv mg"
    " mi mk ml mn mr ms mt my nb ne nl nn no oc or pa pl pt ro ru rw sd si sk sl sq sr sv"
    " sw ta te th tk tl tr tt ug uk ur uz vi wo xh yi yo yue zh zu ast ckb kab hsb szl dsb"
)
_LANGUAGE: Final = (
    rf"(?:{'|'.join(_CODES.split())})(?:[-_](?:r?[A-Z]{{2}}|[A-Z][a-z]{{3}}|[0-9]{{3}}|[a-z]{{2}}))?"
)
_QUALIFIERS: Final = (
    r"(?!(?:night|land|port|car|desk|long|ldltr|ldrtl|v[0-9]|h[0-9]|w[0-9]|sw[0-9]|[a-z]*dpi)\b)"
)
TRANSLATIONS: Final = re.compile(
    r"\.(?:po|pot|xlf|xliff|arb|tmx|strings|stringsdict|xcstrings)$"
    rf"|(?:^|/)res/values-{_QUALIFIERS}{_LANGUAGE}/[^/]+\.xml$|(?:^|/)res/values/strings[^/]*\.xml$"
    rf"|_{_LANGUAGE}\.properties$|\.{_LANGUAGE}\.resx$"
    r"|(?:^|/)(?:i18n|l10n|locales?|lang|langs|languages|translations?|nls|intl|_locales)/(?:[^/]+/)*?"
    rf"(?:(?:[\w-]+[._-])?{_LANGUAGE}\.(?:json|ya?ml|php|js|ts|toml|properties)"
    rf"|{_LANGUAGE}/(?:[^/]+/)*[^/]+\.(?:json|ya?ml|php|js|ts|toml|properties))$"
    rf"|(?:^|/){_LANGUAGE}\.lproj/[^/]+$"
)
"""Texts in the languages of the users, the first language as well: data of the program."""

_LICENCE_NAMES: Final = re.compile(
    r"(?:^|/)(?:un)?(?:licen[cs]es?|copying|notices?|third[-_]?party[-_\w]*|patents)(?:[._-][^/]*)?$"
    r"|(?:^|/)LICENSES/[^/]+$",
    re.IGNORECASE,
)
_LICENCE_TITLES: Final = re.compile(
    rb"\A[\s\W]*(?:the )?(?:gnu (?:affero |lesser |library )?general public licen[cs]e|apache licen[cs]e"
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
