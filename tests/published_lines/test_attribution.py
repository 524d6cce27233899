"""Which library each published line belongs to, and from which day on."""

import io
import json
import tarfile
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ingest.git.published.compared_lines import compared_lines
from ingest.git.published.known_libraries import SECONDS_A_DAY, KnownLibrary, LibraryIndex
from tests.git_repository import GitRepository
from tests.published_lines.__main__ import read_index, write
from tests.published_lines.archives import PublishedText, read_texts
from tests.published_lines.attribution import Attribution, Line, mark_beginnings
from tests.published_lines.downloads import TIMES, spread
from tests.published_lines.histories import add_package_days, line_days, read_older, read_versions
from tests.published_lines.library_list import Library, read_list


def text(name: str, count: int = 200) -> bytes:
    """Lines of which some are compared."""
    return b"".join(b"%s.slide(handles, %d, values);\n" % (name.encode(), number) for number in range(count))


def index_of(folder: Path, *texts: PublishedText) -> LibraryIndex:
    """The written index of the texts."""
    attribution = Attribution()
    attribution.add(texts)
    write(attribution.lines(), folder)
    return LibraryIndex.read(folder)


def test_a_line_belongs_to_the_first_library_from_its_first_day(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        PublishedText("Slider", 100, "slider.js", text("slider")),
        PublishedText("Slider", 200, "slider.js", text("slider", 400)),
    )
    found = index.find(text("slider", 400), 150 * SECONDS_A_DAY)
    assert found is not None
    assert found.name == "Slider"
    assert 0 < found.later < found.published == found.compared


def test_libraries_are_added_to_a_written_index(tmp_path: Path) -> None:
    index_of(tmp_path, PublishedText("Slider", 200, "slider.js", text("slider")))
    written = read_index(tmp_path)
    attribution = Attribution(None, written)
    attribution.add(
        [
            PublishedText("Press", 100, "press.js", text("press")),
            PublishedText("Press", 300, "slider.js", text("slider", 300)),
            PublishedText("Press", 300, "vendor/slider/more.js", text("more")),
        ]
    )
    write(attribution.lines(), tmp_path)
    found = read_index(tmp_path)
    assert {number: found[number] for number in written} == written
    of = {
        name: {found[number] for number in compared_lines(text(name)).tolist()} for name in ("press", "more")
    }
    assert of == {"press": {Line("Press", 100)}, "more": {Line("Slider", 300)}}
    assert {line.library for line in found.values()} == {"Slider", "Press"}


def test_the_first_commit_of_a_library_is_no_copy(tmp_path: Path) -> None:
    attribution = Attribution()
    attribution.add([PublishedText("Slider", 100, "slider.js", text("slider"))])
    lines = attribution.lines()
    mark_beginnings(lines, {"Slider"})
    write(lines, tmp_path)
    index = LibraryIndex.read(tmp_path)
    own, copy = (index.find(text("slider"), day * SECONDS_A_DAY) for day in (100, 101))
    assert own is not None
    assert copy is not None
    assert own.published == 0
    assert copy.published == copy.compared


def test_a_copy_in_another_package_extends_the_library_that_it_copies(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        PublishedText("Slider", 100, "slider.js", text("slider")),
        PublishedText("Press", 200, "js/slider.js", text("slider", 300)),
    )
    assert index.names == ["Slider"]


def test_a_vendored_folder_of_a_package_is_a_library_of_its_own(tmp_path: Path) -> None:
    index = index_of(tmp_path, PublishedText("pip", 100, "pip/_vendor/urllib3/response.py", text("response")))
    assert index.names == ["urllib3"]


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("pip/_vendor/requests/packages/urllib3/response.py", "urllib3"),
        ("pip/_vendor/__init__.py", "pip"),
        ("pip/_vendor/_markerlib/markers.py", "pip"),
        ("packages.py", "pip"),
        ("packages/scripts/start.py", "pip"),
    ],
)
def test_the_innermost_folder_of_others_names_the_library(tmp_path: Path, path: str, library: str) -> None:
    assert index_of(tmp_path, PublishedText("pip", 100, path, text("response"))).names == [library]


