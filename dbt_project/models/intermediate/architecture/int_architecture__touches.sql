-- Which files each delivery changed, as numbers: pairs of them are made next, and text would not fit.

with files as (
    select * from {{ ref('int_files') }}
    where is_in_delivery
),

roles as (
    select * from {{ ref('role_factors') }}
    where factor_micro > 0
),

numbered as (
    select * from {{ ref('int_architecture__files') }}
)

select distinct
    numbered.repository_number * 100000000 + files.delivery_number as delivery_key,
    cast(date_trunc('month', files.delivered_on) as date) as month,
    numbered.file_number
from files
inner join roles on files.role = roles.role
inner join numbered
    on files.repository_id = numbered.repository_id and files.original_path = numbered.original_path
where not {{ is_worthless_file('files') }}
