"""Every read over gRPC is the read of REST: the same figures, nulls, pages and errors."""

import re
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict

from tests.api.grpc.conftest import NAMES, Client, path_of, reads, variables


@pytest.fixture(scope="module")
def values(client: httpx.Client) -> dict[str, str]:
    """A value for each variable of a path: the id of the first item in the list above it."""
    found = {"organization": "acme"}
    for _, method in sorted(NAMES.values(), key=lambda one: one[1].path.count("/")):
        if method.verb != "get" or (above := re.fullmatch(r"(.*/(\w+))/{(\w+)}", method.path)) is None:
            continue
        path, items, variable = above.groups()
        if all(name in found for name in re.findall(r"{(\w+)}", path)):
            answer = client.get(path.format(**found))
            for item in answer.json().get(items, [])[:1] if answer.is_success else []:
                found[variable] = str(item.get("id") or item.get("sha") or item.get("number"))
    return found


def without_nulls(value: Any) -> Any:
    """The same JSON without its nulls, which are unset fields in a message."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def shown(message: Any) -> Any:
    return without_nulls(MessageToDict(message, always_print_fields_with_no_presence=True))


@pytest.mark.parametrize("name", reads())
def test_every_read_has_the_answer_of_rest(
    caller: Client, client: httpx.Client, values: dict[str, str], name: str
) -> None:
    _, method = NAMES[name]
    known = {one: values.get(one, "nothing" if "revision" not in one else "1") for one in method.variables}
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