def test_a_package_of_today_has_lines_as_old_as_their_tag(tmp_path: Path) -> None:
    numbers = compared_lines(text("slider")).tolist()
    attribution = Attribution({"Slider": dict.fromkeys(numbers, 100)})
    attribution.add(
        [
            PublishedText("Press", 150, "press.js", text("slider", 60)),
            PublishedText("Slider", 200, "slider.js", text("slider", 400)),
        ]
    )
    lines = attribution.lines()
    assert {lines[number] for number in numbers} == {Line("Slider", 100)}
    assert {line.day for line in lines.values()} == {100, 200}


def test_a_history_shows_that_the_copy_came_out_later() -> None:
    numbers = compared_lines(text("slider")).tolist()
    attribution = Attribution({"Slider": dict.fromkeys(numbers, 100)})
    attribution.add(
        [
            PublishedText("Press", 150, "press.js", text("slider")),
            PublishedText("Slider", 200, "slider.js", text("slider")),
        ]
    )
    assert set(attribution.lines().values()) == {Line("Slider", 100)}


def test_a_history_tells_the_days_of_lines(repository: GitRepository) -> None:
    for count, month in ((100, 1), (150, 2), (200, 4)):
        repository.commit(
            {"src/slider.js": text("slider", count), "other.js": text("other")},
            at=datetime(2015, month, 1, tzinfo=UTC),
        )
    days = line_days(Library("Slider", "npm", "slider", 8), repository.git_dir, {"slider.js"})
    first = compared_lines(text("slider", 100)).tolist()
    assert set(days) == set(compared_lines(text("slider", 200)).tolist())
    assert {days[number] for number in first} == {(date(2015, 1, 1) - date(1970, 1, 1)).days}
    assert sorted(set(days.values())) == [
        (date(2015, month, 1) - date(1970, 1, 1)).days for month in (1, 2, 4)
    ]


def test_built_lines_are_younger_than_the_version_before() -> None:
    first, second = compared_lines(text("slider", 100)).tolist(), compared_lines(text("slider")).tolist()
    built = compared_lines(text("built")).tolist()
    days = dict.fromkeys(first, 50)
    texts = [
        PublishedText("Slider", 100, "slider.js", text("slider")),
        PublishedText("Slider", 200, "slider.js", text("slider") + text("built")),
    ]
    add_package_days(texts, days)
    assert {days[number] for number in first} == {50}
    assert {days[number] for number in second if number not in first} == {100}
    assert {days[number] for number in built} == {101}


def test_versions_of_a_history_are_read_once(repository: GitRepository) -> None:
    for tag, count, month in (("v0.9", 60, 1), ("v1.0", 100, 3), ("v1.1-beta", 150, 4), ("v1.2", 200, 5)):
        files = {"src/slider.js": text("slider", count), "src/same.js": text("same"), "logo.png": b"\0" * 300}
        repository.commit(files | {"tests/slider.js": text("test")}, at=datetime(2015, month, 1, tzinfo=UTC))
        repository.git("tag", tag)
    library = Library("Slider", "git", "slider/slider", 3, parts=("src",), dates={"v1.0": date(2009, 1, 1)})
    found = list(read_versions(library, repository.git_dir))
    assert [(one.path, one.day) for one in found] == [
        ("src/same.js", (date(2009, 1, 1) - date(1970, 1, 1)).days),
        ("src/slider.js", (date(2009, 1, 1) - date(1970, 1, 1)).days),
        ("src/slider.js", (date(2015, 5, 1) - date(1970, 1, 1)).days),
    ]
    named = list(read_versions(library._replace(versions=("v0.9",)), repository.git_dir))
    assert [one.path for one in named] == ["src/same.js", "src/slider.js"]
    old = library._replace(older=2, older_parts=("src/slider.js",), parts=("dist",))
    may = (date(2015, 5, 1) - date(1970, 1, 1)).days
    assert {one.day for one in read_older(old, repository.git_dir, may)} == {14245, 16436}
    assert not list(read_older(old, repository.git_dir, 14245))


