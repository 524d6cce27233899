"""Attributes of paths agree with `git check-attr`."""

import re
import subprocess
import time
from pathlib import Path
from uuid import uuid4

import pygit2
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitTask
from ingest.git.files.attributes import Attributes, FileAttributes
from ingest.git.files.provenance import is_vendored
from ingest.git.files.roles import role_of
from ingest.git.lexing.languages import language_of
from tests.git_repository import GitRepository
from tests.suite.tiers import examples

PATHS = [
    "a", "b", "a.py", "dir/a.py", "dir/sub/a.py", "dir/sub/b", "sub/dir/a", "a b.txt", "dir/[x].py", "x", "A.py",
    "dir/.hidden", "vendor/lib/a.js", "docs/a.md", "a*b", "aXb", "dir/aXXb/c", "é.py", "#a", "!a", "dir/sub/deep/x.py",
    "a1.py", "a-.py", "a].py", "\\a",
]  # fmt: skip
NAMES = ["linguist-generated", "linguist-vendored", "linguist-documentation", "diff"]


def checked(root: Path, paths: list[str]) -> dict[str, FileAttributes]:
    """The attributes of each path according to Git."""
    out = subprocess.run(
        ["git", "check-attr", "-z", "--stdin", *NAMES],
        cwd=root, input="\0".join(paths).encode(), capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    fields = out.split("\0")
    values: dict[str, dict[str, str]] = {}
    for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        values.setdefault(path, {})[name] = value
    return {path: _meaning(found) for path, found in values.items()}


def _meaning(values: dict[str, str]) -> FileAttributes:
    states = {"unspecified": None, "unset": False, "false": False, "set": True, "true": True}
    generated, vendored, documentation = (states[values[name]] for name in NAMES[:3])
    binary = {"unspecified": None, "unset": True}.get(values["diff"], False)
    return FileAttributes(generated, vendored, documentation, binary)


PIECE = st.sampled_from(
    ["a", "b", "x", "*", "**", "?", "/", "/", ".py", "dir", "sub", "[ab]", "[!a]", "[^x]", "[a-c]", "[[:digit:]]",
     "\\*", "[]]", "[", "X", ".", "]", "[]-]", "\\\\", "é"]
)  # fmt: skip
# Patterns are split at slashes even within brackets, where slashes do not occur in practice.
PATTERN = (
    st.lists(PIECE, min_size=1, max_size=6).map("".join).filter(lambda p: not re.search(r"\[[^\]]*/", p))
)
STATE = st.sampled_from(
    ["linguist-generated", "-linguist-generated", "linguist-generated=true", "linguist-generated=false",
     "!linguist-generated", "linguist-vendored", "linguist-documentation", "binary", "-diff", "diff", "diff=python",
     "!diff", "text", "mine", "-binary"]
)  # fmt: skip
LINE = st.tuples(PATTERN, st.lists(STATE, min_size=1, max_size=3).map(" ".join)).map(" ".join)


@settings(examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINE, min_size=1, max_size=5))
def test_random_rules_agree_with_git(tmp_path: Path, lines: list[str]) -> None:
    if not (tmp_path / ".git").exists():
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
    text = "[attr]mine linguist-vendored -linguist-generated\n" + "\n".join(lines) + "\n"
    (tmp_path / ".gitattributes").write_text(text)
    attributes = Attributes.parse([(0, text.encode())])
    assert {path: attributes.lookup(path) for path in PATHS} == checked(tmp_path, PATHS)


@pytest.mark.parametrize(
    "text",
    [
        "*.py linguist-generated",
        "*.py linguist-generated\r\n*.md linguist-documentation\r\n",
        "\ufeff*.py linguist-generated",
        '"a b.txt" linguist-vendored',
        "# *.py linguist-generated\n\n   \n*.js linguist-vendored",
        "/a linguist-generated\ndir/sub linguist-generated\ndir/** linguist-vendored",
        "**/a.py linguist-generated\ndir/**/x.py linguist-vendored",
        "docs/ linguist-documentation",
        "!a linguist-generated",
        "\\!a linguist-generated\n\\#a linguist-vendored",
        "* -diff\n*.py diff",
        "* binary\n*.py !diff",
        "*",
        "",
    ],
)
def test_written_rules_agree_with_git(tmp_path: Path, text: str) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitattributes").write_bytes(text.encode())
    attributes = Attributes.parse([(0, text.encode())])
    assert {path: attributes.lookup(path) for path in PATHS} == checked(tmp_path, PATHS)


def role(path: str) -> str:
    """Provenance by the path alone."""
    return role_of(path, language_of(path, path.encode()))


