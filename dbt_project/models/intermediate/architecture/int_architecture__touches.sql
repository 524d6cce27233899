-- Which files each delivery changed, as numbers: pairs of them are made next, and text would not fit.

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
    select distinct
        files.repository_id,
        files.delivery_number,
        cast(date_trunc('month', files.delivered_on) as date) as month,
        files.original_path
    from files
    inner join roles on files.role = roles.role
    where not {{ is_worthless_file('files') }}
),

numbered as (
    select
        repository_id,
        original_path,
        row_number() over (order by repository_id, original_path) as file_number
    from touched
    group by repository_id, original_path
)

select
    repositories.repository_number * 100000000 + touched.delivery_number as delivery_key,
    touched.repository_id,
    touched.month,
    numbered.file_number,
    touched.original_path
from touched
inner join numbered
    on touched.repository_id = numbered.repository_id and touched.original_path = numbered.original_path
inner join repositories on touched.repository_id = repositories.repository_id
