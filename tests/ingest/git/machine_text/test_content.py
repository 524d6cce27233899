"""Exports, dumps and lists are distinguished from text of people by their lines."""

import random
import subprocess
import time
from pathlib import Path

import pytest

from ingest.git.lexing.languages import language_of
from ingest.git.machine_text.content import CONTENT_BYTES, Finding, judge, judge_growth
from ingest.git.machine_text.regular_lines import predictable, shape_of

ROOT = Path(__file__).parents[4]
WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "maple",
    "nettle",
    "ochre",
    "pine",
]


def found(path: str, lines: list[str]) -> Finding | None:
    return judge(path, language_of(path), "".join(f"{line}\n" for line in lines).encode())


def words(dice: random.Random, least: int, most: int) -> str:
    return " ".join(dice.choice(WORDS) for _ in range(dice.randint(least, most)))


def log(dice: random.Random) -> list[str]:
    return [f"2026-03-02 10:{n % 60:02}:{n % 59:02} {words(dice, 2, 9)}" for n in range(60)]


def digits(dice: random.Random) -> list[str]:
    return [f"{words(dice, 1, 1)} {dice.randint(1, 10**9)} {dice.randint(1, 10**9)}" for _ in range(120)]


def rows(dice: random.Random) -> list[str]:
    return [f"INSERT INTO trees VALUES ('{words(dice, 1, 3)}', NULL);" for _ in range(150)]


def index(dice: random.Random) -> list[str]:
    return sorted(f"{words(dice, 1, 1)}{dice.randint(1, 10**6):x}-{words(dice, 1, 2)}" for _ in range(150))


def changes(dice: random.Random) -> list[str]:
    hosts = "https://git.example/a/b/commit"
    return [f"* {words(dice, 2, 6)} ({hosts}/{dice.getrandbits(160):040x})" for _ in range(60)]


@pytest.mark.parametrize(
    ("path", "make", "said"),
    [
        ("out.txt", log, "60 of 60 lines hold a time, a hash or a path of a machine"),
        ("points.xyz", digits, "% of the text are digits"),
        ("seed.sql", rows, "150 of 150 lines are rows of a dump"),
        ("words.txt", index, "150 of 150 lines stand in the order of the alphabet"),
        ("CHANGELOG.md", changes, "60 of 60 items link to their commit"),
    ],
)
def test_records_are_worth_nothing(path: str, make: object, said: str) -> None:
    assert callable(make)
    result = found(path, make(random.Random(7)))
    assert result is not None
    assert result.is_record
    assert said in result.evidence


def definitions(dice: random.Random, count: int) -> list[str]:
    """Entries of a table: each of a key and of one to three lines, as an exporter writes them."""
    lines = []
    for _ in range(count):
        lines += [f"- name: {words(dice, 1, 3)}", f"  type: {words(dice, 1, 1)}"]
        lines += [f"  size: {dice.randint(1, 99)}"] * dice.randint(0, 1)
    return lines


def test_a_pattern_is_data_from_a_length_on() -> None:
    dice = random.Random(3)
    assert found("model.yml", definitions(dice, 60)) is None
    result = found("model.yml", definitions(dice, 200))
    assert result is not None
    assert not result.is_record
    assert "lines follow the line before them as earlier in the file" in result.evidence


def test_a_table_in_source_is_data() -> None:
    rows = [
        line
        for n in range(300)
        for line in (f"    case {n:#06x}:", f"        put({n + 32:#06x});", "        break;")
    ]
    result = found("case_fold.c", ["static void fold(int c) {", "    switch (c) {", *rows, "    }", "}"])
    assert result == Finding(False, "888 of 904 lines follow the line before them as earlier in the file")
    # A program may follow the first bytes of a long file, and people edit tables of an assembler by hand.
    functions = [f"int f{n}(int {'x' * (n % 40)}) {{ return {n % 7 * '(1)+'}0; }}" for n in range(9_000)]
    assert found("winapi.h", [*rows * 3, *functions]) is None
    assert found("wild_mons.asm", [f"\tdb {n}, PIKA" for n in range(600)]) is None
    assert (
        found("entities.js", [f'  "&{word}{n};": "\\u{n:04x}",' for n in range(40) for word in WORDS])
        is not None
    )


def test_a_short_or_a_varied_pattern_of_source_is_work() -> None:
    sums = [f"    assert add({n}, one) == {n + 1}" for n in range(1_000)]
    assert found("test_sums.py", sums[:399]) is None
    # Every tenth line is another one.
    varied = [f"{'x' * 3}{'(' * (n // 10)}" if n % 10 == 0 else line for n, line in enumerate(sums)]
    assert found("sums.py", varied) is None
    assert found("style.css", [f".a{n} {{ color: red }}" for n in range(1_000)]) is None


