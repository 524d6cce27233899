-- What removals take back: an author's own lines that die within the window lose the credit of their commit of birth.

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
        path,
        cast(sum(line.lines) as bigint) as lines
    from dead_lines
    where not line.is_alive_elsewhere
    group by birth_sha, line.class, line.tokens, line.own_tokens, line.rank, path
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

-- Who holds the credit of a kind of line: first the commit of birth, then those that restored it.
holders as (
    select
        case when is_restored then birth_sha else commit_sha end as birth_sha,
        original_class as class,
        tokens,
        own_tokens,
        rank,
        is_restored,
        commit_sha,
        path,
        sum(lines) as lines,
        sum(lines * weight_micro) as points_micro
    from lines
    where (class = 'returned') = is_restored
    group by
        case when is_restored then birth_sha else commit_sha end, original_class, tokens, own_tokens, rank,
        is_restored, commit_sha, path
),

-- Lines are charged to the file in which they died, as far as that still is the file of their birth …
in_place as (
    select
        holders.*,
        case
            when holders.is_restored then 0
            else least(holders.lines, coalesce(taken.lines, 0))
        end as lines_in_place
    from holders
    left join taken
        on
            holders.birth_sha = taken.birth_sha
            and holders.class = taken.class
            and holders.tokens = taken.tokens
            and holders.own_tokens = taken.own_tokens
            and holders.rank = taken.rank
            and holders.path = taken.path
),

totals as (
    select
        birth_sha,
        class,
        tokens,
        own_tokens,
        rank,
        cast(sum(lines) as bigint) as lines
    from taken
    group by birth_sha, class, tokens, own_tokens, rank
),

placed as (
    select
        in_place.*,
        commits.delivery_number,
        commits.commit_number,
        in_place.lines - in_place.lines_in_place as room,
        totals.lines - sum(in_place.lines_in_place) over (
            partition by in_place.birth_sha, in_place.class, in_place.tokens, in_place.own_tokens, in_place.rank
        ) as left_over
    from in_place
    inner join totals
        on
            in_place.birth_sha = totals.birth_sha
            and in_place.class = totals.class
            and in_place.tokens = totals.tokens
            and in_place.own_tokens = totals.own_tokens
            and in_place.rank = totals.rank
    inner join commits on in_place.commit_sha = commits.commit_sha
),

-- … and else, in a fixed order, to what is left of them.
spread as (
    select
        *,
        coalesce(sum(room) over (
            partition by birth_sha, class, tokens, own_tokens, rank
            order by is_restored, delivery_number, commit_number, commit_sha, path
            rows between unbounded preceding and 1 preceding
        ), 0) as room_before
    from placed
),

charged as (
    select
        *,
        cast(lines_in_place + greatest(0, least(room, left_over - room_before)) as bigint) as charged_lines
    from spread
)

select
    commit_sha,
    path,
    case when is_restored then 'returned' else class end as class,
    class as original_class,
    tokens,
    own_tokens,
    rank,
    charged_lines as lines,
    {{ wide_ratio(wide('points_micro') ~ ' * charged_lines', 'lines') }} as points_micro
from charged
where charged_lines > 0
