"""Rows of an explanation add up, and links to hosts have the addresses that the hosts use."""

import pytest

from api.web.details.explanation import bar_of, bars_of, class_rows, in_classes, line_rows, lines_of
from api.web.details.hosts import pages_of

SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"


def line(name: str, lines: int, weight: int, **more: object) -> dict[str, object]:
    usual = {"originalClass": name, "tokens": None, "rank": None, "note": None}
    return (
        usual | {"class": name, "lines": lines, "weightMicros": weight, "pointsMicros": lines * weight} | more
    )


def file(classes: list[dict[str, object]], points: int, **more: object) -> dict[str, object]:
    amounts = {"linePointsMicros": 0, "removedPointsMicros": 0, "fileBonusMicros": 0, "pointsMicros": points}
    return {"lineClasses": classes, "zeroReason": None, "copiedFrom": None} | amounts | more


def test_the_rows_of_a_commit_add_up_to_its_points() -> None:
    files = [
        file(
            [line("NOVEL", 3, 2_000_000), line("COPIED", 4, 0), line("REMOVED", 1, 1_000_000)],
            12_000_000,
            linePointsMicros=6_000_000,
            removedPointsMicros=1_000_000,
            fileBonusMicros=5_000_000,
            copiedFrom="src/old.py",
        ),
        file([line("NOVEL", 2, 2_000_000)], 1_000_000, linePointsMicros=4_000_000),
        file([line("NOVEL", 9, 1_000_000)], 0, linePointsMicros=9_000_000, zeroReason="GENERATED"),
    ]
    rows = {row.name: row for row in class_rows({"files": files, "zeroReason": None})}
    assert sum(row.points for row in rows.values()) == pytest.approx(13)
    assert (rows["Novel"].lines, rows["Novel"].points) == (14, 19)
    assert rows["Copied"].rule == "from src/old.py"
    assert rows["Tests and documentation"].points == -3
    assert (rows["Files that do not count"].points, rows["Files that do not count"].rule) == (-9, "generated")


def test_a_commit_that_does_not_count_ends_with_nothing() -> None:
    files = [file([line("NOVEL", 3, 2_000_000)], 6_000_000, linePointsMicros=6_000_000)]
    assert sum(row.points for row in class_rows({"files": files, "zeroReason": "IMPORT"})) == 0


def test_bars_have_the_lines_by_class_each_once() -> None:
    files = [
        file([line("NOVEL", 30, 1), line("LAYOUT", 10, 0), line("TAKEN_BACK", 5, -1)], 1),
        file([line("LAYOUT", 10, 0)], 0),
    ]
    assert [lines_of(one) for one in files] == [40, 10]
    assert [[(one.mark, one.start, one.width) for one in bar] for bar in bars_of(files)] == [
        [("l-novel", 0, 75), ("l-layout", 75, 25)],
        [("l-layout", 0, 25)],
    ]
    bar = bar_of({"files": files, "zeroReason": None})
    assert [(one.mark, one.start, one.width) for one in bar] == [("l-novel", 0, 600), ("l-layout", 600, 400)]
    assert bars_of([file([], 0)]) == [[]]


def test_lines_that_earn_most_come_first_with_a_former_class() -> None:
    found = line_rows(file([line("LAYOUT", 5, 0), line("COMMENT", 2, 50_000, originalClass="NOVEL")], 0))
    assert [(row.name, row.each, row.rule) for row in found] == [
        ("Comment", 0.05, "first novel"),
        ("Layout", 0, ""),
    ]
    assert in_classes(file([line("NOVEL", 2, 1), line("LAYOUT", 5, 0), line("NOVEL", 4, 2)], 0)) == (
        "6 novel, 5 layout"
    )


@pytest.mark.parametrize(
    ("address", "kind", "expected"),
    [
        ("https://github.com/acme/web.git", None, f"https://github.com/acme/web/blob/{SHA}/a%20b/%23c.py"),
        (
            "git@gitlab.com:acme/sub/web.git",
            None,
            f"https://gitlab.com/acme/sub/web/-/blob/{SHA}/a%20b/%23c.py",
        ),
        (
            "https://git.example:8443/acme/web",
            "GITEA",
            f"https://git.example:8443/acme/web/src/commit/{SHA}/a%20b/%23c.py",
        ),
        (
            "https://bit.example/scm/key/web.git",
            "BITBUCKET_DATA_CENTER",
            f"https://bit.example/projects/key/repos/web/browse/a%20b/%23c.py?at={SHA}",
        ),
        (
            "ssh://git@codeberg.org/acme/web",
            None,
            f"https://codeberg.org/acme/web/src/commit/{SHA}/a%20b/%23c.py",
        ),
        (
            "https://dev.azure.com/acme/pay/_git/web",
            None,
            f"https://dev.azure.com/acme/pay/_git/web?path=/a%20b/%23c.py&version=GC{SHA}",
        ),
    ],
)
def test_a_file_has_the_address_of_its_host(address: str, kind: str | None, expected: str) -> None:
    found = pages_of(address, kind)
    assert found is not None
    assert found.file(SHA, "a b/#c.py") == expected


@pytest.mark.parametrize(
    "address",
    [None, "", "/srv/git/web.git", "javascript:alert(1)//github.com", "https://git.example/acme/web"],
)
def test_a_folder_and_a_host_of_unknown_kind_have_no_pages(address: str | None) -> None:
    assert pages_of(address, None) is None
