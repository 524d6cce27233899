"""Data that a script of the repository writes: the script names the file in a call that writes it.

A script that names the file once more may read what people wrote into it. Add: calls of another language.
"""

import re
from typing import Final

SCRIPT_FOLDERS: Final = (
    "scripts", "script", "tools", "tool", "tasks", "bin", "build", "hack", "utils", "util", "dev", "generate",
    "generators", "codegen",
)  # fmt: skip
"""Folders at the top of a repository in which scripts stand."""
SCRIPT_ENDINGS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".php", ".pl", ".sh", ".go")
DATA_ENDINGS: Final = (".json", ".csv", ".tsv")
MOST_BYTES: Final = 256 * 1024
"""Bytes of a script above which it is not read."""
# Shorter names are words that many files have, such as index or package.
_NAME: Final = rb"(?P<name>[\w-][\w.-]{7,79}\.(?:json|csv|tsv))"
_WRITTEN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rb"(?:[wW]riteFile(?:Sync)?|output(?:File|Json)(?:Sync)?|write_?[jJ]son(?:Sync)?|file_put_contents|WriteAllText"
        rb"|File\.write|to_json|to_csv)\s{0,9}\([^;]{0,300}?[\"'`/]" + _NAME + rb"[\"'`]",
        rb"\bopen\([^;\n]{0,120}?[\"'/]" + _NAME + rb"[\"']\s{0,9},\s{0,9}[\"'][wx][bt]?[\"']",
        rb"[\"'/]" + _NAME + rb"[\"']\s{0,9}\){0,3}\.write_(?:text|bytes)\(",
        rb"(?m)[^>=-]>\s{0,9}[\"']?(?:[\w.${}-]{1,60}/){0,9}" + _NAME + rb"[\"']?[ \t]*$",
    )
)


def written_names(script: bytes) -> frozenset[str]:
    """The names of the files that a script writes and does not mention again."""
    if len(script) > MOST_BYTES or not any(ending.encode() in script for ending in DATA_ENDINGS):
        return frozenset()
    found = {match["name"] for pattern in _WRITTEN for match in pattern.finditer(script)}
    return frozenset(name.decode() for name in found if script.count(name) == 1)
