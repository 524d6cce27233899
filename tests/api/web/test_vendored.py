"""The scripts that pages have from elsewhere are the published ones."""

import pytest

from orchestration.releases.building import SCRIPTS
from tests.api.web.chromium.vendored import ORIGINALS, STATIC, original


@pytest.mark.parametrize("name", sorted(ORIGINALS))
def test_a_copy_is_the_script_of_its_package(name: str) -> None:
    assert (STATIC / name).read_bytes() == original(name)


def test_each_copy_is_of_the_package_that_the_bill_of_materials_names() -> None:
    assert {name: path.partition("/")[0] for name, path in ORIGINALS.items()} == SCRIPTS
