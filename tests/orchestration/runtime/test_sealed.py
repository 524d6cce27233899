"""Sealed files are believed only as they were written."""

import pytest

from orchestration.runtime import sealed

CONTENT = {"build_id": "b1", "rows": {"größe": 3}}


def test_the_content_comes_back() -> None:
    assert sealed.unseal(sealed.seal(CONTENT, "o"), "o") == CONTENT


def test_files_of_earlier_releases_have_no_checksum() -> None:
    assert sealed.unseal('{"build_id": "b1"}', "o") == {"build_id": "b1"}


def test_the_file_of_another_owner_is_refused() -> None:
    with pytest.raises(ValueError, match="differs"):
        sealed.unseal(sealed.seal(CONTENT, "o"), "other")


def test_no_flipped_byte_gives_other_content() -> None:
    good = sealed.seal(CONTENT, "o").encode()
    for place in range(len(good)):
        damaged = bytearray(good)
        damaged[place] ^= 1
        try:
            found = sealed.unseal(bytes(damaged), "o")
        except ValueError:
            continue
        # The name of the checksum itself changed: readers refuse keys that they do not know.
        assert found == CONTENT or found.keys() - CONTENT.keys(), place


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"text"', b"\xff\xfe"])
def test_a_file_without_an_object_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - JSON and Unicode have messages of their own
        sealed.unseal(text, "o")