def test_authors_date_a_converted_history(repository: GitRepository) -> None:
    for month in range(120):
        repository.commit(
            {"slider.js": text("slider", 20 + month)},
            at=datetime(2005 + month // 12, month % 12 + 1, 1, tzinfo=UTC),
            committed_at=datetime(2016, 1, 1, tzinfo=UTC),
        )
    days = line_days(Library("Slider", "npm", "slider", 8), repository.git_dir, {"slider.js"})
    assert min(days.values()) == (date(2005, 1, 1) - date(1970, 1, 1)).days
    assert len(set(days.values())) > 20


def test_lines_of_four_libraries_are_nobodys(tmp_path: Path) -> None:
    shared = text("shared", 60)
    texts = [
        PublishedText(name, 100, f"{name}.js", shared + text(name, 300)) for name in ("a", "b", "c", "d")
    ]
    index = index_of(tmp_path, *texts)
    assert index.find(shared, 200 * SECONDS_A_DAY) is None
    assert index.find(text("a"), 200 * SECONDS_A_DAY) is not None


def test_built_files_are_left_out(tmp_path: Path) -> None:
    built = b"a.slide(handles, values);" * 4_000
    attribution = Attribution()
    attribution.add([PublishedText("Slider", 100, "slider.js", built)])
    assert not attribution.lines()


def packed(folder: Path, name: str, day: date, files: dict[str, bytes]) -> None:
    """A package of files that a tool packed on a day."""
    with tarfile.open(folder / name, "w:gz") as tar:
        for path, data in files.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size, member.mtime = len(data), (day - date(1970, 1, 1)).days * SECONDS_A_DAY
            tar.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize(
    ("packed_on", "dates", "day"),
    [
        (date(2014, 5, 6), {}, date(2014, 5, 6)),
        (date(1985, 10, 26), {}, date(2024, 12, 7)),
        (date(1985, 10, 26), {"1.2.0": date(2019, 6, 20)}, date(2019, 6, 20)),
    ],
    ids=["of files", "of the registry", "of the list"],
)
def test_the_day_of_a_version(tmp_path: Path, packed_on: date, dates: dict[str, date], day: date) -> None:
    files = {"slider.js": text("slider"), "slider.min.js": text("slider"), "LICENSE": text("terms")}
    packed(tmp_path, "slider-1.2.0.tgz", packed_on, files)
    (tmp_path / TIMES).write_text(json.dumps({"1.2.0": "2024-12-07T08:02:40.880000+00:00"}))
    found = list(read_texts(Library("Slider", "npm", "slider", 8, dates=dates), tmp_path))
    assert [(one.path, one.day) for one in found] == [("slider.js", (day - date(1970, 1, 1)).days)]


def test_only_the_parts_of_a_wheel_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "site-1.0-py3-none-any.whl", "w") as wheel:
        for path in ("site/theme/a.css", "site/code.py"):
            wheel.writestr(zipfile.ZipInfo(path, (2015, 1, 2, 0, 0, 0)), text("a"))
    found = read_texts(Library("Site", "pypi", "site", 8, parts=("site/theme",)), tmp_path)
    assert [one.path for one in found] == ["site/theme/a.css"]


def test_versions_are_spread() -> None:
    versions = [f"{major}.{minor}.0" for major in range(3) for minor in range(10)]
    assert spread(versions, 6) == ["0.0.0", "0.7.0", "0.9.0", "1.5.0", "1.9.0", "2.9.0"]
    assert spread(versions[:4], 6) == versions[:4]
    assert len(spread([f"{major}.0.0" for major in range(40)], 6)) == 6


def test_a_text_that_many_copied_is_found(tmp_path: Path) -> None:
    index = index_of(tmp_path, PublishedText("Slider", 100, "slider.js", text("slider")))
    found = index.find(text("slider"), 101 * SECONDS_A_DAY)
    assert found == KnownLibrary("Slider", len(index), 0, len(index))


def test_the_list_is_complete(tmp_path: Path) -> None:
    assert len({(one.source, one.package) for one in read_list()}) == len(read_list())
    wrong = tmp_path / "libraries.toml"
    wrong.write_text('[[library]]\nname = "Slider"\nnpm = "slider"\nhome = "x"\n')
    with pytest.raises(ValueError, match="may also have"):
        read_list(wrong)
