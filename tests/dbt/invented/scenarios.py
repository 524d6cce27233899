"""Variants of committing the same work: the honest one, and those by which an author could try to earn more.

Add: a variant. Keep out: its bars (scenario_bars.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.dbt.invented.scenario import (
    LARGE,
    Scenario,
    Variant,
    formatted,
    library,
    module,
    names_changed,
    plain_code,
    statements,
)

MANY, MANY_LINES = 190, 90


def honest(scenario: Scenario) -> None:
    scenario.begin().do()


# Branches


def on_branch(scenario: Scenario, steps: list[dict[str, str]]) -> None:
    scenario.begin().repository.branch("topic")
    for number, files in enumerate(steps):
        scenario.commit(files, f"Step {number}", branch="topic")


def merged(scenario: Scenario) -> None:
    on_branch(scenario, scenario.work.steps(5))
    scenario.merge("topic")


def merged_in_another_order(scenario: Scenario) -> None:
    on_branch(scenario, scenario.work.backwards(5))
    scenario.merge("topic")


def merged_in_two_commits(scenario: Scenario) -> None:
    on_branch(scenario, scenario.work.steps(2))
    scenario.merge("topic")


def squashed(scenario: Scenario) -> None:
    on_branch(scenario, scenario.work.steps(5))
    scenario.do("Do the work (#12)\n\n* Step 0\n* Step 1")


def rebased(scenario: Scenario) -> None:
    """Repeat the commits of the branch on top of the default branch; the original commits stay."""
    steps = scenario.work.steps(5)
    on_branch(scenario, steps)
    scenario.commit({"README": "y\n"}, author=scenario.other)
    scenario.repository.branch("again", scenario.repository.heads["main"])
    for number, files in enumerate(steps):
        scenario.commit(files, f"Step {number}", branch="again")
    scenario.merge("again")


def one_by_one(scenario: Scenario) -> None:
    """Commit each step on the default branch, each as a delivery."""
    scenario.begin()
    for number, files in enumerate(scenario.work.steps(5)):
        scenario.commit(files, f"Step {number}")


def merged_with_detours(scenario: Scenario) -> None:
    """The branch has code that a later commit removes before the merge."""
    on_branch(scenario, scenario.work.steps(3))
    scenario.commit({"src/three.py": scenario.work.after["src/two.py"][:4000]}, branch="topic")
    scenario.commit({"src/three.py": None, "src/two.py": "gone = True\n"}, branch="topic")
    scenario.commit(scenario.work.after, branch="topic")
    scenario.merge("topic")


def merged_after_catching_up(scenario: Scenario) -> None:
    first, *others = scenario.work.steps(4)
    on_branch(scenario, [first])
    scenario.commit({"README": "y\n"}, author=scenario.other)
    scenario.repository.merge("main", into="topic", author=scenario.worker)
    for files in others:
        scenario.commit(files, branch="topic")
    scenario.merge("topic")


def merged_from_two_branches(scenario: Scenario) -> None:
    """Each branch adds one file."""
    scenario.begin()
    for name, path in (("a", "src/one.py"), ("b", "src/two.py")):
        scenario.repository.branch(name, scenario.start[0])
        scenario.commit({path: scenario.work.after[path]}, branch=name)
    scenario.merge("a")
    scenario.merge("b")


def merged_at_once(scenario: Scenario) -> None:
    scenario.begin()
    for name, path in (("a", "src/one.py"), ("b", "src/two.py")):
        scenario.repository.branch(name, scenario.start[0])
        scenario.commit({path: scenario.work.after[path]}, branch=name)
    scenario.repository.merge("a", "b", author=scenario.worker)


def picked_to_a_release_and_back(scenario: Scenario) -> None:
    scenario.begin().repository.branch("release")
    scenario.do()
    scenario.commit(scenario.work.after, "Pick", branch="release", author=scenario.other)
    scenario.merge("release")


# Splitting


def by_place(scenario: Scenario) -> None:
    scenario.begin()
    for files in scenario.work.steps(20):
        scenario.commit(files)


def in_one_piece(scenario: Scenario) -> None:
    """The work without docstrings: half a docstring counts as code until its end is committed."""
    scenario.work = scenario.work.without_texts()
    scenario.begin().do()


def line_by_line(scenario: Scenario) -> None:
    scenario.work = scenario.work.without_texts()
    scenario.begin()
    for files in scenario.work.interleaved(10):
        scenario.commit(files)


def in_many_files(scenario: Scenario) -> None:
    parts = statements(scenario.work.after["src/two.py"])
    files = {f"src/two/part_{at:03}.py": part for at, part in enumerate(parts)}
    scenario.begin()
    scenario.commit({"src/one.py": scenario.work.after["src/one.py"]} | files)


# Reverts and repetitions


def reverted(scenario: Scenario) -> None:
    sha = scenario.begin().do().repository.heads["main"]
    before = dict.fromkeys(scenario.work.after) | scenario.work.before
    scenario.commit(before, f'Revert "Do the work"\n\nThis reverts commit {sha}.', after_days=2)


def removed(scenario: Scenario) -> None:
    scenario.begin().do()
    scenario.commit(dict.fromkeys(scenario.work.after) | scenario.work.before, "Tidy up", after_days=2)


def written_again(scenario: Scenario) -> None:
    removed(scenario)
    scenario.commit(scenario.work.after, "Do it again", after_days=2)


def taken_out_and_put_back(scenario: Scenario) -> None:
    """Remove old code of another author and restore it, three times, without a net change."""
    scenario.begin(scenario.work.after)
    for _ in range(3):
        scenario.commit(dict.fromkeys(scenario.work.after) | scenario.work.before, "Tidy up", after_days=1)
        scenario.commit(scenario.work.after, "Put it back", after_days=1)


def mended_next_day(scenario: Scenario) -> None:
    broken = {path: text.replace("None", "True") for path, text in scenario.work.after.items()}
    scenario.begin()
    scenario.commit(broken)
    scenario.commit(scenario.work.after, "Mend it", after_days=1)


def rewritten_cosmetically(scenario: Scenario) -> None:
    """Replace names in the file that is wholly the author's own."""
    scenario.begin().do()
    path = "src/two.py"
    scenario.commit({path: names_changed(scenario.work.after[path])}, "Better names", after_days=3)


