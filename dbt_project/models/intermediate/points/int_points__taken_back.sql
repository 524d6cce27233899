-- Removals that took the credit of their lines back: what they removed gets it again when it returns.

with deaths as (
    select * from {{ ref('int_points__fresh_deaths') }}
)

select distinct
    remover_sha,
    birth_sha
from deaths
