"""Every read over gRPC is the read of REST: the same figures, nulls, pages and errors."""

import httpx
import pytest

from tests.api.grpc.conftest import NAMES, Client, known_of, path_of, reads, shown, variables, without_nulls


@pytest.mark.parametrize("name", reads())
def test_every_read_has_the_answer_of_rest(
    caller: Client, client: httpx.Client, values: dict[str, str], name: str
) -> None:
    _, method = NAMES[name]
    known = known_of(method, values)
    rest = client.get(path_of(method, known))
    if rest.is_success:
        assert shown(caller.ask(name, **variables(method, known))) == without_nulls(rest.json())
    else:
        status = caller.refusal(name, **variables(method, known))
        assert (status.code, status.message) == (rest.json()["code"], rest.json()["message"])


def test_most_reads_are_compared_by_their_content(client: httpx.Client, values: dict[str, str]) -> None:
    found = [
        client.get(path_of(method, {one: values.get(one, "nothing") for one in method.variables})).status_code
        for _, method in (NAMES[name] for name in reads())
    ]
    assert found.count(200) >= len(found) * 0.6


def test_a_page_and_its_parameters_are_those_of_rest(caller: Client, client: httpx.Client) -> None:
    asked = {"pageSize": "2", "startDate": "2026-01-05", "orderBy": "etv desc"}
    first = caller.ask(
        "ListDevelopers", organization="acme", page_size=2, order_by="etv desc", start_date="2026-01-05"
    )
    rest = client.get("/api/v1/organizations/acme/developers", params=asked).json()
    assert shown(first) == without_nulls(rest)
    assert first.next_page_token
    second = caller.ask(
        "ListDevelopers",
        organization="acme",
        page_size=2,
        order_by="etv desc",
        start_date="2026-01-05",
        page_token=first.next_page_token,
    )
    rest = client.get(
        "/api/v1/organizations/acme/developers", params={**asked, "pageToken": rest["nextPageToken"]}
    ).json()
    assert shown(second) == without_nulls(rest)


def test_null_is_unset_and_zero_is_set(caller: Client, client: httpx.Client) -> None:
    rest = client.get("/api/v1/organizations/acme/developers").json()["developers"]
    answer = caller.ask("ListDevelopers", organization="acme").developers
    kinds = set()
    for told, message in zip(rest, answer, strict=True):
        for field in message.DESCRIPTOR.fields:
            if field.is_repeated or field.message_type is not None:
                continue
            kinds.add(told[field.json_name] is None)
            assert message.HasField(field.name) == (told[field.json_name] is not None)
    assert kinds == {True, False}
