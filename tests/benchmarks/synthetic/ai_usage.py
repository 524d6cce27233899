"""Usage of AI tools in a synthetic organization: telemetry of the authors of its commits, and a report of a vendor."""

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.lake import Lake
from ingest.schemas import TABLES

CONNECTION = "0190d3b0-0000-7000-8000-00000000dddd"
# An author has one session a day, with four models. The vendor's report has nine of ten people.
_DRAWN = """
with commits as (
    select author_email as address, authored_at, row_number() over () - 1 as position
    from read_parquet('{git}/commits/**/*.parquet', hive_partitioning = false)
    where author_email not like '%[bot]@%'
),

drawn as (
    select
        events.number, cast(hash(events.number) >> 1 as bigint) as dice, commits.address, commits.authored_at,
        ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-4-5', 'us.anthropic.claude-opus-5-v1:0']
            [1 + cast(hash(events.number, 1) % 4 as integer)] as model
    from (select range as number from range({count})) as events
    inner join commits on events.number % (select count(*) from commits) = commits.position
)
"""
_REQUESTS = (
    _DRAWN
    + """
select
    '{organization}' as organization_id, concat('request ', number) as event_key, 'token' as token_id,
    null as token_email, authored_at as received_at, authored_at - to_seconds(dice % 3600) as happened_at,
    'claude_code' as tool, 'claude-code' as service_name, null as service_version,
    concat(address, ' ', cast(authored_at as date)) as session_id, address as user_email, null as user_account,
    null as user_id, null as organization_ref, model, 'high' as effort, null as speed, null as service_tier,
    null as query_source, 1 as requests, dice % 3000 as input_tokens, dice % 90000 as cache_read_tokens,
    dice % 5000 as cache_write_tokens, dice % 2000 as output_tokens, null as reasoning_tokens,
    dice % 50000000 as cost_nano, 1500 as duration_ms, null as repository_ref, null as branch, null as trace_id,
    false as is_error
from drawn
"""
)
_REPORT = (
    _DRAWN
    + """
select
    '{organization}' as organization_id, '{connection}' as connection_id, 1 as batch,
    concat(cast(authored_at as date), '/', address, '/', model) as provider_id, 'claude_code' as tool,
    cast(authored_at as date) as used_on, address as actor_email, model, sum(dice % 3000) as input_tokens,
    sum(dice % 90000) as cache_read_tokens, sum(dice % 5000) as cache_write_5m_tokens,
    sum(dice % 2000) as output_tokens, true as is_active, '{{}}' as payload, '1' as connector_version
from drawn
where hash(address) % 10 > 0
group by all
"""
)


def write(raw_dir: Path, organization_id: str, count: int) -> tuple[int, int]:
    """Write this many requests beside the Git facts of a lake. Returns the rows of telemetry and of the vendor."""
    values = {
        "git": raw_dir / "git", "count": count, "organization": organization_id, "connection": CONNECTION
    }  # fmt: skip
    lake = Lake(str(raw_dir))
    requests, report = (
        _rows(sql.format(**values), TABLES[noun, table])
        for sql, noun, table in ((_REQUESTS, "telemetry", "requests"), (_REPORT, "ai_tools", "usage"))
    )
    lake.source("telemetry", organization_id, "_").commit({"requests": requests}, {}, {})
    lake.source("ai_tools", organization_id, CONNECTION).commit({"usage": report}, {}, {})
    connection = {
        "organization_id": organization_id, "connection_id": CONNECTION, "kind": "CLAUDE_CODE", "category": "ai_tools",
        "name": "Claude Code", "unsynced_since": datetime(2026, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    connections = pa.Table.from_pylist([connection], TABLES["control", "connections"])
    lake.source("control", organization_id, "_").commit({}, {"connections": connections}, {})
    return requests.num_rows, report.num_rows


def _rows(sql: str, schema: pa.Schema) -> pa.Table:
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        found = connection.execute(sql).to_arrow_table()
    lacking = [name for name in schema.names if name not in found.column_names]
    for name in lacking:
        found = found.append_column(name, pa.nulls(found.num_rows))
    return found.select(schema.names).cast(schema)