# Later changes by another author, when the code is a month old


def written(scenario: Scenario) -> None:
    """Commit all the code at once, without earlier code."""
    scenario.begin({}).do()


def later(scenario: Scenario, files: Mapping[str, str | None]) -> None:
    written(scenario)
    scenario.commit(files, "Tidy up", author=scenario.other, after_days=30)


def reindented(scenario: Scenario) -> None:
    later(scenario, {p: _indented(t, "      ") for p, t in scenario.work.after.items()})


def tabbed(scenario: Scenario) -> None:
    later(scenario, {p: t.replace("    ", "\t") for p, t in scenario.work.after.items()})


def formatted_first(scenario: Scenario) -> None:
    scenario.begin({})
    scenario.commit({p: formatted(t, 80) for p, t in scenario.own(scenario.work.after).items()})


def reflowed(scenario: Scenario) -> None:
    formatted_first(scenario)
    files = {p: formatted(t, 60) for p, t in scenario.own(scenario.work.after).items()}
    scenario.commit(files, "Tidy up", author=scenario.other, after_days=30)


def requoted(scenario: Scenario) -> None:
    formatted_first(scenario)
    files = {p: formatted(t, 80, "single") for p, t in scenario.own(scenario.work.after).items()}
    scenario.commit(files, "Tidy up", author=scenario.other, after_days=30)


def renamed(scenario: Scenario) -> None:
    files: dict[str, str | None] = {f"lib/{p}": t for p, t in scenario.work.after.items()}
    later(scenario, files | dict.fromkeys(scenario.work.after))


def moved_within(scenario: Scenario) -> None:
    turned = {p: "".join(_turned(statements(t))) for p, t in scenario.work.after.items()}
    later(scenario, turned)


def moved_between(scenario: Scenario) -> None:
    parts = statements(scenario.work.after["src/two.py"])
    half = len(parts) // 2
    files = {"src/two.py": "".join(parts[:half]), "src/three.py": "".join(parts[half:])}
    later(scenario, files)


def copied(scenario: Scenario) -> None:
    later(scenario, {"src/three.py": scenario.work.after["src/two.py"]})


