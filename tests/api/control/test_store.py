"""Organizations and repositories in the control database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest

from api.control.ai_usage.actors import assign_actor
from api.control.ai_usage.prices import create_price
from api.control.capex.policies import Rule, create_policy
from api.control.checks.settings import change_setting
from api.control.commits.categories import categorize
from api.control.commits.category_answers import Answer, keep
from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude
from api.control.connections.connections import NewConnection, add_connection
from api.control.connections.tracker_teams import put_tracker_teams
from api.control.errors import AlreadyExists, InvalidSetting, NotFound
from api.control.identities.known_developers import KnownDeveloper
from api.control.ids import new_id
from api.control.models import Organization
from api.control.organizations.organizations import change_settings
from api.control.plans.plans import change_plan, grant
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.teams.memberships import add_membership
from api.control.teams.teams import create_team
from api.presentation.checks import check_kinds
from ingest.schemas.control import TABLES
from tests.api.control.plans.histories import commits
from tests.api.people import join, principal

pytestmark = pytest.mark.both_databases

LOCAL = "0190d3b0-0000-7000-8000-000000000001"


@pytest.fixture
def store(tmp_path: Path) -> ControlStore:
    return open_store(tmp_path)


def test_ensuring_an_organization_twice_gives_the_same_one(store: ControlStore) -> None:
    first = store.ensure_organization("Local", organization_id=LOCAL, slug="local")
    assert store.ensure_organization("Other name", organization_id=LOCAL, slug="local") == first
    assert first.time_zone == "UTC"
    assert first.work_category_grouping == "five"


def test_an_organization_that_exists_keeps_its_settings(store: ControlStore) -> None:
    store.ensure_organization("Local", organization_id=LOCAL, slug="local", work_category_grouping="three")
    changed = store.ensure_organization("Local", organization_id=LOCAL, time_zone="Europe/Berlin")
    assert (changed.time_zone, changed.work_category_grouping) == ("UTC", "three")


def test_equal_names_get_different_addresses(store: ControlStore) -> None:
    slugs = [store.ensure_organization("Ümläut & Söhne").slug for _ in range(3)]
    assert slugs == ["umlaut-sohne", "umlaut-sohne-2", "umlaut-sohne-3"]


def test_repositories_that_would_have_one_name_are_told_apart_by_owner_host_or_folder(
    store: ControlStore,
) -> None:
    added = [
        ("1", "web", "one.example/acme/web"), ("2", "web", "one.example/other/web"),
        ("3", "acme/web", "two.example/acme/web"), ("4", "Acme/Web", "three.example/acme/web"),
        ("5", "shop", "/home/ada/shop"), ("6", "shop", "/home/bob/shop"), ("7", "shop", "/srv/bob/shop"),
    ]  # fmt: skip
    organization = store.ensure_organization("Acme").id
    for _ in range(2):  # and the same ones in the next run
        named = [store.upsert_repository(organization, key, name=name, origin=at) for key, name, at in added]
        assert named == [
            "web", "other/web", "acme/web", "three.example/acme/web", "shop", "bob/shop", "srv/bob/shop",
        ]  # fmt: skip


def test_an_organization_is_found_by_id_and_by_slug(store: ControlStore) -> None:
    made = store.ensure_organization("Acme")
    assert store.organization(made.id) == store.organization("acme") == made
    with pytest.raises(NotFound, match="nobody"):
        store.organization("nobody")


def test_no_address_has_the_form_of_an_id(store: ControlStore) -> None:
    """Otherwise an organization with another's id as its slug would take the place of the other."""
    theirs = store.ensure_organization("Theirs")
    made = store.ensure_organization(theirs.id)
    assert made.slug == f"organization-{theirs.id}"
    assert store.ensure_organization(theirs.id.upper()).slug == f"organization-{theirs.id}-2"
    with pytest.raises(InvalidSetting, match="slug"):
        store.ensure_organization("Other", slug=new_id())


