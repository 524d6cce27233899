"""Lines that are read again from a clone are those of Git, and have the classes and authors that a run counted."""

from collections import Counter
from pathlib import Path

import pytest

from ingest.errors import LimitExceeded, NotARepository, Permanent
from ingest.git.limits import Limits
from ingest.git.single_lines.excerpts import TooLarge
from ingest.git.single_lines.reading import MAX_MEMORY
from ingest.git.single_lines.replay import delivered_file
from ingest.lines import read_lines
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.growing_history import GrowingHistory

pytestmark = pytest.mark.usefixtures("fast_lake")

Lines = Counter[tuple[str, str, int, int]]
SAME = 0.75
"""Share of the lines of a random history with the class, tokens, rank and author of the run. It repeats itself, so that
others had been removed before.
"""
NEW = "def total(basket):\n    return sum(item.price for item in basket)\n"
CHANGED = (
    "def total(basket):\n    # Prices have no tax.\n    return sum(item.price for item in basket) * TAX\n"
)


@pytest.fixture(scope="module", params=range(2))
def extracted(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Extraction:
    """A lake that holds a grown history."""
    folder = tmp_path_factory.mktemp("history")
    history = GrowingHistory(GitRepository(folder / "repository"), 300 + request.param)
    for _ in range(40):
        history.step()
    extraction = Extraction(folder / "repository", folder / "raw")
    extraction.run()
    return extraction


def counted(extraction: Extraction) -> dict[tuple[str, str], Lines]:
    """The lines of each delivered file by author, class, tokens and rank, as the run counted them."""
    found: dict[tuple[str, str], Lines] = {}
    for row in extraction.rows("delivered_lines"):
        lines = found.setdefault((row["delivery_sha"], row["path"]), Counter())
        for one in row["lines"]:
            lines[row["credited_sha"], one["class"], one["tokens"], one["rank"]] += one["lines"]
    return found


def test_lines_have_the_classes_and_authors_of_the_run(extracted: Extraction) -> None:
    lines = same = 0
    for (delivery, path), expected in counted(extracted).items():
        read = delivered_file(extracted.repository, delivery, path)
        found: Lines = Counter((one.commit, one.name, one.tokens, one.rank) for one in read.added)
        if found:
            assert found.total() == expected.total()
            lines, same = lines + found.total(), same + (found & expected).total()
    assert lines > 300
    assert same / lines >= SAME, f"{same} of {lines}"


def test_lines_have_the_numbers_and_texts_of_git(extracted: Extraction) -> None:
    git, compared = GitRepository.__new__(GitRepository), 0
    git.path = extracted.repository
    for delivery, path in list(counted(extracted))[:40]:
        if not git.git("rev-parse", f"{delivery}^@").split():
            continue
        read = delivered_file(extracted.repository, delivery, path)
        new = git.git("show", f"{delivery}:{path}").split("\n")
        assert all(new[one.number - 1].rstrip("\r") == one.text for one in read.added)
        compared += len(read.added)
    assert compared > 50


def test_a_changed_line_stands_on_both_sides(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "shop")
    repository.commit({"shop/basket.py": NEW})
    sha = repository.commit({"shop/basket.py": CHANGED})
    read = delivered_file(repository.path, sha, "shop/basket.py")
    assert [(one.number, one.name, one.text.strip()) for one in read.added] == [
        (2, "comment", "# Prices have no tax."),
        (3, "novel", "return sum(item.price for item in basket) * TAX"),
    ]
    assert [(one.number, one.text.strip()) for one in read.removed] == [
        (2, "return sum(item.price for item in basket)")
    ]


def test_lines_of_a_branch_belong_to_the_commits_that_wrote_them(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "shop")
    base = repository.commit({"a.py": "first = 1\n"})
    repository.branch("work", base)
    one = repository.commit({"a.py": "first = 1\nsecond = load(2)\n"}, branch="work")
    two = repository.commit({"a.py": "first = 1\nsecond = load(2)\nthird = store(3)\n"}, branch="work")
    merge = repository.merge("work")
    read = delivered_file(repository.path, merge, "a.py")
    assert [(line.number, line.commit) for line in read.added] == [(2, one), (3, two)]


def test_a_moved_and_a_copied_line_are_known_from_the_other_files(tmp_path: Path) -> None:
    block = "".join(f"    total += parts[{n}].price * weights[{n}] + fee_{n}\n" for n in range(8))
    repository = GitRepository(tmp_path / "shop")
    repository.commit({"a.py": f"def one():\n{block}", "b.py": "moved = only(here)\n"})
    sha = repository.commit({"c.py": f"def two():\n{block}moved = only(here)\n", "b.py": None})
    names = Counter(line.name for line in delivered_file(repository.path, sha, "c.py").added)
    assert names == {"copied": 8, "moved": 1, "novel": 1}


def test_what_is_not_at_hand_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.git.single_lines.reading.resource.setrlimit", lambda *_: None)
    repository = GitRepository(tmp_path / "shop")
    sha = repository.commit({"a.py": NEW, "b.py": NEW})
    assert read_lines(str(tmp_path / "nowhere"), sha, "a.py", ()) == "NO_CLONE"
    (tmp_path / "empty").mkdir()
    assert read_lines(str(tmp_path / "empty"), sha, "a.py", ()) == "NO_CLONE"
    assert read_lines(str(repository.path), "0" * 40, "a.py", ()) == "UNREADABLE"
    assert MAX_MEMORY == 2 * 1024**3
    with pytest.raises(LimitExceeded):
        delivered_file(repository.path, sha, "a.py", limits=Limits(commit_paths=1))
    with monkeypatch.context() as patched:
        patched.setattr("ingest.git.single_lines.excerpts.MAX_COMMITS", 0)
        with pytest.raises(TooLarge):
            delivered_file(repository.path, sha, "a.py")
    with pytest.raises(NotARepository):
        delivered_file(tmp_path / "empty", sha, "a.py")
    with pytest.raises(Permanent):
        delivered_file(repository.path, "0" * 40, "a.py")


def test_a_file_without_readable_lines_has_none(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "shop")
    sha = repository.commit({"a.bin": b"\0\1\2" * 50, "b.py": NEW})
    assert not delivered_file(repository.path, sha, "a.bin").added
    assert not delivered_file(repository.path, sha, "missing.py").added


def test_odd_names_and_times_do_not_stop_a_reading(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "shop")
    repository.commit({"a.py": NEW}, author=b" <>", at=0)
    sha = repository.commit({b"a.py": CHANGED, b"caf\xe9.py": NEW}, author=b"\xff <x@y>")
    assert len(delivered_file(repository.path, sha, "a.py").added) == 2
