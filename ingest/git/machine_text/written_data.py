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
SCRIPT_ENDINGS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".php", ".go")
DATA_ENDINGS: Final = (".json", ".csv", ".tsv")
MOST_BYTES: Final = 256 * 1024
"""Bytes of a script above which it is not read."""
# Shorter names are words that many files have, such as index or package.
_NAME: Final = rb"(?P<name>[\w-][\w.-]{7,79}\.(?:json|csv|tsv))"
# What stands between the call and the name is the way to the file: a closing bracket ends the call, and words that read
# speak of another file.
_WAY: Final = rb"(?P<way>[^;)=]{0,300}?)[\"'`/]"
_READ: Final = re.compile(rb"(?i)read|require|load|parse|import|glob|fetch|\.get\b")
_WRITTEN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rb"(?:[wW]riteFile(?:Sync)?|output(?:File|Json)(?:Sync)?|write_?[jJ]son(?:Sync)?|file_put_contents|WriteAllText"
        rb"|File\.write|to_json|to_csv)\s{0,9}\(" + _WAY + _NAME + rb"[\"'`]",
        rb"\bopen\((?P<way>[^;)=\n]{0,120}?)[\"'/]" + _NAME + rb"[\"']\s{0,9},\s{0,9}[\"'][wx][bt]?[\"']",
        rb"\bPath\((?P<way>[^;)=\n]{0,120}?)[\"'/]" + _NAME + rb"[\"']\s{0,9}\){1,3}\.write_(?:text|bytes)\(",
    )
)
_WORD: Final = re.compile(rb"[\w.-]+")
_MOST_NAMES: Final = 100


def written_files(script: bytes) -> dict[str, frozenset[str]]:
    """The names of the files that a script writes and does not mention again, with the words of the way to each."""
    if len(script) > MOST_BYTES or not any(ending.encode() in script for ending in DATA_ENDINGS):
        return {}
    found: dict[bytes, bytes] = {}
    for pattern in _WRITTEN:
        for match in pattern.finditer(script):
            if len(found) < _MOST_NAMES and _READ.search(match["way"]) is None:
                found[match["name"]] = match["way"]
    return {
        name.decode(): frozenset(word.decode("utf-8", "replace") for word in _WORD.findall(way))
        for name, way in found.items()
        if script.count(name) == 1
    }
