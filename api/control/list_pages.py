"""Pages of lists from the control database: sorted by columns, continued by keyset.

Nulls come last in both directions. Every order ends with a unique column, so pages neither repeat nor skip rows.
Keep out: page tokens (http/paging.py).
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, TypeVar

import orjson
from sqlalchemy import (
    JSON,
    ColumnElement,
    Engine,
    Select,
    SQLColumnExpression,
    Text,
    and_,
    cast,
    func,
    literal,
    or_,
    select,
    true,
)  # fmt: skip
from sqlalchemy.orm import Session

from api.control.database import ChangeCounter
from api.control.errors import InvalidSetting

MAX_TERMS = 5
MAX_CACHED = 1000
# The key in `Session.info` of the totals that are valid in the session.
TOTALS = "totals"
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Key:
    """A column that a list can be sorted by."""

    column: SQLColumnExpression[Any]
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The requested page of a list. `after` holds the sort values of the last row of the page before."""

    limit: int
    order_by: str = ""
    after: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Item]):
    """A page. `next_values` continue it; None on the last."""

    items: Sequence[Item]
    next_values: list[Any] | None
    total: int


@dataclass(frozen=True, slots=True)
class _Term:
    key: Key
    descending: bool


def list_page(
    session: Session,
    statement: Select[*tuple[Any, ...]],
    keys: Mapping[str, Key],
    query: ListQuery,
    record: Callable[..., Item],
    *,
    default: str,
    unique: str,
) -> ListPage[Item]:
    """A page of a statement in the order of the query (`name desc, createdAt`), with the start of the next page and the
    total. `record` makes an item of the columns of a row.

    `keys` has the sort columns by their names over HTTP; `unique` names the last column of every order. Raises
    InvalidSetting.
    """
    terms = _terms(query.order_by or default, keys, unique)
    ordered = statement.add_columns(*(term.key.column for term in terms)).order_by(
        *(
            (term.key.column.desc() if term.descending else term.key.column.asc()).nulls_last()
            for term in terms
        )
    )
    if query.after is not None:
        ordered = ordered.where(_after(terms, query.after))
    rows = session.execute(ordered.limit(query.limit + 1)).all()
    page = rows[: query.limit]
    last = [_to_token(value) for value in page[-1][-len(terms) :]] if len(rows) > len(page) else None
    is_all = query.after is None and last is None
    items = [record(*row[: -len(terms)]) for row in page]
    return ListPage(items, last, len(page) if is_all else total(session, statement))


def whole(row: Item) -> Item:
    """The item of a list whose rows have nothing but what callers may see."""
    return row


class Cached:
    """Keeps row counts by statement, or records, until the next commit of any process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changes: ChangeCounter | None = None
        self._version: object = None
        self._found: dict[Hashable, Any] = {}
        self._mutex = threading.Lock()

    def at_present(self) -> dict[Hashable, Any]:
        """The results that hold for reads from now on; readers add to them. PostgreSQL keeps none."""
        with self._mutex:
            if self._changes is None:
                self._changes = ChangeCounter(self._engine)
            version = self._changes.version()
            if version != self._version or len(self._found) >= MAX_CACHED:
                self._version, self._found = version, {}
            return self._found

    def close(self) -> None:
        """Release the connection that watches the database."""
        if self._changes is not None:
            self._changes.close()


def total(session: Session, statement: Select[*tuple[Any, ...]]) -> int:
    """The number of rows of a statement."""
    (count,) = counted(session, select(func.count()).select_from(statement.order_by(None).subquery()))
    return count


def counted(session: Session, counting: Select[*tuple[Any, ...]]) -> tuple[int, ...]:
    """The only row of a counting statement."""
    # SQLAlchemy's own key of equal statements, which its caching example uses; rendering them takes ten times
    # as long.
    key = counting._generate_cache_key()
    # A statement without a key is counted each time.
    known = session.info.get(TOTALS, {}) if key is not None else {}
    query = key and (key.key, repr([value.value for value in key.bindparams]))
    if query not in known:
        known[query] = tuple(session.execute(counting).one())
    found: tuple[int, ...] = known[query]
    return found


def among(session: Session, column: SQLColumnExpression[Any], values: Iterable[str]) -> ColumnElement[bool]:
    """The rows with one of these values in the column. The values are one parameter, because hundreds of parameters
    take longer to render than to find.
    """
    texts = orjson.dumps(list(values)).decode()
    if session.get_bind().dialect.name == "sqlite":
        found = func.json_each(texts).table_valued("value")
    else:
        found = func.json_array_elements_text(cast(literal(texts, Text), JSON)).table_valued("value")
    return column.in_(select(found.c.value))


def given(*pairs: tuple[SQLColumnExpression[Any], Any]) -> list[ColumnElement[bool]]:
    """The rows with these values in the columns; None stands for any."""
    return [column == value for column, value in pairs if value is not None]


def matching(
    session: Session, search: str, columns: Sequence[SQLColumnExpression[str]]
) -> ColumnElement[bool]:
    """Rows with every word of a search in one of the columns, ignoring case."""
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    looked_at = columns if is_sqlite else [func.lower(column) for column in columns]
    words = [(_spellings(word) if is_sqlite else {word.lower()}) for word in search.split()]
    return and_(
        true(),
        *(
            or_(*(column.contains(form, autoescape=True) for column in looked_at for form in sorted(forms)))
            for forms in words
        ),
    )


def _spellings(word: str) -> set[str]:
    """The spellings of a word for SQLite, whose `like` ignores case for ASCII only.

    Folding the column in the database takes three times as long. A word with inner capitals is found only as typed.
    """
    return {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}


def _terms(text: str, keys: Mapping[str, Key], unique: str) -> list[_Term]:
    parts = [part.split() for part in text.split(",")]
    for words in parts:
        if not 1 <= len(words) <= 2 or (len(words) == 2 and words[1].lower() not in ("asc", "desc")):
            raise InvalidSetting(
                "orderBy", f"{' '.join(words)!r} is not `column`, `column asc` or `column desc`"
            )
        if words[0] not in keys:
            raise InvalidSetting("orderBy", f"cannot sort by {words[0]!r}; sort by {', '.join(keys)}")
    names = [words[0] for words in parts]
    if len(set(names)) != len(names) or len(names) > MAX_TERMS:
        raise InvalidSetting("orderBy", f"name at most {MAX_TERMS} columns, each once")
    terms = [_Term(keys[words[0]], len(words) == 2 and words[1].lower() == "desc") for words in parts]
    return terms if unique in names else [*terms, _Term(keys[unique], terms[-1].descending)]


def _after(terms: list[_Term], values: tuple[Any, ...]) -> ColumnElement[bool]:
    ways: list[ColumnElement[bool]] = []
    equal: list[ColumnElement[bool]] = []
    for term, raw in zip(terms, values, strict=True):
        column = term.key.column
        if raw is None:
            equal.append(column.is_(None))
            continue
        value = _from_token(raw)
        step = column < value if term.descending else column > value
        ways.append(and_(*equal, or_(step, column.is_(None)) if term.key.nullable else step))
        equal.append(column == value)
    return or_(*ways)


def _to_token(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"at": value.isoformat()}
    return {"on": value.isoformat()} if isinstance(value, date) else value


def _from_token(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return datetime.fromisoformat(value["at"]) if "at" in value else date.fromisoformat(value["on"])