def test_a_source_file_whose_lines_begin_alike_is_of_a_program() -> None:
    calls = [
        f"Base.precompile(Tuple{{typeof({word}{n}),Array{{Int,{n}}}}})" for n in range(50) for word in WORDS
    ]
    result = found("precompile.jl", ["function run()", *calls, "end"])
    assert result is not None
    assert result.is_record
    assert result.evidence.startswith("800 of 802 lines begin with `Base.precompile(`")
    # With other lines between them they need a comment that says it.
    mixed = [line for call in calls[:300] for line in (call, "end")][:-80]
    said = "# These calls are generated with a profiler."
    assert found("precompile.jl", mixed[:390]) is None
    assert found("precompile.jl", [said, *mixed[:390]]) is None
    kept = found("precompile.jl", [said, *calls[:300], *["other(1)"] * 90])
    assert kept is not None
    assert found("precompile.jl", [*calls[:300], *["other(1)"] * 90]) is None


def manifest(keys: list[str]) -> list[str]:
    """Documents of objects with lists, with the keys of each object in the order that is given."""
    lines = []
    for n in range(12):
        lines += ["---", f"api: v{n}", "items:"]
        for item in range(3):
            lines += [f"{'- ' if place == 0 else '  '}{key}: {n * item}" for place, key in enumerate(keys)]
        lines += [
            "kind: Rule",
            "spec:",
            *(f"  {key}:\n    a: {n}\n    b: {item}" for item, key in enumerate(keys)),
        ]
    return "\n".join(lines).split("\n")


def test_a_nested_text_with_all_keys_sorted_is_an_export() -> None:
    lines = manifest(["alert", "expr", "for", "labels"])
    result = found("rules.yaml", lines)
    assert result is not None
    assert result.is_record
    assert "neighbouring keys stand in the order of the alphabet" in result.evidence
    other = found("rules.yaml", manifest(["name", "expr", "for", "labels"]))
    assert other is not None
    assert not other.is_record
    # One key out of its order is of a person.
    own = lines.copy()
    own[own.index("kind: Rule") + 1 : own.index("kind: Rule") + 1] = ["about: us"]
    other = found("rules.yaml", own)
    assert other is not None
    assert not other.is_record
    # What comes into an export is exported, however little follows from each other.
    content = "".join(f"{line}\n" for line in lines).encode()
    dice = random.Random(2)
    added = [words(dice, 1, 9).encode() for _ in range(25)]
    growth = judge_growth("rules.yaml", language_of("rules.yaml"), content, added)
    assert growth is not None
    assert growth.is_record
    assert judge_growth("rules.yaml", language_of("rules.yaml"), content, added[:5]) is None


def test_a_table_of_values_in_source_is_data() -> None:
    dice = random.Random(5)
    font = ["static const int FONT[] = {"]
    font += [f"    0x{dice.getrandbits(8):02x}, 0x{dice.getrandbits(8):02x}," for _ in range(200)]
    result = found("font.c", [*font, "};"])
    assert result is not None
    assert result.evidence == "200 of 202 lines hold nothing but numbers"


def test_texts_of_this_project_are_of_people() -> None:
    """Pages, models, their descriptions, settings and programs; what its own programs wrote is known.

    A list of libraries has one form for each, so it is data, whoever wrote it.
    """
    kinds = (".md", ".sql", ".yml", ".yaml", ".toml", ".py", ".html", ".css")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True)
    paths = [ROOT / path for path in listed.stdout.split("\0") if path.endswith(kinds)]
    assert len(paths) > 500, "the project is missing: nothing was tested"
    judged = {
        str(path.relative_to(ROOT)): result
        for path in paths
        if (result := judge(path.name, language_of(path.name), path.read_bytes())) is not None
    }
    written = {"docs/data-dictionary.md", "docs/mutations.md", "tests/published_lines/libraries.toml"}
    assert set(judged) <= written, judged


def test_a_long_text_is_judged_by_its_beginning() -> None:
    dice = random.Random(1)
    lines = log(dice) * 200
    assert len("\n".join(lines)) > CONTENT_BYTES
    result = found("out.txt", lines)
    assert result is not None
    assert result.evidence.endswith("of the first 64 kB")


@pytest.mark.parametrize(
    ("path", "line", "other", "lines", "least"),
    [
        ("a.txt", "10:00:01 started", "a word, or two", 40, 20),
        ("a.txt", "from /usr/lib/x", "1/2, a:b", 40, 20),
        ("a.txt", "https://a.example/b /usr/lib/x", "https://a.example/b:1 x/y", 40, 20),
        ("a.txt", "at 00ff-deadbeef0123", "deadbeef012 only", 40, 20),
        ("a.txt", f"key {'aB+/' * 10}=", f"key {'aB+/' * 9}", 40, 20),
        ("a.txt", "12 of 34", "a, b", 100, 50),
        ("a.c", "    { 1, 0x2f },", "call(one);", 100, 60),
        ("a.sql", "(1, 'a'),", "select one", 150, 90),
        ("a.txt", "|-- name", "some text.", 60, 36),
    ],
)
def test_the_least_share_of_lines_is_exact_in_any_order(
    path: str, line: str, other: str, lines: int, least: int
) -> None:
    for seed in range(5):
        dice = random.Random(seed)
        for count in (least - 1, least):
            text = [line if n < count else f"{other} {'x' * dice.randint(1, 30)}" for n in range(lines)]
            dice.shuffle(text)
            result = found(path, text)
            assert (result is not None and result.is_record) == (count == least)
            if result is not None and "digits" not in result.evidence:
                assert result.evidence.startswith(f"{count} of {lines} lines")


