"""The claim of inline tests: what indentation says of files whose lines are marked by hand."""

import pytest

from tests.validity.inline_tests import indented_tests

FILES = {
    "a module": [
        "/// Of it.~",
        "#[cfg(test)]~",
        "mod tests {~",
        "    fn a() {~",
        "    }~",
        "}~",
        "fn b() {",
        "}",
    ],
    "a raw text": ["#[test]~", "fn a() {~", '    let b = r#"~', "}~", '"#;~', "}~", "fn c() {}"],
    "other conditions": [
        "#[cfg(not(test))]",
        "fn a() {",
        "}",
        '#[cfg(any(test, feature = "x"))]',
        "mod b {",
        "}",
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_indentation_says_which_lines_are_tests(name: str) -> None:
    lines = FILES[name]
    text = "\n".join(line.rstrip("~") for line in lines).encode()
    assert list(indented_tests(text)) == [int(line.endswith("~")) for line in lines]
