-- Traces from a fix to earlier commits. The following stay in, because origins got worse without them: comments,
-- tests, imports, moved lines, and the first author of a moved line.

with fixes as (
    select * from {{ ref('int_bugs__fixes') }}
),

deaths as (
    select * from {{ ref('stg_git__line_deaths') }}
),

context as (
    select * from {{ ref('stg_git__fix_context') }}
),

deliveries as (
    select * from {{ ref('int_commit_deliveries') }}
),

leads as (
    select
        fixes.commit_sha,
        deaths.origin_sha,
        deaths.path,
        {{ total_of(mapped(
            'deaths.lines', 'line', "case when line.class = 'layout' then 0 else line.lines end"
        )) }} as removed_lines,
        0 as near_weight_micro,
        0 as function_lines
    from fixes
    inner join deaths
        on
            fixes.repository_id = deaths.repository_id
            and fixes.delivery_sha = deaths.delivery_sha
            and fixes.commit_sha = deaths.remover_sha
    where not {{ is_worthless_file('deaths') }}
    union all
    select
        fixes.commit_sha,
        context.origin_sha,
        context.path,
        0 as removed_lines,
        context.near_weight_micro,
        context.function_lines
    from fixes
    inner join context
        on
            fixes.repository_id = context.repository_id
            and fixes.delivery_sha = context.delivery_sha
            and fixes.commit_sha = context.commit_sha
    where not {{ is_worthless_file('context') }}
)

select
    leads.commit_sha,
    leads.origin_sha,
    leads.path,
    fixes.repository_id,
    min({{ days_between('cast(origins.delivered_at as date)', 'fixes.delivered_on') }}) as age_days,
    cast(sum(leads.removed_lines) as bigint) as removed_lines,
    cast(sum(leads.near_weight_micro) as bigint) as near_weight_micro,
    cast(sum(leads.function_lines) as bigint) as function_lines
from leads
inner join fixes on leads.commit_sha = fixes.commit_sha
inner join deliveries as origins
    on leads.origin_sha = origins.commit_sha and fixes.repository_id = origins.repository_id
-- Lines of the same delivery are left out, because they were fixed before the delivery.
where origins.delivery_sha != fixes.delivery_sha
group by leads.commit_sha, leads.origin_sha, leads.path, fixes.repository_id
having sum(leads.removed_lines + leads.near_weight_micro + leads.function_lines) > 0
