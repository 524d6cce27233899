-- Removed lines that their remover delivered again within the window: such a removal changed nothing and earns nothing.

with delivered as (
    select * from {{ ref('stg_git__delivered_lines') }}
    where removal_sha is not null
),

{{ eligible_deaths() }}

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

own_returns as (
    select
        delivered.removal_sha as remover_sha,
        delivered.birth_sha,
        delivered.path,
        {{ each('delivered.lines') }} as line
    from delivered
    inner join commits as again
        on delivered.credited_sha = again.commit_sha and delivered.repository_id = again.repository_id
    inner join commits as remover on delivered.removal_sha = remover.commit_sha
    where
        again.repository_id = remover.repository_id
        and again.developer_id = remover.developer_id
        and again.delivered_micros - remover.delivered_micros <= {{ window_micros() }}
),

returned as (
    select
        remover_sha,
        birth_sha,
        path,
        line.original_class as class,
        line.tokens as tokens,
        line.own_tokens as own_tokens,
        line.rank as rank,
        line.in_test as in_test,
        cast(sum(line.lines) as bigint) as lines
    from own_returns
    where line.class = 'returned'
    group by remover_sha, birth_sha, path, line.original_class, line.tokens, line.own_tokens, line.rank,
        line.in_test
),

removals as (
    select distinct
        remover_sha,
        birth_sha
    from returned
),

dead_lines as (
    select
        deaths.remover_sha,
        deaths.birth_sha,
        deaths.path,
        {{ each('deaths.lines') }} as line
    from deaths
    inner join removals on deaths.remover_sha = removals.remover_sha and deaths.birth_sha = removals.birth_sha
    where not deaths.is_foreign
),

dead as (
    select
        dead_lines.remover_sha,
        dead_lines.birth_sha,
        dead_lines.path,
        dead_lines.line.class as class,
        dead_lines.line.tokens as tokens,
        dead_lines.line.own_tokens as own_tokens,
        dead_lines.line.rank as rank,
        dead_lines.line.in_test as in_test,
        cast(sum({{ removed_lines_that_count('dead_lines.line', 'weights') }}) as bigint) as lines
    from dead_lines
    cross join weights
    group by
        dead_lines.remover_sha, dead_lines.birth_sha, dead_lines.path, dead_lines.line.class, dead_lines.line.tokens,
        dead_lines.line.own_tokens, dead_lines.line.rank, dead_lines.line.in_test
),

-- Lines come back to the file in which they died, as far as they were removed there.
{{ spread_lines('returned', 'dead', group=['remover_sha', 'birth_sha'], order=['path'], is_elsewhere=none) }}

select
    remover_sha,
    path,
    cast(sum(divided_lines) as bigint) as lines,
    cast(sum(case when in_test then divided_lines else 0 end) as bigint) as test_lines
from spread
group by remover_sha, path
having sum(divided_lines) > 0
