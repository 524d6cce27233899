from __future__ import annotations

import timeit
import uuid
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ingest.git.identifiers import commit_id, repository_id, root_key

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
OTHER = "0190d3b0-0000-7000-8000-000000000002"


@given(st.text(alphabet="0123456789abcdef", min_size=40, max_size=40), st.uuids())
def test_a_commit_id_is_the_uuid5_of_organization_and_sha(sha: str, organization: uuid.UUID) -> None:
    assert commit_id(str(organization), sha) == str(uuid.uuid5(organization, f"commit:{sha}"))


def test_a_commit_id_costs_less_than_the_standard_library_s() -> None:
    sha, namespace = "a" * 40, uuid.UUID(ORGANIZATION)
    ours = min(timeit.repeat(lambda: commit_id(ORGANIZATION, sha), number=2000, repeat=5))
    theirs = min(timeit.repeat(lambda: str(uuid.uuid5(namespace, f"commit:{sha}")), number=2000, repeat=5))
    assert ours < theirs


def test_a_repository_id_is_the_uuid5_of_organization_and_key() -> None:
    expected = uuid.uuid5(uuid.UUID(ORGANIZATION), "repository:host.org/Owner/Repo")
    assert repository_id(ORGANIZATION, "host.org/Owner/Repo") == str(expected)
    assert repository_id(OTHER, "host.org/Owner/Repo") != str(expected)


def test_case_tells_repositories_apart_only_where_the_host_does() -> None:
    def ids(host: str) -> set[str]:
        return {repository_id(ORGANIZATION, f"{host}/{path}") for path in ("Owner/Repo", "owner/repo")}

    assert len(ids("github.com")) == 1
    assert len(ids("git.example.org")) == 2


@given(st.lists(st.text(alphabet="0123456789abcdef", min_size=40, max_size=40), min_size=1), st.randoms())
def test_root_commits_identify_a_repository_in_any_order(shas: list[str], random: Random) -> None:
    mixed = list(shas)
    random.shuffle(mixed)
    assert root_key(shas) == root_key(mixed)
