-- The effort of a commit that could be capitalized if it were a feature, maintenance or a fix: its category and its main
-- category are those of the scenario.

{% set kinds = ['features', 'maintenance', 'fixes'] -%}
with undecided as (
    select * from {{ ref('fct_capex_undecided') }}
),

credits as (
    select * from {{ ref('fct_commit_credits') }}
),

capitalizable as (
    select * from {{ ref('int_capex__kinds') }}
),

grants as (
    select * from {{ ref('int_capex__grants') }}
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

scenarios as (
    {% for kind in kinds -%}
    select
        commit_sha,
        '{{ kind }}' as kind,
        {{ kind }}_commit_category as commit_category
    from undecided
    {%- if not loop.last %}
    union all
    {% endif -%}
    {% endfor %}
),

worked as (
    select
        pieces.commit_sha,
        pieces.developer_id,
        scenarios.kind,
        scenarios.commit_category,
        coalesce(pieces.category, scenarios.kind) as category,
        pieces.effort_micro
    from pieces
    inner join scenarios on pieces.commit_sha = scenarios.commit_sha
    where pieces.effort_micro > 0
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
