-- The kind of a commit by the linear model, for commits whose subject declares no type. Sums of integers, so that
-- neither the order of the terms nor the machine can change a decision.

with terms as (
    select * from {{ ref('int_categories__terms') }}
),

weights as (
    select * from {{ ref('category_terms') }}
),

scores as (
    select
        terms.commit_sha,
        cast(sum(weights.features_micro) as bigint) as features_micro,
        cast(sum(weights.maintenance_micro) as bigint) as maintenance_micro,
        cast(sum(weights.fixes_micro) as bigint) as fixes_micro,
        -- Every message has the bias: it explains nothing.
        {% for category in ['features', 'maintenance', 'fixes'] -%}
        max_by(
            terms.term,
            case
                when terms.term <> 'bias' then cast(weights.{{ category }}_micro as bigint) * 100000 + weights.term_number
            end
        ) as {{ category }}_term{{ ',' if not loop.last }}
        {% endfor %}
    from terms
    inner join weights on terms.term = weights.term
    group by terms.commit_sha
),

decided as (
    select
        *,
        case
            when fixes_micro >= features_micro and fixes_micro >= maintenance_micro then 'fixes'
            when features_micro >= maintenance_micro then 'features'
            else 'maintenance'
        end as category
    from scores
)

select
    commit_sha,
    category,
    round(1 / (
        exp((features_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
        + exp((maintenance_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
        + exp((fixes_micro - greatest(features_micro, maintenance_micro, fixes_micro)) / 1000000.0)
    ), 2) as confidence,
    coalesce(case category
        when 'fixes' then fixes_term
        when 'features' then features_term
        else maintenance_term
    end, 'nothing tells') as evidence
from decided
