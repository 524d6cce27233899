"""A directory is provisioned, changed and removed, twice, over a faulty wire: the end is the same as without faults."""

import httpx
import pytest

from api.control.store import ControlStore
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.dialogues import members
from tests.api.scim.faulty_wire import FAULTS, FaultyWire
from tests.api.scim.whole_directory import WholeDirectory, address, expected, is_active_after, state
from tests.suite.tiers import IS_WHOLE

USERS, GROUPS = (200, 20) if IS_WHOLE else (40, 6)
# Of all requests.
FAULTY = 0.2


@pytest.mark.parametrize(
    "share",
    [pytest.param(0, marks=pytest.mark.release, id="good wire"), pytest.param(FAULTY, id="faulty wire")],
)
def test_a_directory_comes_changes_and_goes_twice(
    served: str, kept: ControlStore, directory: httpx.Client, share: float
) -> None:
    wire = FaultyWire(httpx.HTTPTransport(), seed=11, share=share)
    with httpx.Client(
        base_url=directory.base_url, headers=directory.headers, timeout=60, transport=wire
    ) as client:
        before = state(directory)
        for _ in range(2):
            whole = WholeDirectory(client, USERS, GROUPS)
            whole.provision()
            assert state(directory) == expected(USERS, GROUPS, changed=False)
            assert members(kept, ORGANIZATION) == {address(n): "viewer" for n in range(USERS)}
            whole.change()
            assert state(directory) == expected(USERS, GROUPS, changed=True)
            assert members(kept, ORGANIZATION) == {
                address(n): "viewer" for n in range(USERS) if is_active_after(n)
            }
            whole.remove()
            assert state(directory) == before == ({}, {})
            assert not members(kept, ORGANIZATION)
    assert set(wire.met) == (set(FAULTS) if share else set())
