from __future__ import annotations

import pyarrow as pa
import pytest

from ingest.lake.merging import conformed
from ingest.lake.tables import build, read_list_of_structs
from ingest.schemas import git as schemas

PAIR = pa.struct([pa.field("n", pa.int32()), pa.field("t", pa.string())])
SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("pairs", pa.list_(PAIR)),
        pa.field("words", pa.list_(pa.string())),
        pa.field("number", pa.int32()),
    ]
)
Row = tuple[str, list[tuple[int, str | None]], list[str], int | None]
ROWS: list[Row] = [
    ("a", [(1, "x"), (2, None)], ["one"], 1),
    ("größe\0", [], [], None),
    ("c", [(3, "\n")], ["two", "three"], -(2**31)),
]


def as_objects(rows: list[Row]) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for name, pairs, words, number in rows:
        structs = [{"n": n, "t": t} for n, t in pairs]
        made.append({"name": name, "pairs": structs, "words": words, "number": number})
    return made


@pytest.mark.parametrize("rows", [[], ROWS[:1], ROWS[1:2], ROWS, ROWS * 50])
def test_rows_become_the_tables_that_arrow_makes_from_dictionaries(rows: list[Row]) -> None:
    built = build(SCHEMA, rows)
    assert built.schema.equals(SCHEMA)
    assert built.to_pylist() == as_objects(rows) == pa.Table.from_pylist(as_objects(rows), SCHEMA).to_pylist()


def test_a_column_of_one_value_and_one_that_only_begins_and_ends_with_it_keep_their_values() -> None:
    same, other = "".join(["id", "1"]), "".join(["id", "2"])
    schema = pa.schema([pa.field(name, pa.string()) for name in ("constant", "ends", "nulls")])
    rows = [(same, same, None), (same, other, None), (same, None, None), (same, same, None)]
    built = build(schema, rows)
    assert built.equals(
        pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
    )


def test_nested_lists_of_merge_sides_survive() -> None:
    kind = schemas.FILE_CHANGES.field("other_parents").type
    schema = pa.schema([pa.field("sides", kind)])
    rows = [([],), ([("p1", "a.py", [(1, 0, 2, 3)]), ("p2", "b.py", [])],)]
    hunk = {"old_start": 1, "old_lines": 0, "new_start": 2, "new_lines": 3}
    assert build(schema, rows)["sides"].to_pylist() == [
        [],
        [
            {"parent_sha": "p1", "path": "a.py", "hunks": [hunk]},
            {"parent_sha": "p2", "path": "b.py", "hunks": []},
        ],
    ]


def test_lists_of_structs_are_read_back_as_tuples_also_from_slices_and_chunks() -> None:
    table = build(SCHEMA, ROWS)
    pairs = [pairs for _, pairs, _, _ in ROWS]
    assert read_list_of_structs(table["pairs"]) == pairs
    assert read_list_of_structs(table.slice(1)["pairs"]) == pairs[1:]
    assert read_list_of_structs(pa.concat_tables([table, table.slice(2), table.slice(0, 0)])["pairs"]) == [
        *pairs,
        *pairs[2:],
    ]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        build(SCHEMA, [ROWS[0], ("b",)])


def test_rows_of_an_earlier_release_get_the_columns_that_they_lack() -> None:
    pair = pa.struct([*PAIR, pa.field("later", pa.int64())])
    wider = pa.schema([*SCHEMA, pa.field("more", pa.string())]).set(1, pa.field("pairs", pa.list_(pair)))
    found = conformed(build(SCHEMA, ROWS), wider)
    assert found.schema.equals(wider)
    expected = as_objects(ROWS)
    assert found.select(["name", "words", "number"]).to_pylist() == [
        {key: row[key] for key in ("name", "words", "number")} for row in expected
    ]
    assert found["more"].to_pylist() == [None] * len(ROWS)
    assert found["pairs"].to_pylist() == [
        [{"n": n, "t": t, "later": None} for n, t in pairs] for _, pairs, _, _ in ROWS
    ]
    assert conformed(found, SCHEMA).to_pylist() == expected
