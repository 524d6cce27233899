"""Ways to tell a work: the honest one, and those of somebody who wants more for it.

Add: a way to do the same. Keep out: what it may earn (tellings_earned.py).
"""

from __future__ import annotations

from tests.dbt.stories import (
    LARGE,
    Telling,
    Way,
    formatted,
    library,
    module,
    names_changed,
    plain_code,
    statements,
)

MANY, MANY_LINES = 190, 90


def honest(telling: Telling) -> None:
    telling.begin().do()


# Branches


def on_branch(telling: Telling, steps: list[dict[str, str]]) -> None:
    telling.begin().repository.branch("topic")
    for number, files in enumerate(steps):
        telling.commit(files, f"Step {number}", branch="topic")


def merged(telling: Telling) -> None:
    on_branch(telling, telling.work.steps(5))
    telling.merge("topic")


def merged_in_another_order(telling: Telling) -> None:
    on_branch(telling, telling.work.backwards(5))
    telling.merge("topic")


def merged_in_two_commits(telling: Telling) -> None:
    on_branch(telling, telling.work.steps(2))
    telling.merge("topic")


def squashed(telling: Telling) -> None:
    on_branch(telling, telling.work.steps(5))
    telling.do("Do the work (#12)\n\n* Step 0\n* Step 1")


def rebased(telling: Telling) -> None:
    """The commits of the branch once more on top of what others delivered; the first ones stay where they were."""
    steps = telling.work.steps(5)
    on_branch(telling, steps)
    telling.commit({"README": "y\n"}, author=telling.other)
    telling.repository.branch("again", telling.repository.heads["main"])
    for number, files in enumerate(steps):
        telling.commit(files, f"Step {number}", branch="again")
    telling.merge("again")


def one_by_one(telling: Telling) -> None:
    """The commits of the branch one by one on the default branch, each a delivery."""
    telling.begin()
    for number, files in enumerate(telling.work.steps(5)):
        telling.commit(files, f"Step {number}")


def merged_with_detours(telling: Telling) -> None:
    """On the branch things are written that never arrive."""
    on_branch(telling, telling.work.steps(3))
    telling.commit({"src/three.py": telling.work.after["src/two.py"][:4000]}, branch="topic")
    telling.commit({"src/three.py": None, "src/two.py": "gone = True\n"}, branch="topic")
    telling.commit(telling.work.after, branch="topic")
    telling.merge("topic")


def merged_after_catching_up(telling: Telling) -> None:
    first, *others = telling.work.steps(4)
    on_branch(telling, [first])
    telling.commit({"README": "y\n"}, author=telling.other)
    telling.repository.merge("main", into="topic", author=telling.worker)
    for files in others:
        telling.commit(files, branch="topic")
    telling.merge("topic")


def merged_from_two_branches(telling: Telling) -> None:
    """A file each."""
    telling.begin()
    for name, path in (("a", "src/one.py"), ("b", "src/two.py")):
        telling.repository.branch(name, telling.start[0])
        telling.commit({path: telling.work.after[path]}, branch=name)
    telling.merge("a")
    telling.merge("b")


def merged_at_once(telling: Telling) -> None:
    telling.begin()
    for name, path in (("a", "src/one.py"), ("b", "src/two.py")):
        telling.repository.branch(name, telling.start[0])
        telling.commit({path: telling.work.after[path]}, branch=name)
    telling.repository.merge("a", "b", author=telling.worker)


def picked_to_a_release_and_back(telling: Telling) -> None:
    telling.begin().repository.branch("release")
    telling.do()
    telling.commit(telling.work.after, "Pick", branch="release", author=telling.other)
    telling.merge("release")


# Splitting


def by_place(telling: Telling) -> None:
    telling.begin()
    for files in telling.work.steps(20):
        telling.commit(files)


def in_one_piece(telling: Telling) -> None:
    """The work without its docstrings, whose lines pass for code as long as their ends are missing."""
    telling.work = telling.work.without_texts()
    telling.begin().do()


