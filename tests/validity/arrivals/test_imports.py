"""The claim about imports on a tiny invented history, and the format of its list."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.git_repository import HOUR, START, GitRepository
from tests.validity.analysed import analyse
from tests.validity.arrivals import imports
from tests.validity.arrivals.imports import Judged
from tests.validity.claims import Inputs, NotMeasured, Result


def code(name: str, lines: int) -> str:
    """Lines of code without two blocks of the same shape."""
    dice = random.Random(name)

    def term(number: int) -> str:
        return dice.choice(
            [f"{name}_{number}", f"f{number}({name}, {dice.random():.3f})", f"x[{number}]", "-y", "not z"]
        )

    def line(number: int) -> str:
        terms = [term(number + at) for at in range(dice.randrange(1, 7))]
        return (
            f"{name}_{number} = "
            + "".join(f"{one} {dice.choice('+-*/%&|^')} " for one in terms)
            + f"{number}\n"
        )

    return "".join(line(number) for number in range(lines))


def test_a_burst_has_the_judgement_of_most_of_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four bursts of about 9,000 lines by four people, 3,000 lines that no rule finds, and a library of 3,000."""
    repository, shas = GitRepository(tmp_path / "web"), {}
    sizes = {"brought": 9000, "written": 9000, "unclear": 9000, "unseen": 9000, "small": 3000}
    for number, (name, lines) in enumerate(sizes.items()):
        repository.clock = START + number * 1000 * HOUR
        author = f"Person {name.capitalize()} <{name}@example.net>"
        shas[name] = repository.commit({f"src/{name}.py": code(name, lines)}, name, author=author)
    repository.clock += 1000 * HOUR
    shas["library"] = repository.commit({"src/miniz.c": code("library", 3000)}, "library")
    found = analyse({"web": repository.path}, tmp_path / "work", select=imports.MODELS)
    judgements = {
        "brought": "import",
        "written": "own",
        "unclear": "ambiguous",
        "small": "import",
        "library": "import",
    }
    every = [Judged("web", judgement, "why", [shas[name][:12]]) for name, judgement in judgements.items()]
    precision, strict, large, recall, own = (
        one for one in imports.measured(found, every) if isinstance(one, Result)
    )
    # What nobody judged counts as own.
    assert (precision.figure, precision.size) == (1 / 3, 3)
    assert (strict.figure, strict.size) == (1 / 4, 4)
    # No rule finds the other 3,000 lines. The library is known by the name of its file.
    assert large.figure == 1
    assert recall.figure == pytest.approx(12 / 15, abs=0.01)
    assert (own.figure, own.size) == (1, 1)
    # To the former rule 9,000 lines in two weeks were none.
    assert recall.baselines[0].figure == 0
    # Of a history that was judged in part the rest is left out, here what nobody judged.
    monkeypatch.setitem(imports.JUDGED_UNTIL_MICROS, "web", (START + 2500 * HOUR) * 1_000_000)
    first = next(one for one in imports.measured(found, every) if isinstance(one, Result))
    assert (first.figure, first.size) == (1 / 2, 2)


def test_a_missing_history_is_reported(tmp_path: Path) -> None:
    first = next(imports.results(Inputs(tmp_path, None, tmp_path)))
    assert isinstance(first, NotMeasured)


def test_the_list_judges_every_commit_once_with_a_reason() -> None:
    every = imports.judged()
    assert {one.judgement for one in every} == set(imports.JUDGEMENTS)
    assert all(len(one.reason) > 10 for one in every)
    commits = Counter(name for one in every for name in one.commits)
    assert max(commits.values()) == 1
    assert all(re.fullmatch(r"(merge:)?[0-9a-f]{12}", name) for name in commits)
    assert len({one.repository for one in every}) >= 8
