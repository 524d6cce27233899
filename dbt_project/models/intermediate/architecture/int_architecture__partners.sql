-- How many files a file was changed together with for the first time, by month.

with touches as (
    select
        delivery_key,
        month,
        file_number
    from {{ ref('int_architecture__touches') }}
),

small as (
    select delivery_key
    from touches
    group by delivery_key
    having count(*) between 2 and {{ var('co_change_max_files') }}
),

together as (
    select touches.*
    from touches
    inner join small on touches.delivery_key = small.delivery_key
),

pairs as (
    select
        one.file_number,
        other.file_number as other_number,
        min(one.month) as month
    from together as one
    inner join together as other on one.delivery_key = other.delivery_key and one.file_number < other.file_number
    group by one.file_number, other.file_number
),

both_ways as (
    select
        file_number,
        month
    from pairs
    union all
    select
        other_number as file_number,
        month
    from pairs
)

select
    file_number,
    month,
    count(*) as new_partners
from both_ways
group by file_number, month
