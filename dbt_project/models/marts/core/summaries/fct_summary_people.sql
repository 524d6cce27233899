-- Who came, by the joining date or the first delivery, and whose last day it was. Nobody is said to have left because they
-- deliver nothing.

with periods as (
    select * from {{ ref('dim_summary_periods') }}
    where is_told
),

employment as (
    select * from {{ ref('fct_employment') }}
    where entity_kind <> 'developer'
),

attributes as (
    select * from {{ ref('int_identity__attributes') }}
),

members as (
    select
        ancestors.ancestor_id as team_id,
        members.developer_id,
        max(members.end_on) as end_on
    from {{ ref('int_teams__members') }} as members
    inner join {{ ref('int_teams__ancestors') }} as ancestors on members.team_id = ancestors.team_id
    group by ancestors.ancestor_id, members.developer_id
),

names as (
    select
        developer_id,
        name
    from {{ ref('dim_developers') }}
    where not is_bot
),

moves as (
    select
        'joined' as kind,
        upper(entity_kind) as scope_kind,
        entity_id as scope_id,
        developer_id,
        min(first_on) as moved_on
    from employment
    group by entity_kind, entity_id, developer_id
    union all
    select distinct
        'left' as kind,
        upper(employment.entity_kind) as scope_kind,
        employment.entity_id as scope_id,
        employment.developer_id,
        attributes.left_on as moved_on
    from employment
    inner join attributes on employment.developer_id = attributes.developer_id
    where attributes.left_on is not null and employment.entity_kind <> 'team'
    union all
    select
        'left' as kind,
        'TEAM' as scope_kind,
        members.team_id as scope_id,
        members.developer_id,
        least(members.end_on, coalesce(attributes.left_on, members.end_on)) as moved_on
    from members
    left join attributes on members.developer_id = attributes.developer_id
),

placed as (
    select
        moves.*,
        names.name,
        periods.period,
        periods.number,
        row_number() over (
            partition by moves.kind, moves.scope_kind, moves.scope_id, periods.period, periods.number
            order by moves.moved_on, moves.developer_id
        ) as place,
        count(*) over (
            partition by moves.kind, moves.scope_kind, moves.scope_id, periods.period, periods.number
        ) as people
    from moves
    inner join names on moves.developer_id = names.developer_id
    inner join periods on moves.moved_on between periods.period_start and periods.period_end
)

{% for kind in ['joined', 'left'] -%}
select
    scope_kind,
    scope_id,
    period,
    number,
    {{ fact(
        kind, 'place', position='place', subject_type="'DEVELOPER'", subject_id='developer_id', subject_title='name',
        unit="'DATE'", on_date='moved_on', basis='people', people='1'
    ) }}
from placed
where kind = '{{ kind }}' and place <= {{ var('summary_people') }}
{{ 'union all' if not loop.last }}
{% endfor %}
