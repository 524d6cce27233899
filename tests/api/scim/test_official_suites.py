"""The storage and the server against the suites of the SCIM libraries, which we did not write."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from scim2_models import ScimProvider
from scim2_server.testing import ScimStorageContract
from scim2_tester import Status, check_server

from api.control.issued_tokens import key_hash
from api.control.scim.scim_tokens import find_directory
from api.control.store import open_store
from api.scim.service import provider as described
from api.scim.storage import DirectoryStorage
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import OfficialClient, token_for


@pytest.mark.both_databases
class TestStorage(ScimStorageContract):
    @pytest.fixture
    def provider(self) -> Iterator[ScimProvider]:
        with described() as provider:
            yield provider

    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[DirectoryStorage]:
        store = open_store(tmp_path)
        store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
        found = find_directory(store, key_hash(token_for(store, ORGANIZATION)))
        assert found is not None
        yield DirectoryStorage(store, found[2])
        store.close()


def test_the_official_tester_finds_nothing_wrong(directory: httpx.Client) -> None:
    results = check_server(OfficialClient(directory))
    failed = [
        f"{one.title}: {one.reason}" for one in results if one.status not in (Status.SUCCESS, Status.SKIPPED)
    ]
    assert not failed
    assert len([one for one in results if one.status == Status.SUCCESS]) > 100
