"""Data that a script of the repository writes is generated; what a script reads too, people may have written."""

from __future__ import annotations

import json

import pytest

from ingest.git.machine_text.written_data import MOST_BYTES, written_files
from tests.git_repository import GitRepository
from tests.ingest.git.changes.test_change_reader import read

NAMES = json.dumps(
    {f"face with {word}": f"U+{n}" for n, word in enumerate(["joy", "tears", "smile", "wink"])}, indent=1
)
SCRIPT = """const fs = require("fs");
const list = fetchList("https://host.example/list.json");
fs.writeFileSync(path.resolve(path.join(
\t__dirname,
\t"..",
\t"client",
\t"facenames.json"
)), JSON.stringify(list, null, 2));
"""


@pytest.mark.parametrize(
    "script",
    [
        SCRIPT,
        "await fs.promises.writeFile(`${out}/facenames.json`, text);",
        'with open("client/facenames.json", "w", encoding="utf-8") as file:\n    json.dump(names, file)\n',
        'Path("client", "facenames.json").write_text(json.dumps(names))',
        "names.to_json(folder + '/facenames.json', indent=2)",
        "file_put_contents(__DIR__ . '/facenames.json', json_encode($names));",
        'os.WriteFile("client/facenames.json", text, 0o644)',
    ],
)
def test_a_script_names_what_it_writes(script: str) -> None:
    assert list(written_files(script.encode())) == ["facenames.json"]


@pytest.mark.parametrize(
    "script",
    [
        'names = json.load(open("client/facenames.json"))\n',
        SCRIPT + 'const old = require("../client/facenames.json");\n',
        'const kept = read("facenames.json");\n',
        'fs.writeFileSync("index.json", text);',
        'report.to_csv(out)\nprices = pd.read_csv("data/price-list.csv")\n',
        'fs.writeFileSync(out, text)\nconst rules = require("../data/tariff-rules.json")\n',
        'fs.writeFileSync(out, merge(require("../data/tariff-rules.json")))\n',
        'os.WriteFile(out, text, 0o644)\nraw, err := os.ReadFile("data/tariff-rules.json")\n',
        "File.write(out, text)\nrows = CSV.read('data/price-list.csv')\n",
        "# Usage: sort.sh > catalogue-sorted.json\n",
        "fs.writeFileSync(target, text); // sorts facenames.json\n",
        "if (count >= facenames.json) stop();\n",
        SCRIPT + " " * MOST_BYTES,
    ],
)
def test_what_a_script_reads_or_mentions_people_may_write(script: str) -> None:
    assert written_files(script.encode()) == {}


def test_data_of_a_script_is_generated_beside_it(repository: GitRepository) -> None:
    before = repository.commit({"client/facenames.json": NAMES})
    made = repository.commit(
        {
            "scripts/faces.js": SCRIPT,
            "client/facenames.json": NAMES.replace("joy", "fun"),
            "client/prices.json": NAMES,
        }
    )
    later = repository.commit({"client/facenames.json": NAMES, "data/facenames.json": NAMES})
    said = (True, "written by scripts/faces.js")
    assert [change.is_generated for change in read(repository, before).own] == [False]
    found = {
        change.path: (change.is_generated, change.machine_evidence) for change in read(repository, made).own
    }
    assert found["client/facenames.json"] == said
    assert (found["client/prices.json"][0], found["scripts/faces.js"][0]) == (False, False)
    assert {change.path: change.is_generated for change in read(repository, later).own} == {
        "client/facenames.json": True,
        "data/facenames.json": False,
    }


def test_a_hostile_script_takes_no_time() -> None:
    for text in (
        "writeFile(" * 20_000,
        'open("' + "a" * 200_000,
        '"' + "a.json" * 30_000,
        "> a/" * 50_000 + ".json",
    ):
        assert written_files(text.encode()[:MOST_BYTES]) is not None
