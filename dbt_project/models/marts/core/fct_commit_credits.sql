-- The measures of a commit's category are divided among its people by largest remainders, so nothing is lost or made.

with files as (
    select * from {{ ref('fct_commit_files') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

credits as (
    select * from {{ ref('int_commit_credits') }}
),

by_category as (
    select
        commit_sha,
        category,
        sum(points_micro) as points_micro,
        sum(effort_micro) as effort_micro,
        sum(etv_micro) as etv_micro,
        count(case when zero_reason is null then 1 end) as files,
        sum(lines_added) as lines_added,
        sum(lines_deleted) as lines_deleted
    from files
    group by commit_sha, category
),

shared as (
    select
        by_category.commit_sha,
        by_category.category,
        credits.developer_id,
        credits.role,
        credits.place,
        credits.share_micro,
        by_category.files,
        by_category.lines_added,
        by_category.lines_deleted,
        {% for measure in ['points', 'effort', 'etv'] -%}
        by_category.{{ measure }}_micro as all_{{ measure }}_micro,
        {{ whole_ratio(wide('by_category.' ~ measure ~ '_micro') ~ ' * credits.share_micro', '1000000') }}
            as {{ measure }}_floor,
        cast({{ wide('by_category.' ~ measure ~ '_micro') }} * credits.share_micro % 1000000 as bigint)
            as {{ measure }}_remainder{{ ',' if not loop.last }}
        {% endfor %}
    from by_category
    inner join credits on by_category.commit_sha = credits.commit_sha
),

ranked as (
    select
        *,
        {% for measure in ['points', 'effort', 'etv'] -%}
        all_{{ measure }}_micro
        - sum({{ measure }}_floor) over (partition by commit_sha, category) as {{ measure }}_left,
        row_number() over (
            partition by commit_sha, category order by {{ measure }}_remainder desc, place
        ) as {{ measure }}_place{{ ',' if not loop.last }}
        {% endfor %}
    from shared
)

select
    commits.commit_id,
    ranked.commit_sha,
    ranked.category,
    ranked.developer_id,
    ranked.role,
    ranked.share_micro,
    commits.repository_id,
    commits.delivered_on,
    commits.is_bot,
    commits.is_ai_assisted,
    commits.is_counted,
    commits.zero_reason,
    commits.category as commit_category,
    {% for measure in ['points', 'effort', 'etv'] -%}
    cast(
        ranked.{{ measure }}_floor + case when ranked.{{ measure }}_place <= ranked.{{ measure }}_left then 1 else 0 end
        as bigint
    ) as {{ measure }}_micro,
    {% endfor -%}
    cast(case when ranked.place = 1 and ranked.category = commits.category then 1 else 0 end as bigint) as commits,
    cast(case when ranked.place = 1 then ranked.files else 0 end as bigint) as files,
    cast(case when ranked.place = 1 then ranked.lines_added else 0 end as bigint) as lines_added,
    cast(case when ranked.place = 1 then ranked.lines_deleted else 0 end as bigint) as lines_deleted
from ranked
inner join commits on ranked.commit_sha = commits.commit_sha
