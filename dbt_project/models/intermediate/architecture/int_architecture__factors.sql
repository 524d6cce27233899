-- The factor of a file in a month: its place among the repository's files at the month's start, by files changed together.

with touches as (
    select * from {{ ref('int_architecture__touches') }}
),

partners as (
    select * from {{ ref('int_architecture__partners') }}
),

files as (
    select * from {{ ref('int_architecture__files') }}
),

file_months as (
    select
        file_number,
        month
    from touches
    group by file_number, month
),

counted as (
    select
        file_months.file_number,
        file_months.month,
        cast(sum(coalesce(partners.new_partners, 0)) over (
            partition by file_months.file_number order by file_months.month
            rows between unbounded preceding and current row
        ) as bigint) as centrality_after,
        coalesce(partners.new_partners, 0) as new_partners,
        row_number() over (partition by file_months.file_number order by file_months.month) = 1 as is_first
    from file_months
    left join partners on file_months.file_number = partners.file_number and file_months.month = partners.month
),

running as (
    select
        counted.*,
        files.repository_number
    from counted
    inner join files on counted.file_number = files.file_number
),

-- The distribution changes where a file appears or gains partners.
changes as (
    select
        repository_number,
        month,
        centrality_after as centrality,
        1 as files
    from running
    where is_first or new_partners > 0
    union all
    select
        repository_number,
        month,
        centrality_after - new_partners as centrality,
        -1 as files
    from running
    where not is_first and new_partners > 0
),

net_changes as (
    select
        repository_number,
        month,
        centrality,
        sum(files) as files
    from changes
    group by repository_number, month, centrality
),

months as (
    select distinct
        repository_number,
        month
    from running
),

centralities as (
    select distinct
        repository_number,
        centrality
    from net_changes
),

at_start as (
    select
        months.repository_number,
        months.month,
        centralities.centrality,
        coalesce(sum(net_changes.files) over (
            partition by months.repository_number, centralities.centrality
            order by months.month
            rows between unbounded preceding and 1 preceding
        ), 0) as files
    from months
    inner join centralities on months.repository_number = centralities.repository_number
    left join net_changes
        on
            months.repository_number = net_changes.repository_number
            and months.month = net_changes.month
            and centralities.centrality = net_changes.centrality
),

ranked as (
    select
        repository_number,
        month,
        centrality,
        coalesce(sum(files) over (
            partition by repository_number, month
            order by centrality
            rows between unbounded preceding and 1 preceding
        ), 0) as files_below,
        sum(files) over (partition by repository_number, month) as files
    from at_start
)

select
    files.repository_id,
    files.original_path,
    running.month,
    running.centrality_after - running.new_partners as centrality,
    cast(ranked.files_below as bigint) as files_below,
    cast(ranked.files as bigint) as files,
    1000000 + coalesce({{ wide_ratio(
        wide(var('architecture_span_micro')) ~ ' * ranked.files_below', 'nullif(ranked.files, 0)'
    ) }}, 0) as architecture_factor_micro
from running
inner join files on running.file_number = files.file_number
inner join ranked
    on
        running.repository_number = ranked.repository_number
        and running.month = ranked.month
        and running.centrality_after - running.new_partners = ranked.centrality
where not running.is_first and ranked.files_below > 0