NESTED = ["", "dir", "dir/sub", "dir/sub/deep", "docs"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NESTED), st.lists(LINE, min_size=1, max_size=3), max_size=4))
@example({"": ["a.py linguist-generated"], "dir": ["a.py -linguist-generated"]})
def test_the_nearest_file_wins_as_in_git(tmp_path: Path, rules: dict[str, list[str]]) -> None:
    repository = GitRepository(tmp_path / uuid4().hex)
    files = {
        f"{folder}/.gitattributes".removeprefix("/"): "\n".join([*lines, "[attr]mine -linguist-vendored\n"])
        for folder, lines in rules.items()
    }
    sha = repository.commit({path: f"{path}\n" for path in PATHS} | files)
    repository.checkout()
    task = CommitTask(sha, repository.git("rev-parse", f"{sha}^{{tree}}").strip(), (), with_lines=False)
    reader = ChangeReader(pygit2.Repository(str(repository.path)), verify_hashes=False)
    found = {change.path: change for change in reader.read(task).own}
    for path, expected in checked(repository.path, PATHS).items():
        change = found[path]
        assert (change.role == "documentation") == (
            expected.is_documentation or role(path) == "documentation"
        )
        assert change.is_generated == bool(expected.is_generated), path
        # Git knows no patterns that only tell a host which language to show.
        if expected.is_vendored is not True:
            assert change.is_vendored == (is_vendored(path) if expected.is_vendored is None else False)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_parsed(data: bytes) -> None:
    Attributes.parse([(0, data)]).lookup("a/b.py")


def test_a_hostile_pattern_takes_no_exponential_time() -> None:
    stars, directories = "*a" * 40 + "b", "/".join(["**", "a"] * 40)
    attributes = Attributes.parse([(0, f"{stars} binary\n{directories} binary\n".encode())])
    start = time.process_time()
    for path in ("a" * 200, "/".join(["a"] * 200) + "/b"):
        assert attributes.lookup(path) == FileAttributes()
    assert time.process_time() - start < 10


HINTS = [
    # Laravel's starter, and people who want a host to show another language
    ("*.css linguist-vendored", "resources/css/app.css"),
    ("*.js linguist-vendored=true", "resources/js/app.js"),
    ("*.config.js linguist-vendored", "vite.config.js"),
    ("templates/**/* linguist-vendored", "templates/pages/all.html"),
    ("public/**/*.css linguist-vendored", "public/css/own.css"),
    ("app/assets/** linguist-vendored", "app/assets/javascripts/own.js"),
    ("/docs/* linguist-vendored", "docs/own.js"),
    ("*.html linguist-generated", "web/own.html"),
]
ORIGINS = [
    ("vendor/** linguist-vendored", "vendor/a/b.js"),
    ("plugins/* linguist-vendored=true", "plugins/a.js"),
    ("source/javascripts/lib/* linguist-vendored", "source/javascripts/lib/a.js"),
    ("search/lunr-language/** linguist-vendored", "search/lunr-language/a.js"),
    ("js/velocity.js linguist-vendored", "js/velocity.js"),
    ("jquery*.js linguist-vendored", "js/jquery-ui.js"),
    ("*.pb.go linguist-generated", "api/a.pb.go"),
    ("*.dump linguist-generated", "a.dump"),
    ("dist/*.js linguist-generated", "dist/a.js"),
    ("/static/** linguist-generated", "static/own.css"),
    ("*.js linguist-generated=false", "own.js"),
]


@pytest.mark.parametrize(("line", "path"), HINTS)
def test_a_pattern_for_the_language_bar_says_nothing_about_the_origin(line: str, path: str) -> None:
    file = f"{line}\n".encode()
    assert Attributes.parse([(0, file)], with_hints=False).lookup(path) == FileAttributes()
    assert Attributes.parse([(0, file)]).lookup(path) != FileAttributes()
    earlier = Attributes.parse([(0, path.encode() + b" linguist-vendored\n" + file)], with_hints=False)
    assert earlier.lookup(path).is_vendored, "another line still counts"


@pytest.mark.parametrize(("line", "path"), ORIGINS)
def test_a_pattern_with_a_file_or_a_folder_of_others_counts(line: str, path: str) -> None:
    file = f"{line}\n".encode()
    found = Attributes.parse([(0, file)], with_hints=False).lookup(path)
    assert found == Attributes.parse([(0, file)]).lookup(path) != FileAttributes()


def test_the_file_of_a_folder_names_its_folder() -> None:
    attributes = Attributes.parse([(0, b""), (1, b"*.js linguist-vendored\n")], with_hints=False)
    assert attributes.lookup("copied/a.js").is_vendored
