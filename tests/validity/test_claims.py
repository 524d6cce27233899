"""Claims on tiny invented sets: each is measured from its own warehouse and distinguishes right from wrong."""

import csv
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.validity import identity, issue_links, robots
from tests.validity.ai import ai_evidence, ai_recall
from tests.validity.categories import declared_types, kind_of_change
from tests.validity.claims import Inputs, NotMeasured, Outcome, Result

Writer = Callable[[str, Sequence[Mapping[str, object]]], None]


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    for name in ("data", "repositories", "work"):
        (tmp_path / name).mkdir()
    return Inputs(tmp_path / "data", tmp_path / "repositories", tmp_path / "work", tmp_path / "kept")


@pytest.fixture
def put(inputs: Inputs) -> Writer:
    """Write a set; all rows have the same columns."""

    def write(name: str, rows: Sequence[Mapping[str, object]]) -> None:
        with (inputs.data / name).open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, list(rows[0]))
            out.writeheader()
            out.writerows(rows)

    return write


def named(outcomes: Sequence[Outcome], part: str) -> Result:
    found = [one for one in outcomes if isinstance(one, Result) and part in one.name]
    assert len(found) == 1, [one.name for one in outcomes]
    return found[0]


def person(name: str, address: str, number: int, repo: str = "DPDK/dpdk") -> dict[str, object]:
    return {"repo": repo, "raw_name": name, "raw_email": address, "person_id": number}


def test_pairs_equal_a_count_by_hand() -> None:
    # Of four pairs that were joined (ab, cd, ce, de) two are right; of three that should be (ab, bc, de) two were.
    assert identity.pairwise(["p", "p", "p", "q", "q"], ["x", "x", "y", "y", "y"]) == (0.5, 0.5)
    assert identity.pairwise("abc", "xyz") != identity.pairwise("aab", "xxy") == (1.0, 1.0)


def test_identity_is_measured_from_the_developers_of_the_warehouse(inputs: Inputs, put: Writer) -> None:
    put(
        "mailmap_identities.csv",
        [
            person("Ada Lovelace", "ada@one.example.net", 1),
            person("ada lovelace", "ada@two.example.net", 1),
            person("A. Lovelace", "ADA@two.example.net", 1),
            person("Grace Hopper", "grace@one.example.net", 2),
            person("Grace Hopper", "hopper@two.example.net", 3),
            person("Jo", "root@localhost", 4),
            person("Al", "root@localhost", 5),
        ],
    )
    found = list(identity.results(inputs))
    assert named(found, "pairwise precision").figure == 3 / 4
    assert named(found, "pairwise recall").figure == 1
    assert [one.figure for one in named(found, "pairwise recall").baselines] == [1 / 3, 1 / 3, 1]
    assert named(found, "generic").figure == 0


def agent(agent: str, pr: int, author: str, message: str, signed: bool) -> dict[str, object]:
    return {
        "agent": agent,
        "pr_id": pr,
        "author": author,
        "committer": "web-flow",
        "message": message,
        "author_sig": False,
        "msg_sig": signed,
    }


