-- How likely each kind is by the linear model. Sums of integers, so that neither the order of the terms nor the machine
-- can change a decision.

{% set kinds = ['features', 'maintenance', 'fixes'] -%}
with terms as (
    select * from {{ ref('int_categories__terms') }}
),

weights as (
    select
        *,
        left(term, 7) = 'change:' as is_change,
        term <> 'bias' and left(term, 7) <> 'change:' as is_word
    from {{ ref('category_terms') }}
),

scores as (
    select
        terms.commit_sha,
        {% for kind in kinds -%}
        cast(sum(weights.{{ kind }}_micro) as bigint) as {{ kind }}_micro,
        {% for part in ['word', 'change'] -%}
        max_by(
            terms.term,
            case
                when weights.is_{{ part }} and weights.{{ kind }}_micro > 0
                    then cast(weights.{{ kind }}_micro as bigint) * 100000 + weights.term_number
            end
        ) as {{ kind }}_{{ part }}{{ ',' if not loop.last }}
        {% endfor -%}
        {{- ',' if not loop.last }}
        {% endfor %}
    from terms
    inner join weights on terms.term = weights.term
    group by terms.commit_sha
),

decided as (
    select
        *,
        greatest({% for kind in kinds %}{{ kind }}_micro{{ ', ' if not loop.last }}{% endfor %}) as largest_micro,
        case
            when fixes_micro >= features_micro and fixes_micro >= maintenance_micro then 'fixes'
            when features_micro >= maintenance_micro then 'features'
            else 'maintenance'
        end as category
    from scores
),

powers as (
    select
        *,
        {% for kind in kinds -%}
        exp(({{ kind }}_micro - largest_micro) / 1000000.0) as {{ kind }}_power,
        {% endfor -%}
        {% for part in ['word', 'change'] -%}
        case category
            {% for kind in kinds -%}
            when '{{ kind }}' then {{ kind }}_{{ part }}
            {% endfor %}
        end as {{ part }}{{ ',' if not loop.last }}
        {% endfor %}
    from decided
)

select
    commit_sha,
    category,
    {% for kind in kinds -%}
    round({{ kind }}_power / (features_power + maintenance_power + fixes_power), 4) as {{ kind }}_probability,
    {% endfor -%}
    round(1 / (features_power + maintenance_power + fixes_power), 2) as confidence,
    {{ category_evidence('word', 'change') }} as evidence
from powers
