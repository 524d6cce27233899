"""The list of mutations fits the product and the tests of today."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations import results
from tests.mutations.mutation import ROOT, Mutation, mutations, path_of

ALL = mutations()
LEAST = 60


def test_there_are_many_mutations_with_a_name_each() -> None:
    assert len(ALL) >= LEAST
    assert [name for name, count in Counter(one.name for one in ALL).items() if count > 1] == []


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_mutation_fits_the_product_and_its_tests_exist(one: Mutation) -> None:
    mutated = one.mutated(ROOT)
    assert mutated != (ROOT / one.file).read_text()
    assert mutated.strip()
    if one.file.endswith(".py"):
        assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse((ROOT / one.file).read_text()))
    assert one.targets
    for target in one.targets:
        path, _, name = target.partition("::")
        assert (ROOT / path_of(target)).exists(), target
        assert not name or f"def {name}(" in (ROOT / path).read_text(), target


def test_a_text_that_does_not_stand_once_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n")
    for old in ("x = 1", "y"):
        with pytest.raises(ValueError, match="times"):
            Mutation("twice", "area", "a.py", old, "x = 2", ()).mutated(tmp_path)


def test_the_page_has_the_result_of_every_mutation() -> None:
    assert results.page_with(ALL, results.stored()) == results.PAGE.read_text()
