-- An author's own lines that died within the window: what their removal takes back.

with deaths as (
    {{ deaths_by_developer() | indent(4) }}
)

select
    remover_sha,
    birth_sha,
    path,
    lines
from deaths
where is_own_fresh
