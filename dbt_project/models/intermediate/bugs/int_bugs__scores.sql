-- The score of a trace is its share of the removed lines, and a smaller weight for its share of the lines around.

with traces as (
    select * from {{ ref('int_bugs__traces') }}
),

commits as (
    select
        commit_sha,
        min(subject) as subject
    from {{ ref('stg_git__commits') }}
    group by commit_sha
),

totals as (
    select
        commit_sha,
        sum(removed_lines) as removed_lines,
        sum(near_weight_micro) as near_weight_micro,
        sum(function_lines) as function_lines
    from traces
    group by commit_sha
),

weighed as (
    select
        traces.*,
        case
            when totals.removed_lines = 0 then 0
            else {{ rounded_ratio(wide('traces.removed_lines') ~ ' * 1000000', 'totals.removed_lines') }}
        end as removed_micro,
        case
            when totals.near_weight_micro = 0 then 0
            else {{ rounded_ratio(
                wide('traces.near_weight_micro') ~ ' * ' ~ var('origin_near_weight_micro'), 'totals.near_weight_micro'
            ) }}
        end as near_micro,
        case
            when totals.function_lines = 0 then 0
            else {{ rounded_ratio(
                wide('traces.function_lines') ~ ' * ' ~ var('origin_function_weight_micro'), 'totals.function_lines'
            ) }}
        end as function_micro,
        {{ matches('lower(commits.subject)', pattern_text(var('origin_cleanup_pattern'))) }} as is_cleanup
    from traces
    inner join totals on traces.commit_sha = totals.commit_sha
    inner join commits on traces.origin_sha = commits.commit_sha
)

select
    commit_sha,
    origin_sha,
    path,
    repository_id,
    age_days,
    removed_lines,
    near_weight_micro,
    function_lines,
    is_cleanup,
    {{ rounded_ratio(
        wide('(removed_micro + near_micro + function_micro)')
        ~ ' * case when is_cleanup then ' ~ var('origin_cleanup_factor_micro') ~ ' else 1000000 end',
        '1000000'
    ) }} as score_micro
from weighed
