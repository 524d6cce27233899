"""Migrations of an empty control database give the models."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from api.control import store as control_store
from api.control.accounts import tokens
from api.control.database import connect, database_url
from api.control.errors import SchemaTooNew, SchemaTooOld
from api.control.models import Base
from api.control.permissions import Role
from api.control.plans.grants import Grant
from api.control.plans.plans import grant, plan
from api.control.schema import MIGRATIONS, migrate
from api.control.store import open_store
from tests.api.control.plans.histories import commits
from tests.control_databases import Url


@pytest.fixture(autouse=True)
def _empty_at_first(control_databases: Url, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_store, "database_url", partial(control_databases, empty=True))


@pytest.mark.both_databases
def test_migrations_from_empty_give_exactly_the_models(tmp_path: Path) -> None:
    engine = open_store(tmp_path).engine
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


@pytest.mark.both_databases
def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    first = open_store(tmp_path)
    first.ensure_organization("Acme")
    second = open_store(tmp_path)
    assert [organization.name for organization in second.organizations()] == ["Acme"]


def test_downgrade_leaves_an_empty_database(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'control.db'}")
    migrate(engine)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with engine.connect() as connection:
        tables = connection.scalars(text("select name from sqlite_master where type = 'table'")).all()
    assert set(tables) <= {"alembic_version"}


NOW = "2026-01-01 00:00:00.000000"
# Rows as a release wrote them, by the revision that brought their table (or column: a second row of a table).
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("0024", "organizations", {
        "id": "o", "name": "O", "slug": "o", "time_zone": "UTC", "work_category_grouping": "five", "created_at": NOW,
    }),
    ("0024", "repositories", {
        "organization_id": "o", "id": "r", "name": "R", "origin": "x/r", "is_sandbox": 0, "is_excluded": 0,
        "is_disabled": 0, "analysis_start_at": None, "created_at": NOW,
    }),
    ("0024", "api_tokens", {
        "id": "t", "organization_id": "o", "name": "ci", "key_hash": b"1" * 32, "scope": "write", "created_at": NOW,
        "expires_at": None, "last_used_at": None, "revoked_at": None,
    }),
    ("0024", "signing_keys", {"name": "page_tokens", "key": b"2" * 32, "created_at": NOW}),
    ("0024", "accounts", {
        "id": "a", "email": "Ada@x.org", "email_key": "ada@x.org", "name": "Ada", "password_hash": None,
        "is_platform_administrator": 0, "verified_at": NOW, "created_at": NOW,
    }),
    ("0024", "members", {"organization_id": "o", "account_id": "a", "role": "owner", "joined_at": NOW}),
    ("0024", "sessions", {
        "id": "s", "account_id": "a", "token_hash": b"3" * 32, "device": "x", "active_organization_id": "o",
        "created_at": NOW, "last_used_at": NOW, "expires_at": NOW,
    }),
    ("0024", "links", {
        "key_hash": b"4" * 32, "purpose": "verification", "account_id": "a", "email_key": "ada@x.org",
        "expires_at": NOW,
    }),
    ("0024", "mails", {
        "id": "m", "kind": "welcome", "recipient": "Ada@x.org", "facts": "{}", "created_at": NOW, "due_at": NOW,
        "attempts": 0,
    }),
    ("0024", "throttles", {"key": "k", "drained_at": NOW}),
    ("0024", "invitations", {
        "id": "i", "organization_id": "o", "email": "Eve@x.org", "email_key": "eve@x.org", "role": "viewer",
        "invited_by": "Ada@x.org", "generation": 0, "created_at": NOW, "expires_at": NOW,
    }),
    ("0024", "audit_entries", {
        "id": "e", "organization_id": "o", "at": NOW, "actor_kind": "account", "actor_id": "a",
        "actor_name": "Ada@x.org", "action": "members.remove", "target_kind": "member", "target_id": "b",
        "target_name": "Eve@x.org", "before": "{}", "after": None,
    }),
    ("0024", "teams", {
        "id": "g", "organization_id": "o", "parent_id": None, "name": "Web", "name_key": "web", "created_at": NOW,
    }),
    ("0024", "team_memberships", {
        "id": "w", "organization_id": "o", "team_id": "g", "developer_id": "d", "start_on": "2026-01-01",
        "end_on": None,
    }),
    ("0024", "company_contexts", {"organization_id": "o", "version": 1, "text": "We build.", "created_at": NOW}),
    ("0024", "capex_policies", {
        "id": "y", "organization_id": "o", "version": 1, "valid_from": "2026-01-01", "reason": "New.", "rules": "[]",
        "created_by": "Ada@x.org", "created_at": NOW, "withdrawn_at": None,
    }),
    ("0024", "capex_locks", {
        "organization_id": "o", "month": "2025-12-01", "build_id": "b", "note": "", "locked_by": "Ada@x.org",
        "locked_at": NOW,
    }),
    ("0024", "capex_locked_rows", {
        "organization_id": "o", "month": "2025-12-01", "developer_id": "d", "row": "{}",
    }),
    ("0024", "capex_restatements", {
        "id": "z", "organization_id": "o", "month": "2025-12-01", "developer_id": "d", "at": NOW, "build_id": "c",
        "before": "{}", "after": "{}", "reasons": "[]",
    }),
    ("0024", "restatements", {
        "id": "n", "organization_id": "o", "at": NOW, "replaced_build_id": "b", "build_id": "c",
        "version_before": "0.1.0", "version_after": "0.2.0", "causes": "[]", "periods": "[]",
    }),
    ("0024", "commit_grants", {
        "organization_id": "o", "repository_id": "r", "first_number": 3, "last_number": 9,
    }),
    ("0024", "renewals", {
        "organization_id": "o", "renewed_on": "2026-01-01", "counted_at": NOW, "build_id": "b", "developers": "[]",
    }),
    ("0024", "operations", {
        "id": "p", "organization_id": "o", "position": 1, "at": NOW, "action": "teams.update", "target_kind": "team",
        "target_id": "g", "target_name": "Web", "repository_id": None, "started_at": None, "read_at": None,
        "ended_at": NOW, "build_id": "b", "error": None, "result": None,
    }),
    ("0024", "commit_exclusions", {
        "organization_id": "o", "commit_id": "c", "is_excluded": 1, "commit_sha": "5" * 40, "repository_id": "r",
        "subject": "Import", "reason": "other", "note": "copied", "decided_by": "Ada@x.org", "decided_at": NOW,
    }),
    ("0024", "identity_decisions", {
        "id": "q", "organization_id": "o", "kind": "split", "at": NOW, "decided_by": "Ada@x.org", "developer_id": "d",
        "developer_name": "Grace", "new_developer_id": "n", "undone_at": NOW, "undone_by": "Ada@x.org",
    }),
    ("0024", "identity_parts", {"decision_id": "q", "part_id": "x", "name": "Grace", "email": "g@x.org"}),
    ("0024", "developer_attributes", {
        "organization_id": "o", "developer_id": "d", "attribute": "role", "value": "Engineer",
    }),
    ("0024", "team_leads", {"team_id": "g", "account_id": "a", "organization_id": "o", "created_at": NOW}),
    ("0024", "corrections", {
        "id": "n", "organization_id": "o", "kind": "alias", "state": "rejected", "filed_by": "a",
        "filed_by_email": "Ada@x.org", "filed_at": NOW, "developer_id": "d", "developer_name": "Ada", "text": "Mine.",
        "email": "ada@y.org", "is_mine": 1, "commit_id": None, "commit_sha": None, "category": None,
        "decided_at": NOW, "decided_by": "Ada@x.org", "answer": "It is Eve's.",
    }),
    ("0024", "commit_categories", {
        "organization_id": "o", "commit_id": "c", "commit_sha": "5" * 40, "category": "fixes",
        "decided_by": "Ada@x.org", "decided_at": NOW,
    }),
    ("0025", "connections", {
        "id": "k", "organization_id": "o", "kind": "GITEA", "category": "hosts", "address": "https://git.example",
        "name": "Git", "user": "", "secret": b"6" * 40, "secret_key_id": "7" * 16, "options": "{}",
        "default_levels": "{}", "created_at": NOW, "created_by": "Ada@x.org", "account": "ada", "health": "PENDING",
        "warnings": "[]", "row_counts": "{}", "item_counts": "{}", "team_names": "{}",
    }),
    ("0025", "connection_events", {
        "id": "v", "connection_id": "k", "at": NOW, "health": "FAILING", "reason": "EXPIRED", "message": "Replace it.",
    }),
    ("0025", "available_repositories", {
        "connection_id": "k", "provider_id": "1", "repository_id": "r", "owner": "acme", "name": "web",
        "address": "https://git.example/acme/web", "is_archived": 0, "is_empty": 0, "is_fork": 0, "is_private": 1,
    }),
    ("0025", "connection_levels", {"connection_id": "k", "item_kind": "project", "level": "ignored"}),
    ("0025", "tracker_teams", {"connection_id": "k", "team_key": "WEB", "team_id": "g"}),
    ("0026", "root_logins", {
        "id": "l", "credential_id": "1", "issuer": "Ada", "signer": "administrator", "key": "8" * 43,
        "token_hash": b"9" * 32, "entered_organization_id": "o", "created_at": NOW, "last_used_at": NOW,
        "expires_at": NOW,
    }),
    ("0027", "identity_providers", {
        "id": "w", "organization_id": "o", "kind": "OPENID_CONNECT", "name": "Acme", "issuer": "https://login.example",
        "client_id": "eas", "secret": b"8" * 40, "secret_key_id": "7" * 16, "domains": "[]", "signs_in_owners": 1,
        "created_at": NOW, "created_by": "Ada@x.org",
    }),
    ("0027", "account_identities", {
        "id": "j", "account_id": "a", "scope": "w", "organization_id": "o", "issuer": "https://login.example",
        "subject": "1", "created_at": NOW,
    }),
    ("0027", "sign_in_flows", {
        "state_hash": b"9" * 32, "browser_hash": b"a" * 32, "provider": "w", "invitation_id": None,
        "invitation_hash": None, "device": "x", "expires_at": NOW,
    }),
    ("0027", "sign_in_codes", {
        "code_hash": b"b" * 32, "browser_hash": b"a" * 32, "account_id": "a", "provider": "w", "identity_id": "j",
        "invitation_id": None, "invitation_hash": None, "device": "x", "expires_at": NOW,
    }),
    ("0028", "subscriptions", {
        "organization_id": "o", "reference": "f", "requested_at": NOW, "requested_limit": 9, "decided_at": NOW,
        "state": "failing", "since": NOW, "grace_ends_at": NOW, "warned_at": NOW,
    }),
    ("0028", "billing_events", {
        "id": "u", "organization_id": "o", "kind": "payment_failed", "occurred_at": NOW, "received_at": NOW,
        "commit_limit": 9, "renews_on": "2026-01-01", "grace_ends_at": NOW,
    }),
    ("0029", "api_tokens", {
        "id": "t2", "organization_id": "o", "name": "own", "key_hash": b"c" * 32, "scope": "read", "created_at": NOW,
        "made_by_provider": "w",
    }),
    ("0033", "repositories", {
        "organization_id": "o", "id": "r2", "name": "R2", "origin": "x/r2", "is_sandbox": 0, "is_excluded": 0,
        "is_disabled": 0, "created_at": NOW, "branches": "{}",
    }),
    ("0031", "commit_grants", {
        "organization_id": "o", "repository_id": "s", "first_number": 1, "last_number": 1, "charged_commits": 1,
        "commit_ids": b"d" * 16,
    }),
    ("0032", "check_settings", {
        "organization_id": "o", "kind": "open_too_long", "is_on": True, "threshold_micro": 3_000_000,
        "critical_micro": None, "changed_by": "Ada@x.org", "changed_at": NOW,
    }),
    ("0032", "check_decisions", {
        "id": "cd", "organization_id": "o", "occurrence_id": "c", "kind": "open_too_long", "action": "snoozed",
        "until_on": "2026-12-01", "note": None, "is_last": True, "decided_by": "Ada@x.org", "decided_at": NOW,
    }),
    ("0034", "benchmarks", {
        "id": "bm", "organization_id": "o", "name": "Backend", "name_key": "backend", "member_kind": "developer",
        "member_ids": '["d", "e"]', "aggregation": "percentile", "percentile": 90, "created_by": "Ada@x.org",
        "created_at": NOW,
    }),
    ("0035", "summaries", {
        "id": "s", "organization_id": "o", "scope_kind": "team", "scope_id": "tm", "scope_name": "Payments",
        "period": "week", "period_start": "2026-01-05", "period_end": "2026-01-11", "revision_count": 1,
    }),
    ("0035", "summary_revisions", {
        "summary_id": "s", "number": 1, "organization_id": "o", "generated_at": NOW, "build_id": "b",
        "calculation_version": "0.6.0", "context_version": 0, "facts": "[]", "document": "{}", "facts_digest": "d",
        "written_by": "rules", "model": None, "prompt_version": None, "input_hash": None, "failure": None,
        "operation_id": None, "restated_at": None, "restated_build_id": None, "restated_facts": "[]",
    }),
    ("0039", "check_settings", {
        "organization_id": "o", "kind": "waiting_for_review", "is_on": True, "threshold_micro": 24_000_000,
        "critical_micro": None, "changed_by": "Ada@x.org", "changed_at": NOW, "threshold_multiple_hundredths": 150,
        "critical_multiple_hundredths": 200,
    }),
    ("0040", "summary_subscriptions", {
        "id": "su", "organization_id": "o", "account_id": "a", "scope_kind": "team", "scope_id": "tm",
        "period": "week", "created_at": NOW, "mailed_at": None,
    }),
    ("0041", "category_answers", {
        "organization_id": "o", "commit_id": "c", "repository_id": "r", "category": "fixes", "answered_at": NOW,
        "confidence_micro": 900_000, "model": "small-1", "prompt_version": "1", "input_hash": "8" * 64, "answer": "{}",
        "failure": None,
    }),
    ("0042", "ingest_tokens", {
        "id": "i", "organization_id": "o", "name": "laptops", "key_hash": b"e" * 32, "developer_email": "ada@x.org",
        "created_by": "a", "created_at": NOW, "expires_at": None, "last_used_at": NOW, "revoked_at": None,
    }),
    ("0044", "check_decisions", {
        "id": "cr", "organization_id": "o", "occurrence_id": "e", "kind": "open_too_long", "action": "reopened",
        "until_on": None, "note": None, "is_last": True, "decided_by": "Ada@x.org", "decided_at": NOW,
        "repository_id": "r", "commit_id": "c",
    }),
    ("0045", "ai_prices", {
        "id": "ap", "organization_id": "o", "model": "claude-*", "valid_from": "2026-01-01", "valid_until": None,
        "priced_as": None, "discount_hundredths": 1250, "input_pico": 5_000_000, "cache_read_pico": None,
        "cache_write_5m_pico": None, "cache_write_1h_pico": None, "output_pico": 25_000_000, "reason": "Contract.",
        "created_by": "Ada@x.org", "created_at": NOW, "withdrawn_at": None,
    }),
    ("0045", "ai_actors", {
        "organization_id": "o", "actor": "ada-laptop", "id": "aa", "developer_id": "d", "developer_name": "Ada",
        "decided_by": "Ada@x.org", "decided_at": NOW,
    }),
    ("0046", "scim_tokens", {
        "id": "st", "organization_id": "o", "name": "Entra ID", "key_hash": b"s" * 32, "created_by": "a",
        "created_at": NOW, "expires_at": None, "last_used_at": NOW, "revoked_at": None,
    }),
    ("0047", "directory_users", {
        "id": "du", "organization_id": "o", "user_name_key": "ada@x.org", "external_id": "7", "email_key": "ada@x.org",
        "account_id": "a", "is_active": True, "asked_role": "member", "former_role": None,
        "resource": '{"userName": "Ada@x.org"}', "version": 1, "created_at": NOW, "modified_at": NOW,
    }),
    ("0047", "directory_groups", {
        "id": "dg", "organization_id": "o", "display_name_key": "payments", "external_id": None, "team_id": "g",
        "resource": '{"displayName": "Payments"}', "version": 2, "created_at": NOW, "modified_at": NOW,
    }),
    ("0047", "directory_group_members", {
        "group_id": "dg", "member_id": "du", "kind": "User", "display": "Ada", "team_membership_id": None,
    }),
    ("0049", "check_decisions", {
        "id": "cv", "organization_id": "o", "occurrence_id": "v", "kind": "open_too_long", "action": "resolved",
        "until_on": None, "note": "Agreed", "is_last": True, "decided_by": "Ada@x.org", "decided_at": NOW,
        "repository_id": "r", "commit_id": None, "measured_micro": 30_000_000,
    }),
]  # fmt: skip
# New names of columns above, by the revision that renamed them.
RENAMED = [("0030", "throttles", "drained_at", "theoretical_arrival_at")]
REVISIONS = [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]


def renamed(table: str, row: dict[str, Any], revision: str) -> dict[str, Any]:
    """The row with the names that its columns have at this revision."""
    new = {old: name for since, of, old, name in RENAMED if of == table and since <= revision}
    return {new.get(name, name): value for name, value in row.items()}


def names(row: dict[str, Any]) -> str:
    return ", ".join(f'"{name}"' for name in row)


def contents(connection: Connection, rows: list[tuple[str, dict[str, Any]]]) -> list[list[tuple[Any, ...]]]:
    """The values of these rows as the database returns them."""
    return [
        [tuple(found) for found in connection.execute(text(f"select {names(row)} from {table}"))]
        for table, row in rows
    ]


def insert(connection: Connection, rows: list[tuple[str, dict[str, Any]]]) -> None:
    """Write these rows."""
    for table, row in rows:
        places = ", ".join(f":{name}" for name in row)
        # As text, which either database takes for a number, a truth value or an instant.
        values = {name: str(value) if isinstance(value, int) else value for name, value in row.items()}
        connection.execute(text(f"insert into {table} ({names(row)}) values ({places})"), values)


def _configured(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def upgraded(tmp_path: Path, revision: str, url: Url) -> tuple[list[tuple[str, dict[str, Any]]], Any]:
    """A database of this revision with a row in every table; the rows and their stored values."""
    engine = connect(url(tmp_path, empty=True))
    written = [(table, renamed(table, row, revision)) for since, table, row in ROWS if since <= revision]
    with engine.begin() as connection:
        command.upgrade(_configured(connection), revision)
        insert(connection, written)
        held = contents(connection, written)
    engine.dispose()
    return written, held


@pytest.mark.both_databases
def test_each_migration_keeps_the_values_of_all_before_it(tmp_path: Path, control_databases: Url) -> None:
    """Each row is written as soon as its table or column is there."""
    engine = connect(control_databases(tmp_path, empty=True))
    written: list[tuple[str, dict[str, Any]]] = []
    held: list[list[tuple[Any, ...]]] = []
    for revision in reversed(REVISIONS):
        with engine.begin() as connection:
            command.upgrade(_configured(connection), revision)
            present = [(table, renamed(table, row, revision)) for table, row in written]
            assert contents(connection, present) == held
            new = [(table, row) for since, table, row in ROWS if since == revision]
            insert(connection, [(table, renamed(table, row, revision)) for table, row in new])
            written += new
            held = contents(connection, [(table, renamed(table, row, revision)) for table, row in written])
    assert len(written) == len(ROWS)
    engine.dispose()


@pytest.mark.release
@pytest.mark.both_databases
@pytest.mark.parametrize("revision", REVISIONS)
def test_values_from_an_earlier_release_are_kept(
    tmp_path: Path, revision: str, control_databases: Url
) -> None:
    written, held = upgraded(tmp_path, revision, control_databases)
    present = [(table, renamed(table, row, max(REVISIONS))) for table, row in written]
    with open_store(tmp_path).engine.connect() as connection:
        assert contents(connection, present) == held
    # A table with a row for a later column has several.
    assert all(held)


@pytest.mark.both_databases
def test_grants_of_an_earlier_release_go_on_counting_whole(tmp_path: Path, control_databases: Url) -> None:
    upgraded(tmp_path, "0030", control_databases)
    store = open_store(tmp_path)
    assert plan(store, "o").analysed == 7
    # Nobody knows yet which commits these were.
    granted = grant(store, "o", lambda: [commits("r", 12), commits("s", 2)])
    assert (granted, plan(store, "o").analysed) == ({"r": Grant(1, 12), "s": Grant(1, 2)}, 14)


def test_every_table_is_in_the_rows_above(tmp_path: Path) -> None:
    assert {table for _, table, _ in ROWS} == set(Base.metadata.tables)


@pytest.mark.both_databases
@pytest.mark.parametrize("revision", ["0001", "0023"])
def test_a_database_from_before_the_initial_revision_is_refused_with_the_remedy(
    tmp_path: Path, revision: str
) -> None:
    store = open_store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = :revision"), {"revision": revision})
    with pytest.raises(SchemaTooOld, match=rf"{revision}.*start with a new one"):
        open_store(tmp_path)


@pytest.mark.both_databases
def test_a_database_at_the_last_revision_before_the_squash_opens_as_it_is(
    tmp_path: Path, control_databases: Url
) -> None:
    """A trial installation is at revision 0024; the squashed migrations must open it without a change."""
    _, held = upgraded(tmp_path, "0024", control_databases)
    store = open_store(tmp_path)
    found = tokens.find_by_hash(store, b"1" * 32)
    assert found is not None
    assert [membership.role for membership in found[2].memberships] == [Role.OWNER]
    assert all(len(rows) == 1 for rows in held)


@pytest.mark.both_databases
def test_a_database_of_a_newer_release_is_refused_with_the_remedy(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(SchemaTooNew, match=r"9999.*run the release that migrated it"):
        open_store(tmp_path)


def test_sqlite_uses_write_ahead_logging_and_checks_foreign_keys(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar() == "wal"
        assert connection.execute(text("pragma foreign_keys")).scalar() == 1


def test_the_environment_overrides_where_the_database_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database_url(tmp_path) == f"sqlite:///{tmp_path}/control.db"
    monkeypatch.setenv("CONTROL_DATABASE_URL", "postgresql://db.example/eas")
    assert database_url(tmp_path) == "postgresql://db.example/eas"
