"""The reasons in the OpenAPI document are those that the warehouse gives."""

import csv
from pathlib import Path
from typing import get_args

from api.app import create_app
from api.read.zero_reasons.names import ZeroReasonName

SEED = Path("dbt_project/seeds/zero_reason_texts.csv")


def test_the_document_has_every_reason_of_the_warehouse() -> None:
    with SEED.open() as file:
        known = [row["zero_reason"] for row in csv.DictReader(file)]
    assert list(get_args(ZeroReasonName)) == known
    fields = create_app().openapi()["components"]["schemas"]["Commit"]["properties"]
    assert fields["zeroReason"]["anyOf"][0]["enum"] == known
