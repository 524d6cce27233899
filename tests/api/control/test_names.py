"""Valid names, and equality of names."""

import subprocess
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.control.errors import InvalidSetting
from api.control.names import checked_branch, checked_literal, checked_name, checked_text, name_key


@pytest.mark.parametrize(
    "name",
    [
        "\u200b", "\u2060", "\ufeff", "\u202e", "\u00ad", "\u200e", "\u2066x\u2069", "pay\u202etnem", "We\u200bb",
        "a\tb", "a\nb", "a\x00b", "a\x7fb", "a\u2028b", "\ud800", "\u200d", "\u200c\u200d", "\u3164", "\u2800\u2800",
        "\ufe0f", "\u0301", "\u200d \u3164", "\U000e0041", "", "  ", "\u2003",
    ],
)  # fmt: skip
def test_an_invisible_name_or_one_with_invisible_characters_is_refused(name: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^name: ") as refused:
        checked_name(name, "name", max_length=255)
    # The message itself can be read, in a terminal too.
    assert refused.value.problem.isprintable()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("  Web ", "Web"),
        ("Ｗｅｂ", "Ｗｅｂ"),
        ("Zu\u0308rich", "Zürich"),
        ("می‌خواهم", "می‌خواهم"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("❤️", "❤️"),
        ("支付", "支付"),
        ("ك", "ك"),
        ("-", "-"),
        ("C++ & <b>", "C++ & <b>"),
    ],
)
def test_any_script_has_names(name: str, kept: str) -> None:
    assert checked_name(name, "name", max_length=255) == kept


SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("co\u00adoperate", "cooperate"),
        ("\ufeffSigned.\u200b", "Signed."),
        ("pay\u202etnem\u202c \u2066x\u2069\u2060", "paytnem x"),
        ("\u200fשלום\u200e (a)", "\u200fשלום\u200e (a)"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        (f"For {SCOTLAND}.", f"For {SCOTLAND}."),
        ("\u0600١٢", "\u0600١٢"),
        ("one\r\ntwo\rthree\u2028four\u2029five\tsix\n", "one\ntwo\nthree\nfour\nfive\tsix"),
        ("Zu\u0308rich ", "Zürich"),
        ("Zu\u200b\u0308rich", "Zürich"),
    ],
)
def test_a_text_loses_only_artefacts_of_pasting(text: str, kept: str) -> None:
    assert checked_text(text, "note", max_length=255) == kept
    assert checked_text(kept, "note", max_length=255) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "\u200b",
        "\ufeff\u00ad",
        "\u200d",
        "\u200e",
        "a\0b",
        "a\x1bb",
        "a\x7fb",
        "\ud800",
        "x" * 256,
    ],
)
def test_a_blank_text_or_one_with_control_characters_is_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^note: ") as refused:
        checked_text(text, "note", max_length=255)
    assert refused.value.problem.isprintable()


@given(st.text(max_size=20))
@example("ǰ\u0323")
@example("\u0345\u0301α")
def test_composition_case_and_joiners_make_no_other_name(text: str) -> None:
    keys = {name_key(unicodedata.normalize("NFC", text)), name_key(unicodedata.normalize("NFD", text))}
    keys |= {name_key(name_key(text)), name_key(f"\u200d{text}\u200c")}
    assert keys == {name_key(text)}
    if text.isascii():
        assert name_key(text.upper()) == name_key(text) == text.lower()


def git_takes(branch: str) -> bool:
    command = ["git", "check-ref-format", "--branch", branch]
    return subprocess.run(command, capture_output=True, check=False, cwd="/").returncode == 0


@pytest.mark.parametrize(
    "branch",
    [
        "main", "release/2.0", "feature/x-y_z", "é", "e\u0301", "支付", "a@b", "@", "x{y", "refs/heads/x", "-x", "a b",
        "a..b", "a.lock", "a/b.lock/c", "HEAD", "a/HEAD", "a@{b", "/a", "a/", "a//b", ".a", "a/.b", "a~1", "a^", "a:b",
        "a?", "a*", "a[b", "a\\b", "a.", "a\tb", "a\x7f",
    ],
)  # fmt: skip
def test_a_branch_has_a_name_that_git_takes(branch: str) -> None:
    if git_takes(branch):
        assert checked_branch(branch, "defaultBranch", max_length=255) == branch
        return
    with pytest.raises(InvalidSetting, match=r"^defaultBranch: "):
        checked_branch(branch, "defaultBranch", max_length=255)


def test_exact_text_is_not_normalized() -> None:
    assert checked_literal("/srv/e\u0301", "origin", max_length=20) == "/srv/e\u0301"
    with pytest.raises(InvalidSetting, match="control"):
        checked_literal("a\nb", "origin", max_length=20)