def test_ai_evidence_is_measured_per_pull_request(inputs: Inputs, put: Writer) -> None:
    co_author = "Mend it\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    put(
        "aidev_commits.csv",
        [
            agent("Claude_Code", 1, "ann", co_author, True),
            agent("Claude_Code", 1, "ann", "Mend it too", False),
            agent("Claude_Code", 2, "ann", "Mend all", False),
            agent("Devin", 3, "ann", "x" * 1500, True),
            agent("Devin", 4, "devin-ai-integration[bot]", "Mend more", True),
            agent("Copilot", 5, "Copilot", "Mend this", True),
            agent("Cursor", 6, "cursoragent", "Mend that", True),
            agent("OpenAI_Codex", 7, "ann", "Mend the rest", False),
        ],
    )
    tools = {
        1: "Claude_Code",
        2: "Claude_Code",
        3: "Devin",
        4: "Devin",
        5: "Copilot",
        6: "Cursor",
        7: "OpenAI_Codex",
    }
    said = {"title": "Mend", "body": "Mends it.", "user": "ann", "user_sig": False, "body_sig": False}
    texts = {
        1: {
            "body": "Mends it.\n\n🤖 Generated with [Claude Code](https://claude.com/claude-code)",
            "body_sig": True,
        },
        4: {"user": "devin-ai-integration[bot]", "user_sig": True},
    }
    put(
        "aidev_prs.csv",
        [
            said
            | {"id": n, "number": n, "agent": tool, "any_commit": str(n not in (2, 7))}
            | texts.get(n, {})
            for n, tool in tools.items()
        ],
    )
    mixed = {"repo": "a/b", "author_name": "Ann", "author_email": "ann@people.example.net"}
    mixed |= {"committer_name": "Ann", "committer_email": "ann@people.example.net"}
    put(
        "commits_ai_vs_human.csv",
        [
            mixed | {"label": "ai_assisted", "message": co_author},
            mixed | {"label": "human", "message": "Mend the cursor"},
            mixed | {"label": "human_hard", "message": f"{co_author} is what we never write\n\nBecause."},
        ],
    )
    put("branch_mentions_not_agent.csv", [{"branch": "fix/cursor-codex"}, {"branch": "codex/looks-like-one"}])
    put(
        "branch_prefixes_observed.csv",
        [
            {"branch_prefix": "codex/", "examples": "a/b:codex/speed-up ; a/b:codex/more"},
            {"branch_prefix": "claude/", "examples": "a/b:claude/homepage"},
        ],
    )
    found = list(ai_evidence.results(inputs))
    branches = named(found, "shapes recognized")
    assert [(part.name, part.figure) for part in branches.parts] == [("codex/", 1), ("claude/", 0)]
    assert named(found, "recall per pull request, Claude Code").figure == 0.5
    squashes = [named(found, f"text, {tool}").figure for tool in ("Claude Code", "Devin", "Copilot")]
    assert squashes == [0.5, 0.5, 0]
    # The sign of the one is cut off: it counts as the other, which was found.
    assert named(found, "request, Devin").figure == 1
    assert named(found, "request, OpenAI Codex").figure == 0
    assert named(found, "precision").figure == 1
    assert named(found, "flags on human_hard").figure == 0
    assert named(found, "only mention").figure == 1
    assert named(found, "only mention").verdict == "MISSED"
    # Codex signs nothing here: the report says that its bar was not measured.
    assert [one.has_bar for one in found if isinstance(one, NotMeasured)] == [True]
    by_branch = [named(found, f"{shown}, OpenAI Codex").figure for shown in ("and branch", "text alone")]
    assert by_branch == [1, 0]
    assert set(ai_recall.TOOL_WORDS) == set(tools.values())


def test_robots_are_measured_in_the_repositories_of_their_set(inputs: Inputs, put: Writer) -> None:
    put(
        "bot_like_identities.csv",
        [
            {"name": name, "email": email, "label": label, "example": "acme/lexer@1"}
            for name, email, label in (
                ("lexer bot", "lexerbot@mail.example", "bot"),
                ("Sanne Bot", "sannebot@mail.example", "human"),
                ("Unseen Machine", "unseen@mail.example", "bot"),
            )
        ],
    )
    people, recall = robots.results(inputs)
    assert (people.figure, people.verdict) == (0, "ok")
    assert (recall.figure, recall.verdict) == (0.5, "MISSED")
    assert recall.notes == ("Missed: Unseen Machine.",)


def test_a_sign_of_the_set_that_the_product_misses_fails_the_bar() -> None:
    rows = [
        {name: str(value) for name, value in row.items()}
        for row in (
            agent("Claude_Code", 1, "ann", "Mend it\n\nCo-authored-by: Claude", True),
            agent("Claude_Code", 2, "ann", "Mend more", True),
            agent("Claude_Code", 3, "ann", "Mend all", False),
            # A person who works at a vendor is not its tool, though the set says so.
            agent("OpenAI_Codex", 4, "ann-openai", "Mend", False) | {"author_sig": True},
            agent("OpenAI_Codex", 5, "ann", "Mend\n\nSigned-off-by: Codex", True),
        )
    ]
    codex = {("OpenAI Codex", "assisted")}
    signs: list[set[tuple[str, str]]] = [{("Claude Code", "assisted")}, set(), set(), set(), codex]
    found = list(ai_recall.results(rows, signs, [], "0.0.0"))
    claude = named(found, "that are found, Claude Code")
    assert (claude.figure, claude.size, claude.verdict) == (0.5, 2, "MISSED")
    codex_signs = named(found, "that are found, OpenAI Codex")
    assert (codex_signs.figure, codex_signs.size, codex_signs.verdict) == (1.0, 1, "ok")
    assert any("login" in note for note in codex_signs.notes)


