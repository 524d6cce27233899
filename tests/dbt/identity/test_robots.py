"""Robots are known by their names and addresses, and people with similar names are people."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import History
from tests.dbt.invented.invented_identities import Person

ROBOTS: list[Person] = [
    ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),
    ("HouseTestBot", "1+housetestbot@users.noreply.github.com"),
    ("Acme MergeBot", "acmemergebot@users.noreply.github.com"),
    ("Release Bot", "release.bot@acme.example"),
    ("Acme Bot", "it@acme.example"),
    ("Scala Steward", "me@scala-steward.org"),
    ("Kubernetes Prow Robot", "20+k8s-ci-robot@users.noreply.github.com"),
    ("ImgBotApp", "help@img.example"),
    ("acme-ci", "acme-ci@users.noreply.github.com"),
    ("roller", "roller@acme.iam.gserviceaccount.com"),
    ("Project Token", "project_4711_bot_0a1b2c3d@noreply.gitlab.acme.example"),
    ("Project Token", "project_4712_bot@noreply.gitlab.acme.example"),
    ("Group Token", "group_9_bot_0a1b2c3d@noreply.gitlab.acme.example"),
    ("Crowdin", "support@crowdin.com"),
    ("svc-deploy", "svc-deploy@acme.example"),
    ("Deployment", "service-account-7@acme.example"),
    ("formatbot", "tools@acme.example"),
    ("Docs Update Bot", "docs@acme.example"),
    ("TeamCity", "teamcity@acme.example"),
    ("Automated Release", "release@acme.example"),
    ("CI User", "ci@acme.example"),
    ("tools-bot-2", "tools2@acme.example"),
    ("Weblate (bot)", "weblate@acme.example"),
    ("Home Automation", "automation@acme.example"),
    ("Acme CI", "acme@acme.example"),
    ("Updates", "ops+acmebot@acme.example"),
    ("Project Collection Build Service (acme)", "ee6a@acme.example"),
]
PEOPLE: list[Person] = [
    ("Pieter Bot", "pieter.bot@acme.example"),
    ("Sanne Bot", "sannebot@mail.example"),
    ("Lucia Talbot", "ltalbot@acme.example"),
    ("Abbot", "abbot@acme.example"),
    ("Roman Ci", "roman-ci@acme.example"),
    ("Travis Miller", "travis@acme.example"),
    ("Jean Cabot", "cabot@mail.example"),
    ("Svea Svc", "svea@acme.example"),
    ("Robot Lover", "jo@acme.example"),
    ("Mara Lindt", "mara@bots.example"),
    ("Ryan Talbot", "4523072+ryantalbot@users.noreply.github.com"),
    ("Sam Build", "sam.build@acme.example"),
    ("Auto Nguyen", "auto.nguyen@acme.example"),
    ("Gerrit", "gerrit.vd@acme.example"),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[Person, bool]:
    """Whether each of them is called a robot."""
    history = History("acme/here", seed=1)
    for person in (*ROBOTS, *PEOPLE):
        history.say("Change the parser", author=person)
    folder = tmp_path_factory.mktemp("robots")
    invented_lake.write(folder / "raw", [history.finish()])
    built: Path = warehouse.build(folder / "raw", folder, select="+int_identity__addresses")
    found = warehouse.rows(built, "select name, address, is_robot from int_identity__addresses")
    return {(row["name"], row["address"]): row["is_robot"] for row in found}


def test_robots_are_robots(judged: dict[Person, bool]) -> None:
    assert [person for person in ROBOTS if not judged[person]] == []


def test_people_are_people(judged: dict[Person, bool]) -> None:
    assert [person for person in PEOPLE if judged[person]] == []
