"""The claim about foreign code on invented files, and the format of its list."""

import math
import re

from tests.validity.arrivals import foreign_files
from tests.validity.arrivals.foreign_files import COMPLETE, JUDGEMENTS, _File


def test_the_list_names_every_file_once() -> None:
    files = foreign_files.listed()
    assert len({(one.repository, one.commit, one.path) for one in files}) == len(files) > 200
    assert {one.judgement for one in files} == set(JUDGEMENTS)
    assert all(re.fullmatch("[0-9a-f]{9}", one.commit) and one.reason for one in files)
    for name in COMPLETE:
        assert {"foreign", "own"} <= {one.judgement for one in files if one.repository == name}


def test_precision_is_by_files_and_recall_by_lines_of_complete_histories() -> None:
    files = [
        _File("psf/black", True, True, 300, "FOREIGN"),
        _File("psf/black", True, True, 500, None),
        _File("psf/black", True, True, 200, "IMPORT"),
        _File("psf/black", False, True, 900, "FOREIGN"),
        _File("psf/black", False, True, 900, "IMPORT"),
        _File("pytest-dev/pytest", True, True, 9000, None),
        _File("pytest-dev/pytest", True, True, 100, "FOREIGN"),
        # The list has short files only where the product calls them foreign.
        _File("psf/black", True, False, 100, "FOREIGN"),
    ]
    precision, recall = foreign_files.measured(files, "1")
    assert (precision.size, precision.figure) == (4, 3 / 4)
    assert (recall.size, recall.figure) == (3, 0.5)
    assert precision.verdict == "MISSED"
    assert recall.verdict == "ok"


def test_without_a_foreign_file_nothing_is_measured() -> None:
    precision, recall = foreign_files.measured([_File("psf/black", False, True, 9, None)], "1")
    assert math.isnan(precision.figure)
    assert math.isnan(recall.figure)
    assert (precision.interval, recall.interval) == (None, None)
