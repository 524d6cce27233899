"""Lines inside tests of a source file: right to the line, and equal in both engines."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git import native
from ingest.git.lexing.inline_tests import mark_added, mark_tests
from ingest.git.lexing.rust_tests import MAX_NESTED, find_rust_tests, is_test_attribute
from tests.suite.tiers import examples

# A line of a test ends in `~`, which is cut off before the text is read.
RUST = {
    "an attribute that hides its end": """
#[cfg(all(feature = "]", test))]~
fn one() {}~
#[cfg(all(feature = r#"a"]"#, test))]~
fn two() {}~
# /* ] */ [cfg(all(feature = "\\"]", test))]~
fn three() {}~
#[cfg(all(x[0], test))]~
fn four() {}~
#[doc = "]test"]
fn five() {}
""",
    "a module": """
use std::io;

/// Tests of it.~
// with a plain comment~
#[cfg(test)]~
#[allow(unused)]~
mod tests {~
    use super::*;~

    #[test]~
    fn one() {}~
}~

fn production() {}
""",
    "functions": """
#[test]~
fn one() {~
}~
#[tokio::test(flavor = "multi_thread")]~
async fn two() {~
}~
#[rstest]~
#[case(1)]~
pub(crate) async unsafe fn three(#[case] n: [u8; { 3 }]) -> Vec<[u8; 3]>~
where~
    u8: Into<u8>,~
{~
}~
#[bench] fn four(b: &mut Bencher) { }~
fn five() {}
""",
    "conditions": """
#[cfg(not(test))]
fn production() {
}
#[cfg(any(test, feature = "x"))]
fn shared() {
}
#[cfg_attr(test, derive(Debug))]
struct Shared {
}
#[cfg(all(not(test), unix))]
mod unix {
}
#[cfg(feature = "test")]
mod of_a_feature {
}
#[cfg(all(unix, any(test, all(test, windows))))]~
mod only {~
}~
#[cfg(any(test, doctest))]~
mod both {~
}~
""",
    "signs in texts": """
#[test]~
fn braces() {~
    let a = "}}\\" }";~
    let b = r#"}" }"#;~
    let c = br##"}"# }"##;~
    let d = ['}', '\\'', '\\u{7D}', b'}' as char];~
    let e: &'static str = 'outer: loop { break 'outer "" };~
    /* } /* } */ } */~
    // }~
}~
fn production<'a>(x: &'a str, y: char) { let _ = ('{', "{"); }
""",
    "tests in texts and comments": """
// #[test]
fn a() {
}
/* #[cfg(test)] */
fn b() {
    let x = "
#[test]
";
    let y = r#"
#[cfg(test)]
mod tests {
}
"#;
}
""",
    "tests that a macro writes for others": """
