{{ config(materialized='view') }}
-- A view, because few columns of its many rows are needed by each reader.

with deaths as (
    {{ deaths_by_developer() | indent(4) }}
),

roles as (
    select * from {{ ref('role_factors') }}
),

weights as (
    select * from {{ ref('int_points__weights') }}
),

attributed as (
    select
        deaths.*,
        roles.factor_micro > 0 and not {{ is_worthless_file('deaths') }} as can_count
    from deaths
    left join roles on deaths.role = roles.role
)

select
    attributed.repository_id,
    attributed.delivery_sha,
    attributed.remover_sha,
    attributed.birth_sha,
    attributed.path,
    attributed.language,
    attributed.role,
    attributed.is_own_fresh,
    attributed.lines,
    coalesce(
        not (attributed.is_own_fresh or attributed.is_revert or not attributed.can_count), true
    ) as may_be_eligible,
    case
        when attributed.is_own_fresh or attributed.is_revert or not attributed.can_count then 0
        else {{ total_of(mapped('attributed.lines', 'line', removed_lines_that_count('line', 'weights'))) }}
    end as eligible_lines,
    -- In a file of tests the role of the file weighs them.
    case
        when attributed.is_own_fresh or attributed.is_revert or not attributed.can_count then 0
        when attributed.role <> 'source' then 0
        else {{ total_of(mapped(
            chosen('attributed.lines', 'line', 'line.in_test'), 'line', removed_lines_that_count('line', 'weights')
        )) }}
    end as eligible_test_lines
from attributed
cross join weights