@pytest.mark.parametrize("is_older", [False, True])
def test_an_id_goes_before_the_address_of_another(store: ControlStore, is_older: bool) -> None:
    """An earlier release could create such slugs."""
    ids = sorted(new_id() for _ in range(2))
    theirs, odd = ids if is_older else reversed(ids)
    for key in ids:
        store.ensure_organization("Some", organization_id=key)
    with store.session() as session:
        session.get_one(Organization, odd).slug = theirs
    assert store.organization(theirs).id == theirs
    assert store.organization(odd).id == odd
    account = join(store, odd, "owner")
    join(store, theirs, "viewer", account)
    assert principal(store, account).role_in(theirs) == "viewer"
    only = principal(store, join(store, odd, "owner"))
    assert only.role_in(odd) == "owner"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "bell\a"}, "name"),
        ({"name": "a", "slug": "Not a slug"}, "slug"),
        ({"name": "a", "slug": "-a"}, "slug"),
        ({"name": "a", "time_zone": "Mars/Olympus"}, "time_zone"),
        ({"name": "a", "time_zone": "../../etc/passwd"}, "time_zone"),
        # Files of Debian's beside the zones.
        ({"name": "a", "time_zone": "posix/Europe/Berlin"}, "time_zone"),
        ({"name": "a", "time_zone": "right/UTC"}, "time_zone"),
        ({"name": "a", "time_zone": "localtime"}, "time_zone"),
        ({"name": "a", "work_category_grouping": "seven"}, "work_category_grouping"),
    ],
)
def test_malformed_settings_are_refused_by_field(
    store: ControlStore, settings: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidSetting) as refused:
        store.ensure_organization(**settings)
    assert refused.value.field == field
    assert store.organizations() == []


def test_a_slug_of_another_organization_is_refused(store: ControlStore) -> None:
    store.ensure_organization("Acme", slug="acme")
    with pytest.raises(AlreadyExists):
        store.ensure_organization("Local", organization_id=LOCAL, slug="acme")


def test_refreshing_a_repository_keeps_manual_settings(store: ControlStore) -> None:
    store.ensure_organization("Local", organization_id=LOCAL)
    start = datetime(2025, 1, 1, tzinfo=UTC)
    store.upsert_repository(
        LOCAL, "r1", name="a/b", origin="https://git.example/a/b", is_sandbox=True, analysis_start_at=start
    )
    store.upsert_repository(LOCAL, "r1", name="a/c", origin="https://git.example/a/c")
    assert store.snapshot(LOCAL)["repositories"] == [
        {
            "organization_id": LOCAL,
            "repository_id": "r1",
            "name": "a/c",
            "origin": "https://git.example/a/c",
            "is_sandbox": True,
            "is_excluded": False,
            "is_disabled": False,
            "analysis_start_at": start,
            "tags": [],
            "unread_since": None,
        }
    ]


def test_an_origin_with_credentials_is_refused(store: ControlStore) -> None:
    store.ensure_organization("Local", organization_id=LOCAL)
    with pytest.raises(InvalidSetting, match="credentials") as refused:
        store.upsert_repository(LOCAL, "r1", name="a", origin="https://user:hunter2@git.example/a")
    assert "hunter2" not in str(refused.value)


def test_a_repository_needs_its_organization(store: ControlStore) -> None:
    with pytest.raises(NotFound):
        store.upsert_repository(LOCAL, "r1", name="a", origin="https://git.example/a")


WHO_IS_WHO = {
    "commit_categories", "identity_merges", "identity_splits", "mailbox_splits", "suggestion_dismissals",
    "developer_attributes",
}  # fmt: skip


