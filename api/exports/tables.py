"""Tables as CSV, XLSX or Parquet, written row by row. Keep out: the choice of rows (read/)."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

from api.presentation.cells import inert
from api.query.columns import Column, Kind
from api.query.parameters import Format

CHUNK = 64 * 1024


MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.PARQUET: "application/vnd.apache.parquet",
}


ARROW = {
    Kind.TEXT: pa.string(),
    Kind.ID: pa.string(),
    Kind.ENUM: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.NUMBER: pa.float64(),
    Kind.MICRO: pa.float64(),
    Kind.INTEGER: pa.int64(),
    Kind.FLAG: pa.bool_(),
}


def write(
    kind: Format, columns: Mapping[str, Column], batches: Iterable[Sequence[Sequence[Any]]]
) -> Iterator[bytes]:
    """The table as chunks of bytes. It reads `batches` as the file grows, one at a time."""
    names = [column.name for column in columns.values()]
    if kind is Format.CSV:
        return write_csv(names, batches)
    if kind is Format.XLSX:
        return _file(lambda file: _xlsx(file, names, batches))
    types = [ARROW[column.kind] for column in columns.values()]
    return _file(lambda file: _parquet(file, names, types, batches))


def write_csv(names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> Iterator[bytes]:
    """The table as chunks of CSV. It reads `batches` one at a time."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(names)
    for rows in batches:
        writer.writerows([_text(value) for value in row] for row in rows)
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return inert(value)


def _xlsx(file: IO[bytes], names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> None:
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
    }
    with xlsxwriter.Workbook(file, options) as workbook:
        sheet = workbook.add_worksheet("Rows")
        dates = workbook.add_format({"num_format": "yyyy-mm-dd"})
        bold = workbook.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(names):
            sheet.write_string(0, column, name, bold)
        number = 0
        for rows in batches:
            for row in rows:
                number += 1
                for column, value in enumerate(row):
                    _cell(sheet, number, column, value, dates)


def _cell(sheet: Any, row: int, column: int, value: Any, dates: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, datetime(value.year, value.month, value.day), dates)  # noqa: DTZ001 - a date
    elif isinstance(value, str):
        # A text cell never runs, but copied out of the sheet its content might: hence inert as well.
        sheet.write_string(row, column, inert(value))
    else:
        sheet.write_number(row, column, value)


def _parquet(
    file: IO[bytes],
    names: Sequence[str],
    types: Sequence[pa.DataType],
    batches: Iterable[Sequence[Sequence[Any]]],
) -> None:
    schema = pa.schema(list(zip(names, types, strict=True)))
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in batches:
            # Without rows there are no columns to turn.
            columns = list(zip(*rows, strict=True)) or [()] * len(names)
            arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _file(fill: Callable[[IO[bytes]], None]) -> Iterator[bytes]:
    with tempfile.TemporaryFile() as file:
        fill(file)
        file.seek(0)
        while piece := file.read(CHUNK):
            yield piece