def test_links_are_measured_in_rows_and_in_repositories(inputs: Inputs, put: Writer) -> None:
    assert inputs.repositories
    repository = GitRepository(inputs.repositories / "acme/tea")
    sha = repository.commit({"a": "1"}, "Brew\n\nCoverity issue: 45\n")
    other = repository.commit({"a": "2"}, "Brew UTF-8\n\nSee 46.")
    link = {"repo": "acme/tea", "sha": sha, "link_kind": "Coverity", "issue_ref": "45", "subject": "Brew"}
    put("trailer_links.csv", [link, link | {"sha": other, "link_kind": "closing keyword", "issue_ref": "46"}])
    false = {
        "string": "UTF-8",
        "prefix": "UTF",
        "repo": "acme/tea",
        "count": 1,
        "example": f"{other[:12]} Brew UTF-8",
    }
    unknown = false | {"repo": "acme/cups", "string": "SHA-256", "prefix": "SHA"}
    put("false_key_strings.csv", [false, unknown])
    found = list(issue_links.results(inputs))
    assert named(found, "commits linked to their issue, as the rows tell them").figure == 1
    assert named(found, "forms found, as the rows tell them").figure == 1
    assert named(found, "forms found, in the projects' own messages").figure == 0.5
    assert [named(found, f"false keys linked, {where}").figure for where in ("as the", "in the")] == [0, 0]
    remedies = [one.remedy for one in found if isinstance(one, NotMeasured)]
    assert remedies == [f"put a clone of acme/cups into {inputs.repositories / 'acme/cups'}"]


def test_the_kind_of_change_is_measured_by_the_shipped_weights(inputs: Inputs, put: Writer) -> None:
    said = {
        "corrective": ["Fix crash of the kettle", "Fix leak in the pot", "Fix wrong cup"],
        "adaptive": ["Add a kettle", "Add support for pots", "Add new cups"],
        "perfective": ["Clean up the kettle", "Rename the pot", "Simplify the cup"],
    }
    put(
        "levin_1151.csv",
        [
            {"repository": f"tea{n}", "sha": f"{n}", "message": f"{words} again", "label": label}
            for label, messages in said.items()
            for words in messages
            for n in range(4)
        ],
    )
    none = {"Is_Corrective": False, "Is_Perfective": False, "Is_Adaptive": False, "Is_Refactor": False}
    put(
        "amit_feitelson_labels.csv",
        [
            none | {"repo_name": "a/b", "message": "Fix a crash", "Is_Corrective": True},
            none | {"repo_name": "a/b", "message": "Add two features", "Is_Adaptive": True},
            none | {"repo_name": "a/b", "message": "Both", "Is_Adaptive": True, "Is_Corrective": True},
        ],
    )
    found = list(kind_of_change.results(inputs))
    levin = named(found, "shipped weights in SQL, levin_1151")
    assert (levin.size, levin.figure > 0.8) == (36, True)
    assert named(found, "F1 of fixes").figure == 1
    assert named(found, "F1 of fixes").size == 2


def test_declared_types_are_measured_on_repositories_unseen_in_training(inputs: Inputs, put: Writer) -> None:
    said = {"fix": "Mend the kettle", "feat": "Brew in a pot", "refactor": "Tidy up the cup"}
    labels = {"fix": "corrective", "feat": "adaptive", "refactor": "perfective"}
    put(
        "levin_1151.csv",
        [
            {"repository": f"tea{n}", "sha": f"{n}", "message": f"{words} once", "label": labels[kind]}
            for kind, words in said.items()
            for n in range(6)
        ],
    )
    rows = []
    assert inputs.repositories is not None
    for number in range(6):
        repository = GitRepository(inputs.repositories / "acme" / f"cake{number}", bare=True)
        for turn in range(4):
            for kind, words in said.items():
                # Features bring files, the other two edit one.
                path = f"src/new{turn}.py" if kind == "feat" else "src/a.py"
                text = "".join(f"{kind}_{turn}_{n} = {number}\n" for n in range(40 if kind == "feat" else 2))
                sha = repository.commit({path: text}, f"{kind}(tea): {words} {turn} of {number}")
                rows.append({"repo": f"acme/cake{number}", "sha": sha, "declared_type": kind})
    kinds = {"fix": "fixes", "feat": "features", "refactor": "maintenance"}
    put("declared_types.csv", [row | {"category": kinds[str(row["declared_type"])]} for row in rows])
    put("cc_commits.csv", [{"repo": "acme/gone", "sha": "0" * 40, "type": "fix"}])
    found = list(declared_types.results(inputs))
    assert named(found, "kappa, unseen repositories").figure > 0.9
    assert named(found, "kappa, unseen repositories").size == len(rows)
    assert named(found, "features by lines, recall").figure == 1
    assert 0.3 < named(found, "kappa, message hidden").figure < 0.9
    assert named(found, "kappa, unseen projects").size == 18
    remedies = [one.remedy for one in found if isinstance(one, NotMeasured)]
    assert remedies == [f"put a clone of acme/gone into {inputs.repositories / 'acme/gone'}"]


def test_every_set_that_is_missing_is_named(inputs: Inputs) -> None:
    for module in (ai_evidence, declared_types, identity, issue_links, kind_of_change):
        with pytest.raises(Exception, match=r"put \w+\.csv into"):
            list(module.results(inputs))


def test_the_suite_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.validity", "--nonsense"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 2
    assert "--data" in done.stderr
