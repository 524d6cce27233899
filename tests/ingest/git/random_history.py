"""Random small histories with the edits that people make, often on top of each other.

Add: kinds of edits. Keep out: steps of a history (growing_history.py), cases of a single test. Lines are drawn from
a small vocabulary, so that equal lines, blocks and shapes also occur by chance.
"""

from collections.abc import Callable

from tests.git_repository import SYMLINK, Content, GitRepository
from tests.ingest.git.growing_history import DAY, PEOPLE, GrowingHistory

_LINK = b"../linked/"
EXTENSIONS = ("py", "py", "js", "c", "md", "txt")
_WORDS = ("alpha", "beta", "gamma", "delta", "total", "items", "x1", "größe")
_CALLS = ("load", "save", "check", "self.push", "render")
_TEMPLATES: dict[str, tuple[str, ...]] = {
    "py": (
        "", "    {a} = {f}({b}, {n})", "def {f}({a}, {b}):", "    return {a} + {b}", "# {a} {b} {c}",
        '    if {a} == "{b}":', "        {f}({a})", "{f}(", "    {a},", "    {b}={n},", ")", '"""',
        "    {a}.{b}['{c}'] = {f}({a}[{n}], {b}, '{c}')", "import {a}", "    pass", "else:",
    ),
    "js": (
        "", "const {a} = {f}({b}, {n});", "function {f}({a}) {{", "}}", "// {a} {b}", "/*", " * {a} {c}", " */",
        "  if ({a} === '{b}') {{", "  {f}({a});", "  return {{ {a}: {b}, {c}: {n} }};", "{f}([", "  {a},", "]);",
        "  {a}.{b}[{n}] = {f}(`{c}`, {a}, {b});",
    ),
    "md": ("", "# {a}", "{a} {b} {c}, {a}.", "- {b} {n}", "Die {c} von {a}"),
}  # fmt: skip
_TEMPLATES |= {"c": _TEMPLATES["js"], "txt": _TEMPLATES["md"]}

Files = dict[str, bytes]


