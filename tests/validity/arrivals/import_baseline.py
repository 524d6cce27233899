"""The former rule of imports, as a baseline: too many new files or lines of one author in two weeks of deliveries.

It is measured on the same rows as the rule of the product, which does not use it.
"""

_WINDOW = 14 * 86_400 * 1_000_000
_PER = "partition by developer_id, is_excluded, is_sandbox order by delivered_micros"
_UP_TO = f"over ({_PER} range between {_WINDOW} preceding and current row)"
_FROM = f"over ({_PER} range between current row and {_WINDOW} following)"

FORMER_BURSTS = f"""
    with added as (
        select
            files.commit_sha,
            sum(case when files.status = 'A' then 1 else 0 end) as files,
            sum(files.novel_lines) as lines
        from int_files as files
        inner join role_factors as roles on files.role = roles.role
        where
            files.novel_lines > 0 and roles.factor_micro > 0
            and not (files.is_binary or files.is_generated or files.is_vendored or files.is_minified)
        group by files.commit_sha
    ),
    dated as (
        select added.*, commits.developer_id, commits.repository_id, commits.delivered_micros, repositories.is_excluded,
            repositories.is_sandbox
        from added
        inner join int_delivered_commits as commits on added.commit_sha = commits.commit_sha
        inner join int_repositories as repositories on commits.repository_id = repositories.repository_id
    ),
    sums as (
        select *, sum(files) {_UP_TO} as files_in, sum(lines) {_UP_TO} as lines_in from dated
    ),
    ends as (
        select *, case when files_in > 200 or lines_in > 20000 then delivered_micros end as end_micros from sums
    ),
    largest as (
        select *, max(files_in) {_FROM} as most_files, max(lines_in) {_FROM} as most_lines,
            max(end_micros) {_FROM} as last_end
        from ends
    ),
    found as (
        select * from largest
        where
            (most_files > 200 and files > 0)
            or (most_lines > 20000 and (files > 0 or lines >= 200))
    ),
    begun as (
        select *, lag(last_end) over ({_PER}, commit_sha) as earlier_end from found
    ),
    numbered as (
        select *, sum(case when earlier_end >= delivered_micros then 0 else 1 end) over (
            {_PER}, commit_sha rows between unbounded preceding and current row
        ) as number
        from begun
    ),
    roots as (
        select commit_sha, repository_id, delivery_sha, is_unrelated_root
        from int_delivered_commits
        where is_unrelated_root or (is_root and files_changed > 50)
    )
    select commit_sha, concat(developer_id, is_excluded, is_sandbox, number) as burst from numbered
    where commit_sha not in (select commit_sha from roots)
    union all
    select commit_sha, case when is_unrelated_root then delivery_sha else commit_sha end as burst from roots
"""
"""Commits and the burst that each is part of; windows that overlap are one burst, as in the rule of the product."""
