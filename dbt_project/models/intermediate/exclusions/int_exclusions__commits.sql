-- Commits of which nothing counts, each with the first reason that applies, and bursts of commits that bring in code from
-- elsewhere, counted or not. Windows go by author time, of one developer: a long branch is merged in one instant.
-- Commits in excluded repositories and sandboxes do not affect the bursts of other repositories.

{% set owner = 'developer_id, is_excluded, is_sandbox' -%}
{% set hour, day, fortnight = 3600000000, 86400000000, window_micros() | int -%}
with arrivals as (
    select * from {{ ref('int_exclusions__arrivals') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

waiting as (
    select * from {{ ref('int_exclusions__waiting') }}
),

copies as (
    select * from {{ ref('int_exclusions__copied_commits') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

single as (
    select
        *,
        case
            when is_unrelated_root then 'UNRELATED_ROOT'
            when
                is_first_commit
                and {{ mass_above('arrived_micro', 'reworked_micro', lines_micro('import_root_lines')) }}
                then 'FIRST_COMMIT'
            when is_subtree then 'SUBTREE'
            when novel_micro > {{ lines_micro('import_commit_lines') }} then 'ONE_COMMIT'
        end as single_rule
    from arrivals
),

-- Ordinary work beside an import must not look like a part of it, so each rule sees only the commits that the rules
-- before it left.
left_by_single as (
    select * from single
    where single_rule is null
),

-- For each width: windows that end with a commit.
hour_sums as (
    {{ window_masses('left_by_single', owner, hour) | indent(4) }}
),

hour_paces as (
    {{ usual_paces('left_by_single', owner, hour) | indent(4) }}
),

hour_ends as (
    select
        hour_sums.*,
        case
            when
                {{ arrives_above('import_hour_lines', 'hour_paces.pace_micro') }}
                or (
                    hour_sums.files_in_window > {{ var('import_hour_files') }}
                    and {{ arrives_above('import_hour_files_lines', 'hour_paces.pace_micro') }}
                )
                then hour_sums.authored_micros
        end as end_micros
    from hour_sums
    left join hour_paces
        on
            hour_sums.developer_id = hour_paces.developer_id
            and hour_sums.is_excluded = hour_paces.is_excluded
            and hour_sums.is_sandbox = hour_paces.is_sandbox
),

-- For each commit, the last window that contains it and qualifies as an import.
hours as (
    {{ last_window('hour_ends', owner, hour) | indent(4) }}
),

left_by_hours as (
    select * from left_by_single
    where
        commit_sha not in (
            select commit_sha from hours
            where last_end_micros is not null and new_files > 0
        )
),

day_sums as (
    {{ window_masses('left_by_hours', owner, day) | indent(4) }}
),

day_paces as (
    {{ usual_paces('left_by_hours', owner, day) | indent(4) }}
),

day_ends as (
    select
        day_sums.*,
        case
            when
                {{ is_beside_little_work() }}
                and {{ arrives_above('import_day_lines', 'day_paces.pace_micro') }}
                then day_sums.authored_micros
        end as end_micros
    from day_sums
    left join day_paces
        on
            day_sums.developer_id = day_paces.developer_id
            and day_sums.is_excluded = day_paces.is_excluded
            and day_sums.is_sandbox = day_paces.is_sandbox
),

days as (
    {{ last_window('day_ends', owner, day) | indent(4) }}
),

fortnight_sums as (
    {{ window_masses('left_by_hours', owner, fortnight) | indent(4) }}
),

fortnight_paces as (
    {{ usual_paces('left_by_hours', owner, fortnight) | indent(4) }}
),

fortnight_ends as (
    select
        fortnight_sums.*,
        case
            when
                {{ is_beside_little_work() }}
                and (
                    {{ arrives_above('import_fortnight_lines', 'fortnight_paces.pace_micro') }}
                    or (
                        fortnight_sums.files_in_window > {{ var('import_fortnight_files') }}
                        and {{ arrives_above('import_fortnight_files_lines', 'fortnight_paces.pace_micro') }}
                    )
                )
                then fortnight_sums.authored_micros
        end as end_micros
    from fortnight_sums
    left join fortnight_paces
        on
            fortnight_sums.developer_id = fortnight_paces.developer_id
            and fortnight_sums.is_excluded = fortnight_paces.is_excluded
            and fortnight_sums.is_sandbox = fortnight_paces.is_sandbox
),

fortnights as (
    {{ last_window('fortnight_ends', owner, fortnight) | indent(4) }}
),

found as (
    select
        single.*,
        case
            when single.single_rule is not null then single.single_rule
            when single.new_files = 0 then null
            when hours.last_end_micros is not null then 'HOUR'
            when days.last_end_micros is not null then 'DAY'
            when fortnights.last_end_micros is not null then 'FORTNIGHT'
        end as rule,
        coalesce(hours.last_end_micros, days.last_end_micros, fortnights.last_end_micros) as last_end_micros
    from single
    left join hours on single.commit_sha = hours.commit_sha
    left join days on single.commit_sha = days.commit_sha
    left join fortnights on single.commit_sha = fortnights.commit_sha
),

-- Windows that overlap are one burst; the other rules find one at a time.
ordered as (
    select
        *,
        lag(last_end_micros) over (
            partition by rule, {{ owner }} order by authored_micros, commit_sha
        ) as earlier_end_micros
    from found
    where rule is not null
),

numbered as (
    select
        *,
        sum(case when earlier_end_micros >= authored_micros then 0 else 1 end) over (
            partition by rule, {{ owner }} order by authored_micros, commit_sha
            rows between unbounded preceding and current row
        ) as burst_number
    from ordered
),

keyed as (
    select
        *,
        case
            when rule = 'UNRELATED_ROOT' then concat(repository_id, delivery_sha)
            when rule in ('FIRST_COMMIT', 'SUBTREE', 'ONE_COMMIT') then commit_sha
            else
                concat(
                    developer_id, case when is_excluded then ' excluded ' else ' ' end,
                    case when is_sandbox then 'sandbox ' else '' end, cast(burst_number as {{ dbt.type_string() }})
                )
        end as burst_key
    from numbered
),

named as (
    select
        *,
        first_value(commit_sha) over (
            partition by rule, burst_key order by authored_micros, commit_sha
            rows between unbounded preceding and current row
        ) as first_commit_sha
    from keyed
),

-- The first commit of a burst stays the same while the burst grows, and a commit is in one burst only.
digested as (
    select
        *,
        {{ uuid5_digest("'" ~ var('organization_id') ~ "'", "concat('import:', first_commit_sha)") }} as digest,
        -- Evidence comes by author time. A clock that runs ahead must not make a burst wait beyond its provisional days.
        least(authored_micros, delivered_micros) + {{ fortnight }} as evidence_until_micros
    from named
),

bursts as (
    select
        digested.commit_sha,
        {{ uuid5_of_digest('digested.digest') }} as burst_id,
        digested.rule,
        digested.first_commit_sha,
        digested.repository_id,
        digested.delivery_sha,
        digested.developer_id,
        digested.is_excluded,
        digested.is_sandbox,
        digested.authored_micros,
        digested.delivered_micros,
        digested.new_files,
        digested.novel_micro,
        digested.arrived_micro,
        digested.reworked_micro,
        digested.evidence_until_micros,
        digested.rule in ('FIRST_COMMIT', 'HOUR', 'DAY', 'FORTNIGHT')
        and digested.evidence_until_micros > {{ epoch_micros('organization.as_of') }} as is_waiting
    from digested
    cross join organization
),

judged as (
    select
        commits.commit_sha,
        case
            when decisions.is_excluded then 'EXCLUDED_BY_HAND'
            when repositories.is_excluded then 'EXCLUDED'
            when commits.delivered_at < repositories.analysis_start_at then 'BEFORE_START'
            when waiting.commit_sha is not null then 'WAITING'
            when commits.is_upstream and decisions.commit_sha is null then 'UPSTREAM'
            when commits.is_bot then 'BOT'
            when decisions.commit_sha is not null then null
            when not bursts.is_waiting then 'IMPORT'
            when bursts.is_waiting then 'IMPORT_WAITING'
            when copies.commit_sha is not null then 'REPOSITORY_COPY'
        end as zero_reason
    from commits
    inner join repositories on commits.repository_id = repositories.repository_id
    left join bursts on commits.commit_sha = bursts.commit_sha
    left join waiting
        on commits.commit_sha = waiting.commit_sha and commits.repository_id = waiting.repository_id
    left join decisions on commits.commit_sha = decisions.commit_sha
    left join copies on commits.commit_sha = copies.commit_sha
)

select
    judged.commit_sha,
    judged.zero_reason,
    bursts.burst_id,
    bursts.rule,
    bursts.first_commit_sha,
    bursts.repository_id,
    bursts.delivery_sha,
    bursts.developer_id,
    bursts.is_excluded,
    bursts.is_sandbox,
    bursts.authored_micros,
    bursts.delivered_micros,
    bursts.new_files,
    bursts.novel_micro,
    bursts.arrived_micro,
    bursts.reworked_micro,
    bursts.evidence_until_micros,
    bursts.is_waiting
from judged
left join bursts on judged.commit_sha = bursts.commit_sha
where judged.zero_reason is not null or bursts.commit_sha is not null