def test_the_snapshot_has_exactly_the_fields_of_the_raw_schemas(store: ControlStore) -> None:
    store.ensure_organization("Local", organization_id=LOCAL)
    store.upsert_repository(LOCAL, "r1", name="a", origin="https://git.example/a")
    owner = principal(store, join(store, LOCAL, "owner"))
    team = create_team(store, owner, LOCAL, "Web")
    add_membership(store, owner, LOCAL, team.id, "d", date(2026, 1, 1))
    exclude(store, owner, LOCAL, NamedCommit("c", "5" * 40, "r1", "Import", None), ExclusionReason.IMPORT)
    categorize(store, owner, LOCAL, NamedCommit("c", "5" * 40, "r1", "Import", None), "fixes")
    change_setting(store, owner, LOCAL, check_kinds()["open_too_long"], {"is_on": False})
    create_policy(store, owner, LOCAL, date(2026, 1, 1), [Rule("tests", "features")], "Agreed.")
    change_settings(store, owner, LOCAL, {"holidays": [{"date": "2026-12-25", "name": "Christmas Day"}]})
    change_settings(store, owner, LOCAL, {"has_categories_by_model": True})
    keep(store, LOCAL, [Answer("c", "r1", "fixes", 900_000, "small-1", "1", "8" * 64, "{}")])
    change_plan(store, OPERATOR, LOCAL, plan="paid", commit_limit=5)
    grant(store, LOCAL, lambda: [commits("r1", 3)])
    tracker = NewConnection(
        "ASANA", "trackers", "https://app.asana.com", "Asana", "t0ken-long", default_levels={"task": "issue"}
    )
    connected = add_connection(store, owner, LOCAL, tracker)
    put_tracker_teams(store, owner, LOCAL, connected.id, {"WEB": team.id})
    create_price(store, owner, LOCAL, "claude-*", date(2026, 1, 1), "Contract.", priced_as="claude-opus-5")
    ada = KnownDeveloper("d", "Ada", None, is_bot=False, known_ids=("d",), addresses=())
    assign_actor(store, owner, LOCAL, "ada-laptop", ada)
    snapshot = store.snapshot(LOCAL)
    assert snapshot.keys() == TABLES.keys()
    for name, columns in TABLES.items():
        # Decisions about identities have a test of their own.
        if snapshot[name] or name not in WHO_IS_WHO:
            assert [set(row) for row in snapshot[name]] == [set(columns.names)]
        pa.Table.from_pylist(snapshot[name], columns).validate(full=True)


def test_ids_of_created_things_are_version_seven_and_sort_by_time() -> None:
    made = [new_id() for _ in range(200)]
    assert len(set(made)) == 200
    for text in made:
        assert text[14] == "7"
        assert text[19] in "89ab"
    assert [text[:13] for text in made] == sorted(text[:13] for text in made)


def test_concurrent_calls_create_an_organization_once(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    starting = Barrier(6)

    def come(_: int) -> str:
        store = open_store(tmp_path)
        starting.wait()
        made = store.ensure_organization("Local", organization_id=LOCAL, slug="local").id
        store.upsert_repository(LOCAL, "r1", name="a", origin="https://git.example/a")
        store.close()
        return made

    with ThreadPoolExecutor(6) as executor:
        assert set(executor.map(come, range(6))) == {LOCAL}
    assert len(open_store(tmp_path).snapshot(LOCAL)["repositories"]) == 1


def test_what_is_unchanged_is_read_once_until_the_next_commit(tmp_path: Path) -> None:
    store, other = open_store(tmp_path), open_store(tmp_path)
    made = store.ensure_organization("Acme", slug="acme")
    reads: list[str] = []

    def read() -> str:
        reads.append("again")
        return "found"

    assert [store.unchanged("key", read) for _ in range(3)] == ["found"] * 3
    # PostgreSQL does not say cheaply whether something changed, so it is read each time.
    remembers = store.engine.dialect.name == "sqlite"
    assert len(reads) == (1 if remembers else 3)
    assert store.organization("acme").name == "Acme"
    other.ensure_organization("Other", slug="other")
    assert store.unchanged("key", read) == "found"
    assert len(reads) == (2 if remembers else 4)
    with other.session() as session:
        session.get_one(Organization, made.id).name = "Renamed"
    assert store.organization("acme").name == "Renamed"
    with store.write_transaction() as session:
        session.get_one(Organization, made.id).name = "Within"
        session.flush()
        # Others see a change when it is committed, the transaction itself at once.
        assert store.joined(session).organization("acme").name == "Within"
        assert store.organization("acme").name == "Renamed"
    assert store.organization("acme").name == "Within"
    store.close()
    other.close()


def test_a_read_that_fails_is_tried_again(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for _ in range(2):
        with pytest.raises(NotFound):
            store.organization("acme")
    store.ensure_organization("Acme", slug="acme")
    assert store.organization("acme").slug == "acme"
    store.close()
