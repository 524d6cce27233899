-- An author's own lines that died within the window: what their removal takes back.

with deaths as (
    select * from {{ ref('int_points__deaths') }}
)

select
    remover_sha,
    birth_sha,
    path,
    lines
from deaths
where is_own_fresh
