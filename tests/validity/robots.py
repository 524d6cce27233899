"""Robots: accounts of programs are called robots, and people whose names look like theirs are not."""

from collections.abc import Sequence

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import analyse
from tests.validity.categories.labelled_history import LabelledHistory
from tests.validity.claims import Bar, Baseline, Inputs, Result
from tests.validity.labelled_sets import Row

CLAIM = "Robots"
SET = "bot_like_identities"
_PLAIN = ("-bot", "-robot", "[bot]")


def results(inputs: Inputs) -> list[Result]:
    """People called robots, and the recall of robots. Raises Missing."""
    rows = labelled_sets.rows(inputs, f"{SET}.csv")
    found, version = _judged(rows, inputs)
    is_person = [row["label"] == "human" for row in rows]
    plain = [row["name"].lower().endswith(_PLAIN) for row in rows]
    people = [n for n, person in enumerate(is_person) if person]
    robots = [n for n, person in enumerate(is_person) if not person]
    missed = [rows[n]["name"] for n in robots if not found[n]]
    return [
        Result(
            CLAIM,
            "people called robots",
            SET,
            len(people),
            "identity",
            float(sum(found[n] for n in people)),
            None,
            version,
            can_show="that people with names like those of robots keep their work.",
            cannot_show="names that look like robots in languages and companies that the set lacks.",
            bar=Bar(at_most=0),
            baselines=(Baseline("hyphen rule", float(sum(plain[n] for n in people))),),
            is_count=True,
        ),
        Result(
            CLAIM,
            "recall of robots",
            SET,
            len(robots),
            "identity",
            bootstrap.mean([found[n] for n in robots]),
            bootstrap.share([found[n] for n in robots]),
            version,
            can_show="whether the robots that histories name, with and without a hyphen, are known as robots.",
            cannot_show="robots that commit under the name and address of a person.",
            bar=Bar(at_least=0.95),
            baselines=(Baseline("hyphen rule", bootstrap.mean([plain[n] for n in robots])),),
            notes=((f"Missed: {', '.join(missed)}.",) if missed else ()),
        ),
    ]


def _judged(rows: Sequence[Row], inputs: Inputs) -> tuple[list[bool], str]:
    """Whether each identity is a robot. Each commits in a repository of the name that the set gives."""
    histories: dict[str, LabelledHistory] = {}
    for row in rows:
        repository = row["example"].partition("@")[0]
        if repository not in histories:
            histories[repository] = LabelledHistory(
                inputs.work / repository / f"{repository.rpartition('/')[2]}.git"
            )
        histories[repository].say("Change the parser", author=f"{row['name']} <{row['email']}>")
    repositories = {name: history.finish() for name, history in histories.items()}
    found = analyse(repositories, inputs.work / "analysed", select=["+int_identity__developers"])
    query = "select name, address, is_robot from int_identity__developers"
    robots = {(row["name"], row["address"]): bool(row["is_robot"]) for row in found.rows(query)}
    return [robots[row["name"], row["email"].lower()] for row in rows], found.calculation_version