fn expand() -> TokenStream {
    quote! {
        #[test]
        fn made() { #body }
    }
}
macro_rules! tests_of {
    ($name:ident) => {
        #[test]~
        fn $name() {~
        }~
    };
}
""",
    "a module without attribute": """
mod tests {
    fn helper() {
    }
    #[test]~
    fn one() {~
    }~
}
""",
    "statements": """
#[cfg(test)]~
use std::{~
    io,~
};~
#[cfg(test)]~
pub(crate) mod other;~
#[cfg(test)]~
const A: [u8; 2] = [~
    1, 2,~
];~
#[cfg(test)]~
const fn f() -> u8 {~
    1~
}~
#[cfg(test)]~
static B: S = S {~
    a: 1,~
};~
#[cfg(test)]~
thread_local! {~
    static C: u8 = 1;~
}~
#[cfg(test)]~
macro_rules! check {~
    () => {};~
}~
fn production() {
    #[cfg(test)]~
    let x = if a { 1 } else {~
        2~
    };~
    #[cfg(test)]~
    if a < b {~
        one();~
    } else if c {~
        two();~
    } else {~
        three();~
    }~
    #[cfg(test)]~
    {~
        four();~
    }~
    #[cfg(test)]~
    five(~
        6,~
    );~
    seven();
}
""",
    "parts": """
struct S {
    #[cfg(test)]~
    a: HashMap<String,~
        Vec<u8>>,~
    #[cfg(test)]~
    union: u8,~
    b: u8,
    #[cfg(test)]~
    c: u8~
}
enum E { #[cfg(test)] A, B }
enum F {
    #[cfg(test)]~
    A {~
        x: u8,~
    },~
    B,
}
fn f(
    #[cfg(test)]~
    a: u8,~
    b: u8,
) {
    match x {
        #[cfg(test)]~
        E::A { x } if x < 3 => {~
            1~
        }~
        #[cfg(test)]~
        E::B => x.y(|z| {~
            1~
        }),~
        _ => 2,
    }
}
impl<T: Fn() -> u8> S<{ 3 }>
where
    T: Copy,
{
    #[cfg(test)]~
    fn g<I: Iterator<Item = Vec<u8>>>(i: I) -> impl Fn(u8) -> u8 {~
        |x| x~
    }~
    fn h() {}
}
""",
    "an item without an end": """
#[test]
fn one() {
""",
    "an attribute of the item that contains it": """
mod a {
    #![cfg(test)]
    fn b() {}
}
""",
    "Windows": "#[test]~\r\nfn a() {~\r\n}~\r\nfn b() {}\r\n",
}

OTHERS = {
    "Zig": """
const std = @import("std");
/// Of it.~
test "adds" {~
    try expect(.{ .a = 1 });~
    const s =~
        \\\\}~
    ;~

}~
test {~
    _ = a;~
}~
test decl { }~
pub fn test_it() void {
}
fn testing() void {
    test "in a function, which is no Zig" {~
    }~
}
test "not formatted" {
  }
fn production() void {
}
""",
    "TypeScript": """
export function add(a: number) {
  if (a) { return `
if (import.meta.vitest) {` }
}
if (import.meta.vitest) {~
  const { it } = import.meta.vitest~
  it('adds', () => {~
    expect(add(1)).toBe(`~
at the margin~
`)~
  })~
}~
export const b = 1
""",
    "D": """
import std.stdio;
/// Of it.~
@safe pure @("adds") unittest~
{~
    auto s = `~
}~
`;~
// at the margin~
    assert(add(1) == 2);~

}~
unittest { assert(1); }~
version (Posix) @system unittest { // on Unix~
    if (a) {~
    }~
}~
class House
{
    unittest~
    {~
        assert(1);~
    }~
    debug nothrow unittest {~
    }~
    int rooms;
}
version (unittest) {~
    int helper;~
}~
version (unittest) {} else {
    void main() {}
}
version (unittest)
    import std.math;
struct unittests {
}
unittest
int not_formatted;
unittest
{
int broken;
}
int unittest_count() { return 1; }
""",
    "Nim": """
import std/unittest
proc add*(a: int): int =
  a + 1
when isMainModule:~
  import std/os~
# at the margin~
  let text = \"\"\"~
at the margin~
\"\"\"~
  doAssert add(1) == 2~

proc production() =
  when isMainModule:
    echo 1
  assert true
suite "adds": # of it~
  test "one":~
    check add(1) == 2~
test "two":~
  check(true)~
test = 3
when isMainModule:
  main()
when not defined(js) and isMainModule:~
  assert add(1) == 2~
else:
  discard
when isMainModule: assert true
""",
    "Python": '''
def f():
    """
    >>> f()
    """
''',
}


def texts_and_marks(marked: str) -> tuple[bytes, list[int]]:
    """The text without its marks, and for each line whether it has one. Blank lines inside a test have one."""
    lines = marked.split("\n")[:-1]
    marks = [int(line.rstrip("\r").endswith("~")) for line in lines]
    for n, line in enumerate(lines[1:-1], 1):
        if not line:
            marks[n] = int(marks[n - 1] and marks[n + 1] and lines[n - 1] != "}~")
    return "".join(line.replace("~", "") + "\n" for line in lines).encode(), marks


@pytest.fixture(params=["native", "python"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "native" and not native.is_built():
        pytest.skip("the compiled modules are not built")
    monkeypatch.setenv(native.ENGINE, name)
    return name


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", RUST)
def test_lines_of_tests_in_rust_are_marked(name: str) -> None:
    text, marks = texts_and_marks(RUST[name])
    found = mark_tests("Rust", text)
    assert list(found or bytes(len(marks))) == marks, text.decode()


@pytest.mark.parametrize("language", OTHERS)
def test_lines_of_tests_in_other_languages_are_marked(language: str) -> None:
    text, marks = texts_and_marks(OTHERS[language])
    assert list(mark_tests(language, text) or bytes(len(marks))) == marks


@pytest.mark.usefixtures("engine")
def test_a_file_that_exists_only_in_tests_is_marked_as_a_whole() -> None:
    assert mark_tests("Rust", b"//! Mocks.\n#![allow(x)]\n#![cfg(test)]\n\nfn a() {}") == b"\1" * 5


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "text",
    [
        b"/// Of tests.\n#[cfg(test)]\nfn a() {}\n",
        b"/// Of tests.\n\n// Plain.\n#[allow(\n  unused\n)]\n#[cfg(test)]\nfn a() {}\n",
        b"/** Of\ntests. */\n#[cfg(test)]\nfn a() {}\n",
        b"#[allow(\n  unused\n)]\n#[cfg(test)]\nfn a() {}\n",
        b"/// Of tests.\n/* Plain. */ #[cfg(test)]\nfn a() {}\n",
        b"#[allow(unused)]\n#[allow(dead_code)] #[test]\nfn a() {}\n",
    ],
)
def test_a_line_above_the_attribute_of_a_test_is_marked(text: bytes) -> None:
    assert mark_added("Rust", text, [(0, 0, 1, 1)]) == b"\1"


@pytest.mark.usefixtures("engine")
def test_only_added_lines_are_marked() -> None:
    text, _ = texts_and_marks(RUST["a module"])
    assert mark_added("Rust", text, [(1, 0, 2, 4), (9, 1, 13, 3), (20, 2, 16, 0)]) == bytes(
        [0, 0, 1, 1, 1, 0, 0]
    )
    assert mark_added("Rust", text, [(1, 0, 2, 1)]) == b""


def test_modules_in_other_files_are_named() -> None:
    text = (
        b"#[cfg(test)]\npub(crate) mod one;\n#[cfg(test)] mod two { }\nmod three;\n#[cfg(test)]\nmod four;\n"
    )
    assert find_rust_tests(text, 6).modules == [b"one", b"four"]


def test_conditions_nested_too_deep_are_no_tests() -> None:
    def nested(depth: int) -> bytes:
        return b"#[cfg(" + b"all(" * depth + b"test" + b")" * depth + b")]\nfn a() {}\n"

    assert find_rust_tests(nested(MAX_NESTED), 2).regions
    assert not find_rust_tests(nested(MAX_NESTED + 1), 2).regions


DOCUMENT = st.recursive(
    st.sampled_from(["code", "test"]).map(lambda kind: [kind]),
    lambda parts: st.lists(parts, max_size=4).map(lambda inner: ["block", *inner]),
    max_leaves=12,
)
BLOCK_LINES = {
    "D": {
        "code": ["int a = 1;", "{", "    f(`}`);", "}"],
        "test": ["@safe unittest", "{", "    assert({ return 1; }() == 1);", "    // }", "", "    g();", "}"],
        "block": ["class C", "{", "}"],
    },
    "Nim": {
        "code": ["let a = 1", "if a > 0:", "  f()"],
        "test": ['suite "unittest of a":', "  check a == 1", "", '  test "b":', "    discard"],
        "block": ["when true:", ""],
    },
}


def written(language: str, part: list[object], indent: str = "") -> list[tuple[str, int]]:
    """Lines of a formatted file, each with whether it is of a test."""
    pieces = BLOCK_LINES[language]
    if part[0] != "block":
        kind = str(part[0])
        return [(f"{indent}{line}" if line else "", int(kind == "test")) for line in pieces[kind]]
    *before, after = pieces["block"]
    deeper = f"{indent}{'    ' if language == 'D' else '  '}"
    found = [(indent + line, 0) for line in before]
    for inner in part[1:]:
        assert isinstance(inner, list)
        found += written(language, inner, deeper)
    return [*found, (f"{deeper}discard_all()" if not after else indent + after, 0)]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("language", BLOCK_LINES)
def test_tests_of_a_written_file_are_found_by_both_engines(language: str) -> None:
    @examples(40)
    @given(DOCUMENT)
    def check(document: list[object]) -> None:
        lines = written(language, ["block", document])
        text = "".join(f"{line}\n" for line, _ in lines).encode()
        assert list(mark_tests(language, text) or bytes(len(lines))) == [mark for _, mark in lines], (
            text.decode()
        )

    check()


PIECES = [
    *[
        "#[test]",
        "#[cfg(test)]",
        "#![cfg(test)]",
        "#[cfg(all(test,x))]",
        "#[cfg(any(test,not(x)))]",
        "#[",
        "#!",
        "#",
        "!",
        "fn",
        "a()",
        "mod",
        "x",
    ],
    *[
        ";",
        ",",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "=",
        "=>",
        "->",
        "'a",
        "'a'",
        "'\\''",
        "'\\u{1F}'",
        "b'x'",
        "'",
        '"',
        '"\\""',
        'r#"',
        '"#',
        'br##"',
        '"##',
        "\\",
        ".",
        "|",
        ":",
        "r",
        "b",
        "c",
    ],
    *[
        "//",
        "///",
        "//!",
        "/*",
        "*/",
        "/**",
        "/***",
        "if",
        "else",
        "pub",
        "pub(crate)",
        "const",
        "let",
        "use",
        "struct",
        "union",
        "quote!",
        "parse_quote",
        "extern",
    ],
    *["crate", "unsafe", "match", "test", "é", "'é'", "\x00"],
]


@pytest.mark.skipif(not native.is_built(), reason="the compiled modules are not built")
@examples(300)
@given(
    st.lists(st.sampled_from([*PIECES, " ", "\n", "\n"]), max_size=60).map("".join),
    st.integers(0, 60),
)
def test_both_engines_find_the_same_tests(text: str, lines: int) -> None:
    kernel = native.load("_changes")
    assert kernel is not None
    data = text.encode()
    assert kernel.find_rust_tests(data, lines, is_test_attribute) == tuple(find_rust_tests(data, lines))


@pytest.mark.usefixtures("engine")
@examples(300)
@given(
    st.lists(st.sampled_from([*PIECES, "#![cfg(test)]", "#[test]", " ", "\n", "\n"]), max_size=60).map(
        "".join
    ),
    st.integers(1, 40),
    st.integers(1, 3),
)
def test_reading_up_to_the_last_added_line_marks_it_as_the_whole_file_does(
    text: str, first: int, count: int
) -> None:
    data = text.encode()
    whole = mark_tests("Rust", data)[first - 1 : first - 1 + count]
    count = min(count, max(len(data.splitlines()) - first + 1, 0))
    assert mark_added("Rust", data, [(1, 0, first, count)]) == (whole if 1 in whole else b"")


def test_time_grows_with_the_text_and_not_with_its_square() -> None:
    """Openings without an end, each of which could be read to the end of the text again."""
    random = Random(1)
    for piece in (b"#[test] fn a( ", b"#[a ", b"quote!( ", b"/* ", b"pub( ", b'r#" ', b"#[cfg(all( ", b"'\\"):
        text = piece * 20_000
        longer = text + bytes([random.choice(b" \n")])
        assert find_rust_tests(text, len(text)) == find_rust_tests(longer, len(longer))
