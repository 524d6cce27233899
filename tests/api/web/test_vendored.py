"""The script that pages have from elsewhere is the published one."""

from tests.api.web.chromium.vendored import COPY, original


def test_the_copy_of_htmx_is_the_script_of_its_package() -> None:
    assert COPY.read_bytes() == original()