class RandomHistory(GrowingHistory):
    """The steps of a growing history with several kinds of edits in a commit, often of each other's lines."""

    def __init__(self, repository: GitRepository, seed: int, *, only_text: bool = False) -> None:
        self._names = 0
        self._edits: tuple[Callable[[Files], None], ...] = (
            self._insert, self._insert, self._insert, self._insert, self._delete, self._delete, self._replace_words,
            self._replace_everywhere, self._move_block, self._move_block, self._copy_block, self._copy_block,
            self._copy_renamed, self._lay_out, self._lay_out, self._restore, self._restore, self._rename_file,
            self._delete_file, self._add_file, self._add_file, self._copy_file, self._change_line_ends,
            self._replace_run, self._replace_run, self._swap_files,
        )  # fmt: skip
        if not only_text:
            self._edits += (self._flip_binary, self._make_link)
        super().__init__(repository, seed)

    def _commit(self, branch: str) -> None:
        if self.random.random() < 0.2:
            self.repository.clock += self.random.choice((1, 13, 14, 15, 60, 89, 91)) * DAY - 3600
        before = self.files(branch)
        after = dict(before)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.random.choice(self._edits)(after)
        message = self.random.choice(("Change", "Fix it", 'Revert "Change"\n\nThis reverts commit 1234567.'))
        self.repository.commit(
            self._changes(before, after), message, branch=branch, author=self.random.choice(PEOPLE)
        )

    def files(self, branch: str) -> Files:
        """Path → content of the files at the head of a branch."""
        head = self.repository.heads.get(branch)
        tree = self.repository.commits[head].tree if head else {}
        return {path.decode(): self.repository.read(path.decode(), head) for path in tree}

    @staticmethod
    def _changes(before: Files, after: Files) -> dict[str | bytes, str | bytes | Content | None]:
        changes: dict[str | bytes, str | bytes | Content | None] = dict.fromkeys(before.keys() - after.keys())
        for path, data in after.items():
            if before.get(path) != data:
                is_link = data.startswith(_LINK)
                changes[path] = Content(data, SYMLINK) if is_link else data
        return changes

    # Text

    def line(self, extension: str) -> bytes:
        random = self.random
        template = random.choice(_TEMPLATES[extension])
        names = {key: random.choice(_WORDS) for key in "abc"}
        return template.format(f=random.choice(_CALLS), n=random.randint(0, 20), **names).encode()

    def lines(self, extension: str, count: int) -> list[bytes]:
        return [self.line(extension) + b"\n" for _ in range(count)]

    def _new_path(self, extension: str | None = None) -> str:
        self._names += 1
        folder = self.random.choice(("", "src/", "src/deep/", "tests/"))
        return f"{folder}file{self._names}.{extension or self.random.choice(EXTENSIONS)}"

    def _pick(self, files: Files) -> tuple[str, list[bytes]]:
        """A file and its lines; a new one where there is none."""
        if not files:
            self._add_file(files)
        path = self.random.choice(sorted(files))
        return path, files[path].splitlines(keepends=True)

    def _span(self, lines: list[bytes], most: int = 14) -> tuple[int, int]:
        start = self.random.randint(0, len(lines))
        return start, min(len(lines), start + self.random.randint(1, most))

    # Edits

    def _insert(self, files: Files) -> None:
        path, lines = self._pick(files)
        at, _ = self._span(lines)
        lines[at:at] = self.lines(path.rpartition(".")[2], self.random.randint(1, 8))
        files[path] = b"".join(lines)

    def _delete(self, files: Files) -> None:
        path, lines = self._pick(files)
        start, stop = self._span(lines)
        del lines[start:stop]
        files[path] = b"".join(lines)

    def _replace_run(self, files: Files) -> None:
        path, lines = self._pick(files)
        start, stop = self._span(lines, 4)
        lines[start:stop] = self.lines(path.rpartition(".")[2], self.random.randint(1, 4))
        files[path] = b"".join(lines)

    def _replace_words(self, files: Files) -> None:
        path, lines = self._pick(files)
        old, new = (word.encode() for word in self.random.sample(_WORDS, 2))
        start, stop = self._span(lines)
        lines[start:stop] = [line.replace(old, new) for line in lines[start:stop]]
        files[path] = b"".join(lines)

    def _replace_everywhere(self, files: Files) -> None:
        old, new = (word.encode() for word in self.random.sample(_WORDS, 2))
        for path in files:
            files[path] = files[path].replace(old, new)

    def _move_block(self, files: Files) -> None:
        source, lines = self._pick(files)
        start, stop = self._span(lines)
        block = lines[start:stop]
        del lines[start:stop]
        files[source] = b"".join(lines)
        self._put(files, block)

    def _copy_block(self, files: Files) -> None:
        _, lines = self._pick(files)
        start, stop = self._span(lines)
        self._put(files, lines[start:stop])

    def _copy_renamed(self, files: Files) -> None:
        _, lines = self._pick(files)
        start, stop = self._span(lines, 30)
        old, new = (word.encode() for word in self.random.sample(_WORDS, 2))
        self._put(files, [line.replace(old, new) for line in lines[start:stop]])

    def _put(self, files: Files, block: list[bytes]) -> None:
        target, lines = self._pick(files)
        at, _ = self._span(lines)
        lines[at:at] = [line if line.endswith(b"\n") else line + b"\n" for line in block]
        files[target] = b"".join(lines)

    def _lay_out(self, files: Files) -> None:
        path, lines = self._pick(files)
        start, stop = self._span(lines)
        how = self.random.choice(("indent", "dedent", "quotes", "wrap", "unwrap", "bracket", "blank"))
        for at in range(stop - 1, start - 1, -1):
            line = lines[at]
            if how == "indent":
                lines[at] = b"    " + line
            elif how == "dedent":
                lines[at] = line.lstrip(b" ")
            elif how == "quotes":
                lines[at] = line.replace(b"'", b'"')
            elif how == "wrap":
                lines[at] = line.replace(b"(", b"(\n        ", 1).replace(b")", b",\n    )", 1)
            elif how == "unwrap" and at + 1 < len(lines):
                lines[at : at + 2] = [line.rstrip() + lines[at + 1].lstrip(b" ")]
            elif how == "bracket" and b" = " in line:
                target, value = line.rstrip(b"\r\n;").split(b" = ", 1)
                lines[at] = target + b" = (\n        " + value + b"\n    )\n"
            elif how == "blank" and self.random.random() < 0.4:
                lines.insert(at, b"\n")
        files[path] = b"".join(lines)

    def _restore(self, files: Files) -> None:
        """A file as of another commit, as in a revert."""
        sha = self.random.choice([*sorted(self.repository.commits), ""])
        tree = self.repository.commits[sha].tree if sha else {}
        paths = sorted(path.decode() for path in tree)
        if paths:
            path = self.random.choice(paths)
            files[path] = self.repository.read(path, sha)

    def _rename_file(self, files: Files) -> None:
        path, lines = self._pick(files)
        del files[path]
        files[self._new_path(path.rpartition(".")[2])] = b"".join(lines)

    def _swap_files(self, files: Files) -> None:
        if len(files) > 1:
            one, other = self.random.sample(sorted(files), 2)
            files[one], files[other] = files[other], files[one]

    def _delete_file(self, files: Files) -> None:
        if len(files) > 2:
            del files[self._pick(files)[0]]

    def _add_file(self, files: Files) -> None:
        extension = self.random.choice(EXTENSIONS)
        files[self._new_path(extension)] = b"".join(self.lines(extension, self.random.randint(0, 30)))

    def _copy_file(self, files: Files) -> None:
        path, lines = self._pick(files)
        files[self._new_path(path.rpartition(".")[2])] = b"".join(lines)

    def _change_line_ends(self, files: Files) -> None:
        path, lines = self._pick(files)
        data = b"".join(lines)
        choice = self.random.random()
        if choice < 0.4:
            files[path] = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        elif choice < 0.7:
            files[path] = data.rstrip(b"\r\n")
        else:
            files[path] = data + b"\n"

    def _flip_binary(self, files: Files) -> None:
        path, lines = self._pick(files)
        data = b"".join(lines)
        files[path] = data.replace(b"\0", b"") if b"\0" in data else data[:20] + b"\0" + data[20:]

    def _make_link(self, files: Files) -> None:
        path, _ = self._pick(files)
        files[path] = _LINK + self.random.choice(_WORDS).encode()
