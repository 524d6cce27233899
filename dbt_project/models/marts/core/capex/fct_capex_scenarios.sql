-- The effort of a commit that could be capitalized if it were a feature, maintenance or a fix: the files that follow
-- its intent get that category, all others keep theirs, and its main category follows.

{% set kinds = ['features', 'maintenance', 'fixes'] -%}
with files as (
    select
        *,
        category_method in ('model', 'overruled_type') as is_judged
    from {{ ref('fct_commit_files') }}
),

commits as (
    select * from {{ ref('fct_commits') }}
    where is_counted and not is_bot
),

intents as (
    select * from {{ ref('int_categories__commits') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
    where not is_sandbox
),

credits as (
    select * from {{ ref('fct_commit_credits') }}
),

months as (
    select * from {{ ref('dim_capex_months') }}
),

capitalizable as (
    select * from {{ ref('int_capex__kinds') }}
),

grants as (
    select * from {{ ref('int_capex__grants') }}
),

by_category as (
    select
        commit_sha,
        category,
        sum(effort_micro) as effort_micro,
        sum(case when is_judged then effort_micro else 0 end) as judged_effort_micro,
        sum(case when is_judged then etv_micro else 0 end) as judged_etv_micro,
        sum(case when is_judged then lines_added + lines_deleted else 0 end) as judged_lines,
        sum(case when is_judged then 0 else etv_micro end) as other_etv_micro,
        sum(case when is_judged then 0 else lines_added + lines_deleted end) as other_lines,
        count(case when not is_judged then 1 end) as other_files
    from files
    group by commit_sha, category
),

undecided as (
    select
        by_category.commit_sha,
        by_category.category,
        by_category.effort_micro as category_effort_micro,
        by_category.judged_effort_micro,
        by_category.judged_etv_micro,
        by_category.judged_lines,
        commits.commit_id,
        commits.repository_id,
        months.month,
        months.policy_version,
        {% for kind in kinds -%}
        intents.{{ kind }}_probability{{ ',' if not loop.last }}
        {% endfor %}
    from by_category
    inner join commits on by_category.commit_sha = commits.commit_sha
    inner join intents on by_category.commit_sha = intents.commit_sha
    inner join repositories on commits.repository_id = repositories.repository_id
    inner join months on cast(date_trunc('month', commits.delivered_on) as date) = months.month
    where by_category.judged_effort_micro > 0 and intents.features_probability is not null
),

scenarios as (
    {% for kind in kinds -%}
    select
        commit_sha,
        '{{ kind }}' as kind,
        judged_etv_micro,
        judged_lines
    from undecided
    {%- if not loop.last %}
    union all
    {% endif -%}
    {% endfor %}
),

-- A category that only judged files had is gone where these have another.
parts as (
    select
        commit_sha,
        kind,
        kind as category,
        judged_etv_micro as etv_micro,
        judged_lines as lines
    from scenarios
    union all
    select
        scenarios.commit_sha,
        scenarios.kind,
        by_category.category,
        by_category.other_etv_micro as etv_micro,
        by_category.other_lines as lines
    from scenarios
    inner join by_category on scenarios.commit_sha = by_category.commit_sha
    where by_category.other_files > 0
),

sums as (
    select
        commit_sha,
        kind,
        category,
        sum(etv_micro) as etv_micro,
        sum(lines) as lines
    from parts
    group by commit_sha, kind, category
),

-- The same order as decides the main category of a commit.
placed as (
    select
        commit_sha,
        kind,
        category as commit_category,
        row_number() over (partition by commit_sha, kind order by etv_micro desc, lines desc, category) as place
    from sums
),

shared as (
    select
        undecided.commit_sha,
        credits.developer_id,
        credits.category,
        credits.effort_micro,
        case
            when credits.category <> undecided.category then 0
            when undecided.judged_effort_micro = undecided.category_effort_micro then credits.effort_micro
            else least(credits.effort_micro, {{ rounded_ratio(
                wide('undecided.judged_effort_micro') ~ ' * credits.share_micro', '1000000'
            ) }})
        end as judged_effort_micro
    from undecided
    inner join credits on undecided.commit_sha = credits.commit_sha
),

-- Effort without a category has that of the scenario.
pieces as (
    select
        commit_sha,
        developer_id,
        category,
        effort_micro - judged_effort_micro as effort_micro
    from shared
    union all
    select
        commit_sha,
        developer_id,
        cast(null as {{ dbt.type_string() }}) as category,
        judged_effort_micro as effort_micro
    from shared
),

worked as (
    select
        pieces.commit_sha,
        pieces.developer_id,
        placed.kind,
        placed.commit_category,
        coalesce(pieces.category, placed.kind) as category,
        pieces.effort_micro
    from pieces
    inner join placed on pieces.commit_sha = placed.commit_sha
    where placed.place = 1 and pieces.effort_micro > 0
),

weighed as (
    select
        worked.commit_sha,
        worked.developer_id,
        sum(case when worked.kind = '{{ kinds[0] }}' then worked.effort_micro else 0 end) as effort_micro,
        {% for kind in kinds -%}
        sum(
            case
                when worked.kind <> '{{ kind }}' then 0
                when capitalizable.category is not null or grants.commit_sha is not null then worked.effort_micro
                else 0
            end
        ) as {{ kind }}_capitalizable_micro{{ ',' if not loop.last }}
        {% endfor %}
    from worked
    inner join undecided on worked.commit_sha = undecided.commit_sha
    left join capitalizable
        on
            undecided.policy_version = capitalizable.policy_version
            and undecided.repository_id = capitalizable.repository_id
            and worked.category = capitalizable.category
            and worked.commit_category = capitalizable.commit_category
    left join grants
        on
            worked.commit_sha = grants.commit_sha
            and undecided.policy_version = grants.policy_version
            and worked.category = grants.category
            and worked.commit_category = grants.commit_category
    group by worked.commit_sha, worked.developer_id
),

expected as (
    select
        weighed.*,
        undecided.commit_id,
        undecided.repository_id,
        undecided.month,
        undecided.category,
        {% for kind in kinds -%}
        undecided.{{ kind }}_probability,
        {% endfor -%}
        case undecided.category
            {% for kind in kinds -%}
            when '{{ kind }}' then weighed.{{ kind }}_capitalizable_micro
            {% endfor %}
        end as capitalizable_micro,
        -- Probabilities are rounded: they add up to about one.
        undecided.features_probability + undecided.maintenance_probability + undecided.fixes_probability as certainty
    from weighed
    inner join undecided on weighed.commit_sha = undecided.commit_sha
    -- Commits with the same capitalizable effort in every scenario are left out.
    where
        weighed.features_capitalizable_micro <> weighed.maintenance_capitalizable_micro
        or weighed.features_capitalizable_micro <> weighed.fixes_capitalizable_micro
),

centred as (
    select
        *,
        (
            {% for kind in kinds -%}
            {{ kind }}_probability * {{ kind }}_capitalizable_micro{{ ' +' if not loop.last }}
            {% endfor -%}
        ) / certainty as mean
    from expected
)

select
    commit_sha,
    commit_id,
    developer_id,
    repository_id,
    month,
    category,
    {% for kind in kinds -%}
    {{ kind }}_probability,
    cast({{ kind }}_capitalizable_micro as bigint) as {{ kind }}_capitalizable_micro,
    {% endfor -%}
    cast(effort_micro as bigint) as effort_micro,
    cast(capitalizable_micro as bigint) as capitalizable_micro,
    cast(round(mean) as bigint) as mean_micro,
    cast(round(sqrt((
        {% for kind in kinds -%}
        {{ kind }}_probability
        * ({{ kind }}_capitalizable_micro - mean) * ({{ kind }}_capitalizable_micro - mean){{ ' +' if not loop.last }}
        {% endfor -%}
    ) / certainty)) as bigint) as deviation_micro
from centred
