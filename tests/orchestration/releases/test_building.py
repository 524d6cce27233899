"""What a release takes from the checkout. No image is made here."""

from __future__ import annotations

import re

from ingest.settings import CHECKOUT
from orchestration.build.spark_session import PACKAGES_COMMAND
from orchestration.releases.building import SOURCE


def test_a_release_has_the_file_that_the_message_about_spark_names() -> None:
    [named] = re.findall(r"-r (\S+)", PACKAGES_COMMAND)
    assert named in SOURCE


def test_everything_that_a_release_takes_is_there() -> None:
    assert [name for name in SOURCE if not (CHECKOUT / name).exists()] == []