def copied_with_other_names(scenario: Scenario) -> None:
    later(scenario, {"src/three.py": names_changed(scenario.work.after["src/two.py"])})


def commented_out_and_in(scenario: Scenario) -> None:
    lines = scenario.work.after["src/two.py"].splitlines(keepends=True)
    out = "".join("# " + line if 40 <= at < 100 else line for at, line in enumerate(lines))
    later(scenario, {"src/two.py": out})
    scenario.commit({"src/two.py": "".join(lines)}, "Tidy up", author=scenario.other, after_days=30)


def long_file(scenario: Scenario) -> None:
    """Commit a large module at once."""
    scenario.begin({}).commit({"src/long.py": "".join(module(LARGE[scenario.work.number]))})


def nine_tenths_of_it(scenario: Scenario) -> None:
    lines = module(LARGE[scenario.work.number])
    scenario.begin({}).commit({"src/long.py": "".join(lines[: len(lines) * 9 // 10])})


def in_many_large_files(scenario: Scenario) -> dict[str, str]:
    """Commit thousands of lines in many files that share a name.

    The commits take a week, because so many lines in an hour would be an import.
    """
    lines = library(scenario.number, MANY * MANY_LINES)
    files = {}
    for number in range(MANY):
        own = "".join(lines[number * MANY_LINES : (number + 1) * MANY_LINES])
        files[f"src/f{number:03}.py"] = f"print(SHARED, {number})\n{own}"
    scenario.begin({})
    paths = list(files)
    for start in range(0, MANY, MANY // 4 + 1):
        scenario.commit({path: files[path] for path in paths[start : start + MANY // 4 + 1]}, after_days=2)
    return files


def renamed_throughout(scenario: Scenario) -> None:
    """Rename the shared name in about 200 files."""
    files = in_many_large_files(scenario)
    changed = {path: text.replace("SHARED", "COMMON") for path, text in files.items()}
    scenario.commit(changed, "Rename", author=scenario.other, after_days=30)


# Padding and layout of the work itself


def with_blank_lines(scenario: Scenario) -> None:
    scenario.begin({})
    scenario.commit({p: t.replace("\n", "\n\n") for p, t in scenario.work.after.items()})


def without_comments(scenario: Scenario) -> None:
    scenario.begin({})
    scenario.commit({"src/a.py": plain_code(scenario.work.after["src/one.py"])})


def with_comments(scenario: Scenario) -> None:
    code = plain_code(scenario.work.after["src/one.py"]).splitlines(keepends=True)
    lines = [f"{line}# line {n} does its part of the work\n" for n, line in enumerate(code)]
    scenario.begin({})
    scenario.commit({"src/a.py": "".join(lines)})


def with_dead_code(scenario: Scenario) -> None:
    dead = "".join(f"unused_{n} = {n}\nif False:\n    print(unused_{n}, {n})\n" for n in range(300))
    scenario.begin()
    scenario.commit(scenario.work.after | {"src/one.py": scenario.work.after["src/one.py"] + dead})


def wrapped(width: int) -> Variant:
    def tell(scenario: Scenario) -> None:
        scenario.begin({})
        scenario.commit({p: formatted(t, width) for p, t in scenario.own(scenario.work.after).items()})

    return tell


def labelled(label: str) -> Variant:
    return lambda scenario: scenario.begin().do(f"{label}: do the work")


def below(folder: str) -> Variant:
    return lambda scenario: (
        scenario.begin({}),
        scenario.commit({f"{folder}{p}": t for p, t in scenario.work.after.items()}),
    )


def generated(scenario: Scenario) -> None:
    mark = "# Code generated by protoc. DO NOT EDIT.\n"
    scenario.begin({})
    scenario.commit({p: mark + t for p, t in scenario.work.after.items()})


def locked(scenario: Scenario) -> None:
    scenario.begin({})
    scenario.commit({f"{n}/poetry.lock": t for n, t in enumerate(scenario.work.after.values())})


def _indented(text: str, unit: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(unit * ((len(x) - len(x.lstrip(" "))) // 4) + x.lstrip(" ") for x in lines)


def _turned(parts: list[str]) -> list[str]:
    """The lines with the last third first."""
    return parts[len(parts) * 2 // 3 :] + parts[: len(parts) * 2 // 3]
