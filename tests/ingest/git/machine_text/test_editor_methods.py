"""Methods that say nothing beyond their own name are an editor's; whatever people add to one is theirs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ingest.git.machine_text.editor_methods import LEAST_METHODS, editor_methods
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

JAVA = """\
    @Override
    public Map<String, List<Order>> find{n}(final Map<String, Long> ids, Order... orders) throws IOException {{
        return store.find{n}(ids, orders);
    }}

"""
BRACES_BELOW = """\
    public void close{n}(Order order)
    {{
        this.store.close{n}(order);
    }}
"""
SHORT = "    public override Order Find{n}(int id, List<string> names) => _store.Find{n}(id, names);\n"
KOTLIN = "    override fun find{n}(id: Int, name: String?): Order = store.find{n}(id, name)\n"
GO = """\
func (c *Cache) Find{n}(ctx context.Context, id int) (*Order, error) {{
	return c.store.Find{n}(ctx, id)
}}
"""
ACCESSORS = """\
    public String getName{n}() {{
        return name{n};
    }}

    public void setName{n}(String name{n}) {{
        this.name{n} = name{n};
    }}
"""
REQUESTS = """\
    @GetMapping("/orders/{{id}}/{n}")
    public Order find{n}(long id) {{
        return store.find{n}(id);
    }}
"""
COLUMNS = """\
    @Id
    @Column(name = "order_{n}")
    public String getName{n}() {{
        return name{n};
    }}
"""
ROUTES = """\
    [HttpGet("orders/{{id}}/{n}")]
    public Order Find{n}(int id) => _store.Find{n}(id);
"""
STUB = """\
    public void rollback{n}() throws SQLException
    {{
        // TODO Auto-generated method stub

    }}
"""


def class_of(method: str, count: int = LEAST_METHODS) -> str:
    return "class Cache {\n" + "".join(method.format(n=n) for n in range(count)) + "}\n"


def taken(path: str, text: str) -> list[str]:
    """The taken lines of a new file."""
    lines = text.split("\n")
    parts = editor_methods(path, text.encode(), [(0, 0, 1, len(lines) - 1)])
    return [line for start, stop, _ in parts for line in lines[start:stop]]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("Cache.java", JAVA),
        ("Cache.java", BRACES_BELOW),
        ("Cache.java", ACCESSORS),
        ("Cache.java", STUB),
        ("Cache.cs", SHORT),
        ("Cache.kt", KOTLIN),
        ("cache.go", GO),
    ],
)
def test_every_line_of_the_methods_is_taken(path: str, method: str) -> None:
    text = class_of(method)
    assert [line for line in taken(path, text) if line] == [line for line in text.split("\n")[1:-2] if line]


@pytest.mark.parametrize(
    "method",
    [
        JAVA.replace("(ids, orders)", "(ids, sorted(orders))"),
        JAVA.replace("(ids, orders)", "(orders, ids)"),
        JAVA.replace("store.find{n}", "store.load{n}"),
        JAVA.replace("return store", "log(ids);\n        return store"),
        JAVA.replace("return store", "return stores{n}"),
        ACCESSORS.replace("return name{n}", "return title{n}").replace("= name{n}", "= clean(name{n})"),
        STUB.replace("// TODO Auto-generated method stub", "// TODO write this"),
    ],
)
def test_a_method_with_an_own_thought_is_own_work(method: str) -> None:
    assert not taken("Cache.java", class_of(method, 2 * LEAST_METHODS))


@pytest.mark.parametrize(
    ("path", "method"), [("Orders.java", REQUESTS), ("Order.java", COLUMNS), ("Orders.cs", ROUTES)]
)
def test_the_texts_of_annotations_are_own_work(path: str, method: str) -> None:
    lines = taken(path, class_of(method))
    assert len([line for line in lines if "public" in line]) == LEAST_METHODS
    assert not any('"' in line for line in lines)


def test_a_request_on_the_line_of_its_method_is_own_work() -> None:
    request = '    @GET @Path("/orders/{n}") public Order find{n}(long id) {{ return store.find{n}(id); }}\n'
    assert not taken("Orders.java", class_of(request))


def test_few_delegates_and_another_language_are_own_work() -> None:
    assert not taken("Cache.java", class_of(JAVA, LEAST_METHODS - 1))
    assert not taken("Cache.php", class_of(JAVA))


def test_methods_that_stood_before_do_not_count() -> None:
    text = class_of(JAVA)
    assert not editor_methods("Cache.java", text.encode(), [(1, 0, 2, 5 * (LEAST_METHODS - 1))])


@pytest.mark.parametrize(
    "text",
    [
        "{ a.b(" * 20_000,
        "public a(" * 20_000,
        "{" * 100_000,
        "f(){" + " " * 100_000,
        "=> a.b(" * 20_000,
        ("f()" + " " * 190 + "a!{x.f()}\n") * 3_000,
        ("\n" * 780 + "f(){x.f();}\n") * 3_000,
    ],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    editor_methods("Cache.java", text.encode(), [(0, 0, 1, 1)])
    assert time.process_time() - started < 5


def test_the_rest_of_the_class_earns(tmp_path: Path) -> None:
    own = "".join(
        f"    int cost{n}(Order order) {{ return order.weight() * {n} + rate; }}\n" for n in range(9)
    )
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"Cache.java": class_of(JAVA).removesuffix("}\n") + own + "}\n"})
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    rows = extraction.rows("delivered_lines")
    novel = sum(line["lines"] for row in rows for line in row["lines"] if line["class"] == "novel")
    assert novel <= 11
    (change,) = extraction.rows("file_changes")
    assert "30 methods that call their own name on store" in change["machine_evidence"]
