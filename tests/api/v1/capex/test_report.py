"""The CapEx report in every format. No cell can run as a formula."""

import csv
import io
import re
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import openpyxl
import pyarrow.parquet as pq
import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import Facts

NUMBERS = (
    "hours",
    "capex_percent",
    "capex_percent_low",
    "capex_percent_high",
    "capex_hours",
    "opex_hours",
    "etv",
    "capitalizable_etv",
    "effort",
    "capitalizable_effort",
)


def rows(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{ROOT}/capex", params={"pageSize": 1000} | params).json()[
        "rows"
    ]
    return found


def export(client: httpx.Client, kind: str, **params: Any) -> httpx.Response:
    response = client.get(f"{ROOT}/capex", params={"format": kind} | params)
    assert response.status_code == 200, response.text
    assert response.headers["x-warehouse-build"]
    return response


def test_a_row_per_developer_and_completed_month(client: httpx.Client, facts: Facts) -> None:
    wanted = {
        (change.day.replace(day=1), change.developer)
        for change in facts.changes
        if not change.is_bot and not change.is_sandbox
    }
    completed = {key for key in wanted if key[0] < date(2026, 11, 1)}
    assert {(date.fromisoformat(row["month"]), row["developerId"]) for row in rows(client)} == completed
    drafts = rows(client, includeDrafts="true")
    assert {(date.fromisoformat(row["month"]), row["developerId"]) for row in drafts} == wanted
    assert {row["isDraft"] for row in drafts if row["month"] == "2026-11-01"} == {True}


def test_capitalizable_effort_is_that_of_features(client: httpx.Client, facts: Facts) -> None:
    for row in rows(client):
        changes = [
            change
            for change in facts.changes
            if change.developer == row["developerId"]
            and str(change.day)[:7] == row["month"][:7]
            and not change.is_sandbox
        ]
        features = sum(change.effort for change in changes if change.category == "features")
        assert row["capitalizableEffort"] == pytest.approx(features / 1e6)
        share = 100 * features / sum(change.effort for change in changes)
        assert row["capexPercent"] == pytest.approx(share, abs=0.0051)


def test_hours_are_shown_as_the_decimals_that_they_are(client: httpx.Client) -> None:
    text = export(client, "csv").text
    for row in from_csv(text.encode()):
        shown = [row[name] for name in ("hours", "capex_hours", "opex_hours")]
        assert all(re.fullmatch(r"\d+\.\d{1,2}", number) for number in shown if number), row
        if shown[1]:
            assert Decimal(shown[1]) + Decimal(shown[2]) == Decimal(shown[0])


@pytest.mark.parametrize("order", ["capexHours", "opexHours desc", "hours, capexPercent desc"])
def test_pages_by_decimals_give_every_row_once(client: httpx.Client, order: str) -> None:
    whole = rows(client, orderBy=order)
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        params: dict[str, str | int] = {"orderBy": order, "pageSize": 3, "pageToken": token}
        page = client.get(f"{ROOT}/capex", params=params).json()
        found += page["rows"]
        token = page["nextPageToken"]
        if not token:
            break
    assert found == whole
    assert len(whole) > 6


def test_months_are_whole_whatever_day_is_named(client: httpx.Client) -> None:
    part = rows(client, startDate="2026-08-17", endDate="2026-09-02")
    assert {row["month"] for row in part} == {"2026-08-01", "2026-09-01"}
    assert part == rows(client, startDate="2026-08-01", endDate="2026-09-30")


def test_a_range_that_ends_before_it_starts_is_refused(client: httpx.Client) -> None:
    response = client.get(f"{ROOT}/capex", params={"startDate": "2026-09-01", "endDate": "2026-08-01"})
    assert response.json()["details"][0]["fieldViolations"][0]["field"] == "endDate"


@pytest.mark.parametrize("kind", ["CSV", "csv", "Xlsx", "PARQUET"])
def test_every_format_is_one_file_with_every_row(client: httpx.Client, kind: str) -> None:
    wanted = [
        {key: row["".join(w if n == 0 else w.capitalize() for n, w in enumerate(key.split("_")))] for key in
         ("developer_id", "month", "team", *NUMBERS, "commits", "is_draft")}
        for row in rows(client, startDate="2026-08-01")
    ]  # fmt: skip
    # The page size is for JSON.
    response = export(client, kind, startDate="2026-08-01", pageSize=1)
    assert response.headers["content-disposition"] == f'attachment; filename="capex-2026-08.{kind.lower()}"'
    shown = {"csv": from_csv, "xlsx": from_xlsx, "parquet": from_parquet}[kind.lower()](response.content)
    assert len(shown) == len(wanted) > 3
    for given, row in zip(shown, wanted, strict=True):
        assert given["developer_id"] == row["developer_id"]
        assert str(given["month"])[:10] == row["month"]
        for name in NUMBERS:
            assert float(given[name]) == pytest.approx(row[name])
        assert int(given["commits"]) == row["commits"]
        assert str(given["is_draft"]).lower() == str(row["is_draft"]).lower()


def from_csv(content: bytes) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def from_xlsx(content: bytes) -> list[dict[str, Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet is not None
    header, *cells = sheet.iter_rows()
    for row in cells:
        assert not any(cell.data_type == "f" for cell in row)
    return [dict(zip([c.value for c in header], [c.value for c in row], strict=True)) for row in cells]


def from_parquet(content: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(io.BytesIO(content)).to_pylist()
    return found


def test_text_that_a_spreadsheet_would_run_is_made_inert(client: httpx.Client) -> None:
    for read, kind in ((from_csv, "CSV"), (from_xlsx, "XLSX")):
        shown = read(export(client, kind).content)
        assert {"'=HYPERLINK(1)", "Grace", "Linus"} == {row["developer_name"] for row in shown}
        assert {row["team"] for row in shown} == {"'@web"}
    # Parquet is data: nothing runs it, and nothing may be changed in it.
    assert "=HYPERLINK(1)" in {
        row["developer_name"] for row in from_parquet(export(client, "PARQUET").content)
    }
    assert "=HYPERLINK(1)" in {row["developerName"] for row in rows(client)}


def test_an_empty_report_is_a_file_with_a_header(client: httpx.Client) -> None:
    params = {"startDate": "2020-01-01", "endDate": "2020-12-31"}
    header = export(client, "CSV", **params).text.strip().split(",")
    assert "capex_percent" in header
    assert from_xlsx(export(client, "XLSX", **params).content) == []
    assert from_parquet(export(client, "PARQUET", **params).content) == []
    signed = client.get(f"{ROOT}/capex", params=params | {"version": "LOCKED", "format": "PARQUET"})
    assert from_parquet(signed.content) == []


def test_a_file_is_not_paged(client: httpx.Client) -> None:
    token = client.get(f"{ROOT}/capex", params={"pageSize": 1}).json()["nextPageToken"]
    response = client.get(f"{ROOT}/capex", params={"pageSize": 1, "format": "CSV", "pageToken": token})
    assert (response.status_code, response.json()["code"]) == (400, 3)


def test_an_unknown_format_is_refused(client: httpx.Client) -> None:
    response = client.get(f"{ROOT}/capex", params={"format": "PDF"})
    assert response.json()["details"][0]["fieldViolations"][0]["field"] == "format"


def test_a_file_is_revalidated_like_any_answer(client: httpx.Client) -> None:
    etag = export(client, "CSV").headers["etag"]
    again = client.get(f"{ROOT}/capex", params={"format": "CSV"}, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
