with weights as (
    select * from {{ ref('line_weights') }}
),

sizes as (
    select
        {{ collected_distinct('class') }} as classes,
        count(distinct rank) as ranks,
        count(distinct tokens) * count(distinct rank) as weights_per_class
    from weights
),

tests as (
    select factor_micro as test_factor_micro
    from {{ ref('role_factors') }}
    where role = 'test'
),

ordered as (
    select {{ collected(struct_of({
        'class': 'class', 'tokens': 'tokens', 'rank': 'rank', 'weight_micro': 'weight_micro'
    })) }} as entries
    from weights
)

select
    sizes.classes,
    sizes.ranks,
    sizes.weights_per_class,
    tests.test_factor_micro,
    {{ mapped('ordered.entries', 'entry', 'entry.weight_micro') }} as weights
from ordered
cross join sizes
cross join tests