def line_by_line(telling: Telling) -> None:
    telling.work = telling.work.without_texts()
    telling.begin()
    for files in telling.work.interleaved(10):
        telling.commit(files)


def in_many_files(telling: Telling) -> None:
    parts = statements(telling.work.after["src/two.py"])
    files = {f"src/two/part_{at:03}.py": part for at, part in enumerate(parts)}
    telling.begin()
    telling.commit({"src/one.py": telling.work.after["src/one.py"]} | files)


# Taking back


def reverted(telling: Telling) -> None:
    sha = telling.begin().do().repository.heads["main"]
    before = dict.fromkeys(telling.work.after) | telling.work.before
    telling.commit(before, f'Revert "Do the work"\n\nThis reverts commit {sha}.', after_days=2)


def removed(telling: Telling) -> None:
    telling.begin().do()
    telling.commit(dict.fromkeys(telling.work.after) | telling.work.before, "Tidy up", after_days=2)


def written_again(telling: Telling) -> None:
    removed(telling)
    telling.commit(telling.work.after, "Do it again", after_days=2)


def taken_out_and_put_back(telling: Telling) -> None:
    """Old code of somebody else, three times; nothing is different in the end."""
    telling.begin(telling.work.after)
    for _ in range(3):
        telling.commit(dict.fromkeys(telling.work.after) | telling.work.before, "Tidy up", after_days=1)
        telling.commit(telling.work.after, "Put it back", after_days=1)


def mended_next_day(telling: Telling) -> None:
    broken = {path: text.replace("None", "True") for path, text in telling.work.after.items()}
    telling.begin()
    telling.commit(broken)
    telling.commit(telling.work.after, "Mend it", after_days=1)


def rewritten_cosmetically(telling: Telling) -> None:
    renamed = {path: names_changed(text) for path, text in telling.work.after.items()}
    telling.begin().do()
    telling.commit(renamed, "Better names", after_days=3)


# Afterwards, by somebody else, when the code is a month old


def written(telling: Telling) -> None:
    """All the code at once and for the first time."""
    telling.begin({}).do()


def later(telling: Telling, files: dict[str, str | None]) -> None:
    written(telling)
    telling.commit(files, "Tidy up", author=telling.other, after_days=30)


def reindented(telling: Telling) -> None:
    later(telling, {p: _indented(t, "      ") for p, t in telling.work.after.items()})


def tabbed(telling: Telling) -> None:
    later(telling, {p: t.replace("    ", "\t") for p, t in telling.work.after.items()})


def formatted_first(telling: Telling) -> None:
    telling.begin({})
    telling.commit({p: formatted(t, 80) for p, t in telling.own(telling.work.after).items()})


def reflowed(telling: Telling) -> None:
    formatted_first(telling)
    files = {p: formatted(t, 60) for p, t in telling.own(telling.work.after).items()}
    telling.commit(files, "Tidy up", author=telling.other, after_days=30)


def requoted(telling: Telling) -> None:
    formatted_first(telling)
    files = {p: formatted(t, 80, "single") for p, t in telling.own(telling.work.after).items()}
    telling.commit(files, "Tidy up", author=telling.other, after_days=30)


def renamed(telling: Telling) -> None:
    files: dict[str, str | None] = {f"lib/{p}": t for p, t in telling.work.after.items()}
    later(telling, files | dict.fromkeys(telling.work.after))


def moved_within(telling: Telling) -> None:
    turned = {p: "".join(_turned(statements(t))) for p, t in telling.work.after.items()}
    later(telling, turned)


def moved_between(telling: Telling) -> None:
    parts = statements(telling.work.after["src/two.py"])
    half = len(parts) // 2
    files = {"src/two.py": "".join(parts[:half]), "src/three.py": "".join(parts[half:])}
    later(telling, files)


def copied(telling: Telling) -> None:
    later(telling, {"src/three.py": telling.work.after["src/two.py"]})


def copied_with_other_names(telling: Telling) -> None:
    later(telling, {"src/three.py": names_changed(telling.work.after["src/two.py"])})


