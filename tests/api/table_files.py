"""Files of lists, read with the libraries that people read them with."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import openpyxl
import pyarrow.parquet as pq


def read_file(kind: str, content: bytes, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Columns of a file of this format, row by row. Numbers are numbers, days are dates, and empty cells are None."""
    if kind == "CSV":
        rows: list[dict[str, Any]] = [*csv.DictReader(io.StringIO(content.decode()))]
        return [tuple(_value(row[name]) for name in names) for row in rows]
    if kind == "XLSX":
        head, *cells = openpyxl.load_workbook(io.BytesIO(content)).active.values
        places = [head.index(name) for name in names]
        return [tuple(_day(row[place]) for place in places) for row in cells]
    return [tuple(row[name] for name in names) for row in pq.read_table(io.BytesIO(content)).to_pylist()]


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text or None


def _day(value: Any) -> Any:
    return value.date() if isinstance(value, datetime) else value