def test_the_shape_of_a_line_is_that_of_its_words() -> None:
    assert shape_of(b"  name:  two words-and_more") == b"a: a"
    assert shape_of(b"x = 12, y") == b"a = 0, a"
    assert shape_of("größe: 3".encode()) == b"a: 0"
    lines = [b"a: 1", b"b: x", b"c: 2", b"d: y", b"e: 3"]
    # The first pair of each kind is new: nothing before `a: 0`, then `a: a` after it, then `a: 0` after that.
    assert predictable(lines, 2) == 2
    assert predictable(lines, 2.5) is None


def test_hostile_lines_take_no_time() -> None:
    began = time.process_time()
    for line in (b"1" * 60_000 + b"x", b'"' * 60_000, b"/a" * 30_000, b"a-" * 30_000, b"[" * 60_000):
        for path in ("a.txt", "a.c", "a.yml", "a.sql"):
            judge(path, language_of(path), b"\n".join([line] * 2 + [b"x"] * 200))
    assert time.process_time() - began < 12


def test_a_list_of_files_is_an_export() -> None:
    files = ["LICENSE", "README.md", *(f"lib/shop/order_{n:02}.rb" for n in range(40))]
    said = found("Manifest.txt", files)
    assert said is not None
    assert said.is_record
    assert said.evidence == "42 of 42 lines are paths in the order of the alphabet"


@pytest.mark.parametrize(
    "lines",
    [
        [f"lib/shop/order_{n:02}.rb" for n in range(39)],
        [f"lib/shop/order_{n * 7 % 50:02}.rb" for n in range(50)],
        [f"lib/shop/order_{n:02}/*.rb" for n in range(50)],
        [f"lib/shop/order_{n:02}.rb  weighs the order" for n in range(50)],
        [f"word{n:02}" for n in range(50)],
    ],
)
def test_few_files_patterns_descriptions_and_words_are_no_list_of_files(lines: list[str]) -> None:
    assert found("Manifest.txt", lines) is None


def test_settings_in_the_order_of_the_alphabet_are_data_and_a_list_of_words_is_an_export() -> None:
    dice = random.Random(9)
    keys = sorted({f"{words(dice, 1, 1)}.{words(dice, 2, 3).replace(' ', '.')}{n}" for n in range(160)})
    for path, lines in (
        ("list.txt", keys),
        ("texts.properties", [f"{key} = {words(dice, 1, 6)}" for key in keys]),
    ):
        result = found(path, lines)
        assert result is not None
        assert result.is_record == (path == "list.txt")


def test_a_changelog_of_commits_is_an_export_in_lists_and_tables() -> None:
    dice = random.Random(10)
    link = "https://git.example/a/b/commit"
    hashes = [f"{dice.getrandbits(160):040x}" for _ in range(50)]
    tables = [f"| fix | {words(dice, 2, 6)} ([{sha[:9]}]({link}/{sha})) |" for sha in hashes]
    lists = [
        f"* {words(dice, 2, 6)} ([{sha[:9]}]({link}/{sha})), closes [#{n}](x)" for n, sha in enumerate(hashes)
    ]
    people = [f"- {words(dice, 2, 9)} ([#{n}](https://git.example/a/b/pull/{n}))" for n in range(50)]
    for lines in (tables, lists):
        assert found("CHANGELOG.md", lines) == Finding(True, "50 of 50 items link to their commit")
    assert found("CHANGELOG.md", people) is None


def judged(path: str, lines: list[str]) -> Finding | None:
    return judge(path, language_of(path), "\n".join(lines).encode())


@pytest.mark.parametrize(
    ("branch", "last", "stem"),
    [("+--- ", "\\--- ", "|    "), ("├── ", "└── ", "│   "), ("|-- ", "`-- ", "|   "), ("├─ ", "└─ ", "│  ")],
)
def test_a_drawn_tree_of_dependencies_is_an_export(branch: str, last: str, stem: str) -> None:
    dice = random.Random(5)
    lines = ["compileClasspath - Compile classpath for 'main'."]
    for _ in range(80):
        depth = dice.randrange(4)
        lines.append(
            f"{stem * depth}{dice.choice((branch, last))}{dice.choice(WORDS)}:{dice.choice(WORDS)}:1.2"
        )
    found = judged("deps.txt", lines)
    assert found is not None
    assert found.is_record
    assert "draw a tree" in found.evidence


def test_a_document_with_a_tree_of_folders_and_tables_is_of_people() -> None:
    dice = random.Random(6)
    prose = [" ".join(dice.sample(WORDS, 9)).capitalize() + "." for _ in range(60)]
    tree = [f"│   ├── {word}.py" for word in WORDS] * 2
    table = [
        line
        for word in WORDS
        for line in ("+-----------+------------+", f"| {word} | {' '.join(dice.sample(WORDS, 3))} |")
    ]
    assert judged("README.md", [*prose, *tree[:40]]) is None
    assert judged("guide.rst", [*prose, *table]) is None