def commented_out_and_in(telling: Telling) -> None:
    lines = telling.work.after["src/two.py"].splitlines(keepends=True)
    out = "".join("# " + line if 40 <= at < 100 else line for at, line in enumerate(lines))
    later(telling, {"src/two.py": out})
    telling.commit({"src/two.py": "".join(lines)}, "Tidy up", author=telling.other, after_days=30)


def long_file(telling: Telling) -> None:
    """A large module in one commit."""
    telling.begin({}).commit({"src/long.py": "".join(module(LARGE[telling.work.number]))})


def nine_tenths_of_it(telling: Telling) -> None:
    lines = module(LARGE[telling.work.number])
    telling.begin({}).commit({"src/long.py": "".join(lines[: len(lines) * 9 // 10])})


def in_many_large_files(telling: Telling) -> dict[str, str]:
    """Some thousand lines of the library in many files, and a name that all of them share.

    They come over a week: so many lines in an hour are taken for an import.
    """
    lines = library(telling.number, MANY * MANY_LINES)
    files = {}
    for number in range(MANY):
        own = "".join(lines[number * MANY_LINES : (number + 1) * MANY_LINES])
        files[f"src/f{number:03}.py"] = f"print(SHARED, {number})\n{own}"
    telling.begin({})
    paths = list(files)
    for start in range(0, MANY, MANY // 4 + 1):
        telling.commit({path: files[path] for path in paths[start : start + MANY // 4 + 1]}, after_days=2)
    return files


def renamed_throughout(telling: Telling) -> None:
    """One name in all of some two hundred files."""
    files = in_many_large_files(telling)
    changed = {path: text.replace("SHARED", "COMMON") for path, text in files.items()}
    telling.commit(changed, "Rename", author=telling.other, after_days=30)


# Padding and layout of the work itself


def with_blank_lines(telling: Telling) -> None:
    telling.begin({})
    telling.commit({p: t.replace("\n", "\n\n") for p, t in telling.work.after.items()})


def without_comments(telling: Telling) -> None:
    telling.begin({})
    telling.commit({"src/a.py": plain_code(telling.work.after["src/one.py"])})


def with_comments(telling: Telling) -> None:
    code = plain_code(telling.work.after["src/one.py"]).splitlines(keepends=True)
    lines = [f"{line}# line {n} does its part of the work\n" for n, line in enumerate(code)]
    telling.begin({})
    telling.commit({"src/a.py": "".join(lines)})


def with_dead_code(telling: Telling) -> None:
    dead = "".join(f"unused_{n} = {n}\nif False:\n    print(unused_{n}, {n})\n" for n in range(300))
    telling.begin()
    telling.commit(telling.work.after | {"src/one.py": telling.work.after["src/one.py"] + dead})


def wrapped(width: int) -> Way:
    def tell(telling: Telling) -> None:
        telling.begin({})
        telling.commit({p: formatted(t, width) for p, t in telling.own(telling.work.after).items()})

    return tell


def labelled(label: str) -> Way:
    return lambda telling: telling.begin().do(f"{label}: do the work")


def below(folder: str) -> Way:
    return lambda telling: (
        telling.begin({}),
        telling.commit({f"{folder}{p}": t for p, t in telling.work.after.items()}),
    )


def generated(telling: Telling) -> None:
    mark = "# Code generated by protoc. DO NOT EDIT.\n"
    telling.begin({})
    telling.commit({p: mark + t for p, t in telling.work.after.items()})


def locked(telling: Telling) -> None:
    telling.begin({})
    telling.commit({f"{n}/poetry.lock": t for n, t in enumerate(telling.work.after.values())})


def _indented(text: str, unit: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(unit * ((len(x) - len(x.lstrip(" "))) // 4) + x.lstrip(" ") for x in lines)


def _turned(parts: list[str]) -> list[str]:
    """The last third first."""
    return parts[len(parts) * 2 // 3 :] + parts[: len(parts) * 2 // 3]
