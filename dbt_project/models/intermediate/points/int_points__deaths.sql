{{ config(materialized='view') }}
-- A view, because few columns of its many rows are needed by each reader.

with deaths as (
    select * from {{ ref('stg_git__line_deaths') }}
),

commits as (
    select * from {{ ref('int_delivered_commits') }}
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
        remover.developer_id,
        -- A line that was born in another repository is charged to nobody: there it may well be alive.
        coalesce(
            birth.repository_id = remover.repository_id
            and birth.developer_id = remover.developer_id
            and remover.delivered_micros - birth.delivered_micros <= {{ window_micros() }},
            false
        ) as is_own_fresh,
        roles.factor_micro > 0 and not {{ is_worthless_file('deaths') }} as can_count
    from deaths
    inner join commits as remover
        on deaths.remover_sha = remover.commit_sha and deaths.repository_id = remover.repository_id
    left join commits as birth on deaths.birth_sha = birth.commit_sha
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
    end as eligible_lines
from attributed
cross join weights
