"""Pull requests of a synthetic organization, made of the deliveries in its raw lake, as a Git host would tell them."""

from pathlib import Path

import duckdb

from ingest.lake import Lake
from ingest.schemas import TABLES

CONNECTION = "0190d3b0-0000-7000-8000-00000000cccc"
# Every delivery by a merge or squash had one, which was open for up to 240 hours. An eighth had no review, an eighth
# had two rounds, and every fiftieth is still open.
_ROWS = """
with commits as (
    select commit_id, commit_sha, author_name, author_email, authored_at, subject
    from read_parquet('{git}/commits/**/*.parquet', hive_partitioning = false)
),

drawn as (
    select *, hash(delivery_sha) as dice, row_number() over (partition by repository_id order by position) as number
    from read_parquet('{git}/deliveries/**/*.parquet', hive_partitioning = false)
    where kind != 'direct'
    order by dice
    limit {count}
),

dated as (
    select
        drawn.*, split_part(commits.author_email, '@', 1) as author, commits.subject as title,
        'reviewer-' || cast(dice % 300 as varchar) as reviewer, dice % 50 = 0 as is_open,
        delivered_at - to_hours(cast(2 + dice % 240 as integer)) as created_at
    from drawn
    inner join commits on drawn.delivery_sha = commits.commit_sha
),

reviewed as (
    select
        *, created_at + (delivered_at - created_at) * 0.4 as reviewed_at,
        created_at + (delivered_at - created_at) * 0.8 as approved_at
    from dated
),

sources as (
    select
        reviewed.delivery_sha,
        list({{
            'sha': commits.commit_sha, 'author_name': author_name, 'author_email': author_email, 'author_login': author,
            'authored_at': authored_at, 'message': subject, 'committed_at': authored_at
        }}) as commits
    from (select delivery_sha, author, unnest(commit_shas) as commit_sha from reviewed) as reviewed
    inner join commits on reviewed.commit_sha = commits.commit_sha and commits.commit_sha != reviewed.delivery_sha
    group by reviewed.delivery_sha
)

select
    '{organization}' as organization_id, '{connection}' as connection_id, 1 as batch, delivery_sha as provider_id,
    repository_id, number, title, null as body, if(is_open, 'open', 'merged') as state, false as is_draft, author,
    null as author_name, 'person' as author_kind, created_at, delivered_at as updated_at,
    if(is_open, null, delivered_at) as merged_at, if(is_open, null, delivered_at) as closed_at,
    if(is_open, null, if(dice % 3 = 0, author, reviewer)) as merged_by, 'topic-' || number as source_branch,
    'main' as target_branch, false as is_from_fork, null as head_sha, if(is_open, null, delivery_sha) as merge_sha,
    null as squash_sha, 3 as comment_count, dice % 700 as lines_added, dice % 300 as lines_deleted, null as url,
    cast([] as varchar[]) as labels, [reviewer] as reviewers, cast([] as varchar[]) as linked_issues,
    list_filter([
        {{'kind': 'review_requested', 'at': created_at, 'actor': author, 'actor_kind': 'person', 'detail': reviewer}},
        if(dice % 8 = 0, null, {{
            'kind': if(dice % 8 = 1, 'changes_requested', 'reviewed'), 'at': reviewed_at, 'actor': reviewer,
            'actor_kind': 'person', 'detail': null
        }}),
        if(dice % 8 = 0, null, {{
            'kind': 'approved', 'at': approved_at, 'actor': reviewer, 'actor_kind': 'person', 'detail': null
        }}),
        if(is_open, null, {{
            'kind': 'merged', 'at': delivered_at, 'actor': reviewer, 'actor_kind': 'person', 'detail': null
        }})
    ], lambda one: one is not null) as events,
    coalesce(sources.commits, []) as commits, len(coalesce(sources.commits, [])) as commit_count, '{{}}' as payload,
    '1' as connector_version
from reviewed
left join sources using (delivery_sha)
"""


def write(raw_dir: Path, organization_id: str, count: int) -> int:
    """Write at most this many pull requests beside the Git facts of a lake. Returns how many there are."""
    lake, schema = Lake(str(raw_dir)), TABLES["hosts", "pull_requests"]
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        sql = _ROWS.format(
            git=raw_dir / "git", count=count, organization=organization_id, connection=CONNECTION
        )
        found = connection.execute(sql).to_arrow_table()
    source = lake.source("hosts", organization_id, CONNECTION)
    source.commit(appended={}, replaced={"pull_requests": found.select(schema.names).cast(schema)}, extra={})
    return int(found.num_rows)
