-- Credit that removals take back: an author's own lines that die within the window lose the credit of their commit of
-- birth.

with deaths as (
    select * from {{ ref('int_points__fresh_deaths') }}
),

delivered as (
    select * from {{ ref('int_points__delivered_lines') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

dead_lines as (
    select
        birth_sha,
        path,
        {{ each('lines') }} as line
    from deaths
),

taken as (
    select
        birth_sha,
        line.class as class,
        line.tokens as tokens,
        line.own_tokens as own_tokens,
        line.rank as rank,
        line.in_test as in_test,
        path,
        cast(sum(line.lines) as bigint) as lines
    from dead_lines
    where not line.is_alive_elsewhere
    group by birth_sha, line.class, line.tokens, line.own_tokens, line.rank, line.in_test, path
),

births as (
    select distinct birth_sha
    from taken
),

concerned as (
    select delivered.*
    from delivered
    inner join births
        on births.birth_sha = case when delivered.is_restored then delivered.birth_sha else delivered.commit_sha end
),

lines as (
    {{ weighed_lines('concerned') | indent(4) }}
),

-- The commit that holds the credit of a kind of line: first the commit of birth, then the commits that restored it.
holders as (
    select
        case when lines.is_restored then lines.birth_sha else lines.commit_sha end as birth_sha,
        lines.original_class as class,
        lines.tokens,
        lines.own_tokens,
        lines.rank,
        lines.in_test,
        lines.is_restored,
        commits.delivery_number,
        commits.commit_number,
        lines.commit_sha,
        lines.path,
        sum(lines.lines) as lines,
        sum(lines.lines * lines.weight_micro) as points_micro
    from lines
    inner join commits on lines.commit_sha = commits.commit_sha
    where (lines.class = 'returned') = lines.is_restored
    group by
        case when lines.is_restored then lines.birth_sha else lines.commit_sha end, lines.original_class, lines.tokens,
        lines.own_tokens, lines.rank, lines.in_test, lines.is_restored, commits.delivery_number, commits.commit_number, lines.commit_sha,
        lines.path
),

-- Lines are charged to the file in which they died, up to the lines that were first written in it.
{{ spread_lines(
    'taken', 'holders', group=['birth_sha'], is_elsewhere='is_restored',
    order=['is_restored', 'delivery_number', 'commit_number', 'commit_sha', 'path']
) }}

select
    commit_sha,
    path,
    case when is_restored then 'returned' else class end as class,
    class as original_class,
    tokens,
    own_tokens,
    rank,
    in_test,
    divided_lines as lines,
    {{ wide_ratio(wide('points_micro') ~ ' * divided_lines', 'lines') }} as points_micro
from spread
where divided_lines > 0
