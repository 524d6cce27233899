-- Files that deliveries changed, with numbers that stand for their names: millions of rows are told apart by them next.

with files as (
    select * from {{ ref('int_files') }}
    where is_in_delivery
),

roles as (
    select * from {{ ref('role_factors') }}
    where factor_micro > 0
),

repositories as (
    select
        repository_id,
        row_number() over (order by repository_id) as repository_number
    from {{ ref('int_repositories') }}
),

touched as (
    select
        files.repository_id,
        files.original_path
    from files
    inner join roles on files.role = roles.role
    where not {{ is_worthless_file('files') }}
    group by files.repository_id, files.original_path
)

select
    row_number() over (order by touched.repository_id, touched.original_path) as file_number,
    repositories.repository_number,
    touched.repository_id,
    touched.original_path
from touched
inner join repositories on touched.repository_id = repositories.repository_id
