-- The measures of a commit's category are divided among its people by largest remainders, so that the parts add up
-- exactly.

with parts as (
    {{ category_parts() | indent(4) }}
),

commits as (
    select * from {{ ref('fct_commits') }}
),

credits as (
    select * from {{ ref('int_commit_credits') }}
),

alignment as (
    select * from {{ ref('int_alignment__commits') }}
    where issue_count > 0
),

by_category as (
    select
        commit_sha,
        category,
        sum(points_micro) as points_micro,
        sum(effort_micro) as effort_micro,
        sum(etv_micro) as etv_micro,
        sum(taken_back_points_micro) as taken_back_points_micro,
        sum(files) as files,
        sum(lines_added) as lines_added,
        sum(lines_deleted) as lines_deleted
    from parts
    group by commit_sha, category
),

shared as (
    select
        by_category.*,
        credits.developer_id,
        credits.role,
        credits.place,
        credits.share_micro
    from by_category
    inner join credits on by_category.commit_sha = credits.commit_sha
),

divided as (
    select
        *,
        {% for measure in ['points', 'effort', 'etv'] -%}
        {{ wide_ratio(wide(measure ~ '_micro') ~ ' * share_micro', '1000000') }} as {{ measure }}_floor,
        cast({{ wide(measure ~ '_micro') }} * share_micro % 1000000 as bigint)
            as {{ measure }}_remainder{{ ',' if not loop.last }}
        {% endfor %}
    from shared
    where share_micro > 0 and share_micro < 1000000
),

ranked as (
    select
        *,
        {% for measure in ['points', 'effort', 'etv'] -%}
        {{ measure }}_micro - sum({{ measure }}_floor) over (partition by commit_sha, category) as {{ measure }}_left,
        row_number() over (
            partition by commit_sha, category order by {{ measure }}_remainder desc, place
        ) as {{ measure }}_place{{ ',' if not loop.last }}
        {% endfor %}
    from divided
),

{% set shared_columns = [
    'commit_sha', 'category', 'developer_id', 'role', 'place', 'share_micro', 'files', 'lines_added', 'lines_deleted',
    'taken_back_points_micro'
] -%}
every as (
    select
        {{ shared_columns | join(', ') }},
        {% for measure in ['points', 'effort', 'etv'] -%}
        {{ measure }}_floor + case when {{ measure }}_place <= {{ measure }}_left then 1 else 0 end
            as {{ measure }}_micro{{ ',' if not loop.last }}
        {% endfor %}
    from ranked
    union all
    -- Most commits have one author, so nothing is divided.
    select
        {{ shared_columns | join(', ') }},
        {% for measure in ['points', 'effort', 'etv'] -%}
        case when share_micro = 0 then 0 else {{ measure }}_micro end as {{ measure }}_micro{{ ',' if not loop.last }}
        {% endfor %}
    from shared
    where share_micro in (0, 1000000)
),

-- Every credit has a range of the commit's millionths, which go to its issues in turn.
aligned as (
    select
        every.commit_sha,
        every.category,
        every.developer_id,
        every.etv_micro,
        alignment.issue_count,
        alignment.roadmap_issue_count,
        {{ etv_until('every.') }} as etv_until_micro
    from every
    inner join alignment on every.commit_sha = alignment.commit_sha
),

roadmaps as (
    select
        commit_sha,
        category,
        developer_id,
        {{ units_of_first('etv_until_micro', 'issue_count', 'roadmap_issue_count') }}
        - ({{ units_of_first('(etv_until_micro - etv_micro)', 'issue_count', 'roadmap_issue_count') }})
            as roadmap_etv_micro
    from aligned
)

select
    commits.commit_id,
    every.commit_sha,
    every.category,
    every.developer_id,
    every.role,
    every.share_micro,
    commits.repository_id,
    commits.delivered_on,
    commits.is_bot,
    commits.is_ai_assisted,
    commits.is_counted,
    commits.zero_reason,
    commits.category as commit_category,
    {% for measure in ['points', 'effort', 'etv'] -%}
    cast(every.{{ measure }}_micro as bigint) as {{ measure }}_micro,
    {% endfor -%}
    cast(case when roadmaps.commit_sha is null then 0 else every.etv_micro end as bigint) as aligned_etv_micro,
    cast(coalesce(roadmaps.roadmap_etv_micro, 0) as bigint) as roadmap_etv_micro,
    cast(case when every.place = 1 and every.category = commits.category then 1 else 0 end as bigint) as commits,
    cast(case when every.place = 1 then every.files else 0 end as bigint) as files,
    cast(case when every.place = 1 then every.lines_added else 0 end as bigint) as lines_added,
    cast(case when every.place = 1 then every.lines_deleted else 0 end as bigint) as lines_deleted,
    cast(case when every.place = 1 then every.taken_back_points_micro else 0 end as bigint) as taken_back_points_micro
from every
inner join commits on every.commit_sha = commits.commit_sha
left join roadmaps
    on
        every.commit_sha = roadmaps.commit_sha
        and every.category = roadmaps.category
        and every.developer_id = roadmaps.developer_id
