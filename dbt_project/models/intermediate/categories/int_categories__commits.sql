-- The category of a commit: the type that its author declares, else the result of a linear model over message and
-- change. A declared chore or refactoring is overruled if the model finds a feature with enough certainty. An issue of
-- type Bug is evidence for a fix. The model
-- adds up integers, so
-- that neither the order of the terms nor the machine can change a decision. Where an organization asks a model endpoint, its
-- stored answer takes the place of the model's decision.

{% set kinds = ['features', 'maintenance', 'fixes'] -%}
with terms as (
    select
        commit_sha,
        term
    from {{ ref('int_categories__terms') }}
    union all
    select
        commit_sha,
        {{ each('terms') }} as term
    from {{ ref('int_categories__changes') }}
),

types as (
    select * from {{ ref('int_categories__commit_types') }}
),

decisions as (
    select
        known.commit_sha,
        decided.category
    from {{ ref('stg_control__commit_categories') }} as decided
    inner join {{ ref('int_commits') }} as known on decided.commit_id = known.commit_id
),

answers as (
    select
        known.commit_sha,
        answered.category,
        answered.model,
        answered.confidence_micro / 1000000.0 as confidence
    from {{ ref('stg_control__category_answers') }} as answered
    inner join {{ ref('int_commits') }} as known on answered.commit_id = known.commit_id
),

weights as (
    select
        *,
        left(term, 7) = 'change:' as is_change,
        term <> 'bias' and left(term, 7) <> 'change:' as is_word
    from {{ ref('category_terms') }}
),

bugs as (
    select * from {{ ref('int_alignment__bugs') }}
),

term_scores as (
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

scores as (
    select
        term_scores.commit_sha,
        {% for kind in kinds -%}
        {%- if kind == 'fixes' -%}
        fixes_micro + case when bugs.commit_sha is null then 0 else {{ var('bug_issue_fixes_micro') }} end as fixes_micro,
        {% else -%}
        {{ kind }}_micro,
        {% endif -%}
        {{ kind }}_word,
        {{ kind }}_change,
        {% endfor -%}
        bugs.commit_sha is not null as has_bug_issue
    from term_scores
    left join bugs on term_scores.commit_sha = bugs.commit_sha
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
),

intents as (
    select
        commit_sha,
        category,
        {% for kind in kinds -%}
        round({{ kind }}_power / (features_power + maintenance_power + fixes_power), 4) as {{ kind }}_probability,
        {% endfor -%}
        round(1 / (features_power + maintenance_power + fixes_power), 2) as confidence,
        has_bug_issue and category = 'fixes' as is_supported,
        {{ category_evidence('word', 'change') }} as evidence
    from powers
),

supported as (
    select
        *,
        case
            when not is_supported then evidence
            when evidence = '' then 'its issue is a bug'
            else concat(evidence, '; its issue is a bug')
        end as full_evidence
    from intents
),

compared as (
    select
        coalesce(types.commit_sha, intents.commit_sha) as commit_sha,
        types.type,
        types.category as declared_category,
        intents.category,
        intents.confidence,
        intents.full_evidence as evidence,
        intents.features_probability,
        intents.maintenance_probability,
        intents.fixes_probability,
        case
            when types.commit_sha is null then 'model'
            when types.is_overrulable and intents.features_probability >= {{ var('category_overruled_at') }}
                then 'overruled_type'
            else 'declared_type'
        end as method
    from types
    full outer join supported as intents on types.commit_sha = intents.commit_sha
),

-- A model endpoint answers for what the linear model alone would decide. Both other kinds share what its answer leaves.
answered as (
    select
        compared.commit_sha,
        compared.type,
        compared.declared_category,
        compared.evidence,
        coalesce(answers.category, compared.category) as category,
        coalesce(answers.confidence, compared.confidence) as confidence,
        case when answers.commit_sha is null then compared.method else 'endpoint' end as method,
        answers.model,
        {% for kind in kinds -%}
        case
            when answers.commit_sha is null then compared.{{ kind }}_probability
            when answers.category = '{{ kind }}' then round(answers.confidence, 4)
            else round((1 - answers.confidence) / 2, 4)
        end as {{ kind }}_probability{{ ',' if not loop.last }}
        {% endfor %}
    from compared
    left join answers on compared.method = 'model' and compared.commit_sha = answers.commit_sha
)

select
    answered.commit_sha,
    case method
        when 'declared_type' then declared_category
        when 'overruled_type' then 'features'
        else answered.category
    end as category,
    decisions.category as decided_category,
    method,
    case method
        when 'declared_type' then cast({{ var('declared_type_confidence') }} as double)
        when 'overruled_type' then round(features_probability, 2)
        else round(confidence, 2)
    end as confidence,
    case method
        when 'declared_type' then type
        when 'overruled_type' then concat('declared ', type, ', but ', evidence)
        when 'endpoint' then concat('answer of ', model)
        else evidence
    end as evidence,
    case when method <> 'declared_type' then features_probability end as features_probability,
    case when method <> 'declared_type' then maintenance_probability end as maintenance_probability,
    case when method <> 'declared_type' then fixes_probability end as fixes_probability
from answered
left join decisions on answered.commit_sha = decisions.commit_sha
